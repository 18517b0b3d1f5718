"""What Swift 6.3's demangler, which machsym follows, prints otherwise than that of Swift 6.0.

Each rule says how a name would be written without the newer operator, and how our text would read
then. A difference counts as intended only where the older demangler, asked for that older name,
prints just that text. Each was seen in the output of the Swift 6.3.1 demangler.
"""
import re


class Rule:
    """`when` must match the name or our text; `name` and `text` are (pattern, replacement) lists."""

    def __init__(self, label, why, when, name=(), text=()):
        self.label, self.why, self.when = label, why, re.compile(when)
        self.name = [(re.compile(a), b) for a, b in name]
        self.text = [(re.compile(a), b) for a, b in text]

    def rewrite(self, name, ours):
        for pattern, replacement in self.name:
            name = pattern.sub(replacement, name)
        for pattern, replacement in self.text:
            ours = pattern.sub(replacement, ours)
        return name, ours


RULES = [
    Rule("suffix", "a suffix behind an attribute (…TA.12): 6.0 takes neither the suffix nor the "
         "attribute off, and prints “closure …partial apply forwarder with …”",
         r"\.", [(r"\.[^ ]*$", "")], [(r' with unmangled suffix "[^"]*"$', "")]),
    Rule("sending result", "YT: 6.0 forgets async, throws and @Sendable beside it",
         "YT", [("YT", "")], [("-> sending ", "-> ")]),
    Rule("nonisolated(nonsending)", "YC is newer than 6.0",
         "YC", [("YC", "")], [(r"nonisolated\(nonsending\) ", "")]),
    Rule("dropped arguments", "Tt…g: a specialisation that dropped arguments; newer than 6.0",
         r"T(t\d*)+[gGB]", [(r"T(?:t\d*)+([gGB]q?a?r?\d)", r"T\1")]),
    Rule("field init accessor", "fF is newer than 6.0", "pfF", [("pfF", "pfP")],
         [("property wrapped field init accessor", "property wrapper backing initializer")]),
    Rule("demangling cache", "Md, beside MD, is newer than 6.0", "Md", [("Md$", "MD")]),
    Rule("name reference", "MR is newer than 6.0", "MR$", [("MR$", "MD")],
         [("mangled name ref for type", "demangling cache variable for type")]),
    Rule("checked", "TZ: 6.0 says “predefined”", "TZ", [], [("checked @objc", "predefined @objc")]),
    Rule("implicit actor", "BA and the parameter's L are newer than 6.0",
         "^.sBA", [(r"^\$sBA", "$sBo"), ("IgHgILr", "IgHgr")],
         [(r"Builtin\.ImplicitActor", "Builtin.NativeObject")]),
    Rule("value parameters", "RV, a generic parameter that is a number, is newer than 6.0",
         "RVz", [("SiRVz", "")], [("<let A, B", "<A, B")]),
    Rule("embedded", "$e is newer than 6.0", r"^\$e", [(r"^\$e", "$s")]),
    Rule("payload", "a function in a specialisation's payload: 6.0 prints closures demangled, and "
         "both without short forms (Swift.Optional<X>); 6.3 prints closures mangled, functions with",
         r"Tf\d"),
]

PAYLOAD = re.compile(r"((?:Closure Propagated|Constant Propagated Function) : )(\$s[\w$.]+)")
LONG = re.compile(r"Swift\.(Optional|Array|Dictionary)<")


def closing(text, at):
    """Where the bracket that is open at `at` closes, and where commas part what is in it."""
    depth, commas = 0, []
    while at < len(text):
        c = text[at]
        if c in "<([{":
            depth += 1
        elif c in ")]}" or (c == ">" and text[at - 1] != "-"):
            if depth == 0:
                return at, commas
            depth -= 1
        elif c == "," and depth == 0:
            commas.append(at)
        at += 1
    return None, commas


def short_forms(text):
    """Swift.Optional<X> as X?, Swift.Array<X> as [X], Swift.Dictionary<K, V> as [K : V]."""
    while True:
        found = None
        for found in LONG.finditer(text):
            pass
        if not found:
            return text
        end, commas = closing(text, found.end())
        if end is None:
            return text
        inner = text[found.end():end]
        if found.group(1) == "Optional":
            _, spaces = inner, " -> " in inner or " & " in inner or inner.startswith("any ")
            short = f"({inner})?" if spaces and not enclosed(inner) else inner + "?"
        elif found.group(1) == "Array":
            short = f"[{inner}]"
        else:
            if len(commas) != 1:
                return text
            short = f"[{text[found.end():commas[0]]} : {text[commas[0] + 2:end]}]"
        text = text[:found.start()] + short + text[end + 1:]


def enclosed(text):
    """Is all of it within one pair of brackets (or a name with arguments)?"""
    depth = 0
    for i, c in enumerate(text):
        if c in "<([{":
            depth += 1
        elif c in ")]}" or (c == ">" and text[i - 1] != "-"):
            depth -= 1
        elif c == " " and depth == 0:
            return False
    return True


def explain(rows, ask, ask_long):
    """rows: (name, theirs, ours) that differ. ask(names) -> texts of the older demangler, ask_long
    the same without short forms. Yields (row, [labels of the rules], or None)."""
    used, texts, ways = [], [], []
    for name, _, ours in rows:
        labels = []
        for rule in RULES:
            edited = rule.rewrite(name, ours) if rule.when.search(name) else (name, ours)
            if edited != (name, ours):
                name, ours = edited
                labels.append(rule.label)
        ways.append(name)
        texts.append(ours)
        used.append(labels)
    answers = ask(ways)
    meaning = meanings(texts + answers + [row[1] for row in rows], ask_long)

    def plain(text):
        return short_forms(PAYLOAD.sub(lambda m: m.group(1) + meaning[m.group(2)], text))

    for row, ours, labels, answer in zip(rows, texts, used, answers):
        # Operators within a payload are counted bytes of the name around it: those names are
        # right as they were asked at first.
        good = any(text not in (row[0], "") and plain(text) == plain(ours)
                   for text in (answer, row[1]))
        if "Tf" in row[0] and any(plain(text) != text for text in (row[2], answer, row[1])):
            labels.append("payload")
        yield row, labels if good and labels else None


def meanings(texts, ask_long):
    """{mangled name in a payload: as the older demangler has it}"""
    found = sorted({raw for text in texts for _, raw in PAYLOAD.findall(text)})
    older = found
    for rule in RULES:
        older = [rule.rewrite(name, "")[0] if rule.when.search(name) else name for name in older]
    answers = ask_long(found + older) if found else []
    return {name: short_forms(new if asis == name else asis)
            for name, asis, new in zip(found, answers, answers[len(found):])}
