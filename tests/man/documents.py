"""The pages against the programs: which there are, their options, their JSON."""
import glob
import json
import os
import re
import shutil
import subprocess

import pages
from programs import ROOT

GENERAL = {"--help", "--version"}  # known to every command; described in machsym(1)

# Commands whose output has, between them, every kind of JSON document.
JSON_COMMANDS = [
    "machsym crash --json fixtures/magicnumbers/MagicNumbers.crash",
    "machsym crash --json -d fixtures/c/dwarf5 fixtures/magicnumbers/MagicNumbers.ips",
    "machsym crash --json fixtures/magicnumbers/Exception-asb.crash",
    "machsym atos --json -i -o fixtures/c/dwarf5/deep 0x100000500 0x1 main nobody",
    "machsym uuid --json fixtures/c/fat/deep",
    "machsym otool --json -hlLDf -s __TEXT __text fixtures/c/fat/deep",
    "machsym otool --json -lD fixtures/c/dylib/libdeep.dylib fixtures/c/debugmap/main.o",
    "machsym inits --json -l 0x102000000 fixtures/inits/offsets/settings",
    "machsym codesign --json --verify fixtures/c/fat/deep",
    "machsym verify --json --lookup --dwarf fixtures/c/fat/deep fixtures/c/fat/deep.dSYM",
    "machsym demangle --json $s4main3BarCMa $s4main3BarC3fooyyFZTm $s4main3fooyyYaFTQ0_"
    " $s4main3BarC3fooyyFTA $s4main3foo1xyx_tlFSi_Tg5 _Z3foov.cold _Zx",
    "machsym slide --json --report fixtures/magicnumbers/MagicNumbers.crash"
    " -o fixtures/magicnumbers/MagicNumbers 0x104d4c69c",
    "machsym slide --json -o fixtures/c/dwarf5/deep -l 0x102000000",
]


def page_of(name, section=1):
    return os.path.join(ROOT, "man", f"{name}.{section}")


def check_pages(tally, commands):
    there = {os.path.basename(page) for page in pages.all_pages()}
    wanted = {f"machsym-{name}.1" for name in commands} | {"machsym.1", "machsym.5"}
    for name in sorted(wanted):
        tally.check(f"page {name}", None if name in there else "is missing")
    for name in sorted(there):
        if re.fullmatch(r"machsym-.*\.1", name):
            tally.check(f"command of {name}",
                        None if name in wanted else "machsym help doesn't list it")
    text = "\n".join(pages.lines_of(page_of("machsym")))
    for name in commands:
        tally.check(f"machsym(1) and {name}", None if f"Xr machsym-{name} 1" in text
                    else f"doesn't refer to machsym-{name}(1)")


def check_references(tally):
    there = {os.path.basename(page) for page in pages.all_pages()}
    for page in pages.all_pages():
        dead = sorted({f"{name}({section})" for name, section in pages.references(page)
                       if name.startswith("machsym") and f"{name}.{section}" not in there})
        tally.check(f"references of {os.path.basename(page)}",
                    f"no page: {', '.join(dead)}" if dead else None)


def difference(left_name, left, right_name, right):
    """None when the sets are equal, else a sentence."""
    parts = []
    if left - right:
        parts.append(f"{left_name} has {', '.join(sorted(left - right))}, {right_name} has not")
    if right - left:
        parts.append(f"{right_name} has {', '.join(sorted(right - left))}, {left_name} has not")
    return "; ".join(parts) or None


def check_options(tally, under_test, command):
    page = page_of(f"machsym-{command}")
    if not os.path.exists(page):
        return
    options = under_test.options(command)
    described = pages.listed_flags(page)
    tally.check(f"options of machsym-{command}(1)",
                difference("--help", options - GENERAL, "the page", described - GENERAL))
    # Letters of one command may be joined: -hlv.
    unknown = {flag for flag in pages.flags(page) - options
               if any("-" + letter not in options for letter in flag[1:])}
    tally.check(f"flags in machsym-{command}(1)",
                f"no such option: {', '.join(sorted(unknown))}" if unknown else None)


def check_lint(tally):
    if not shutil.which("mandoc"):
        tally.skip("mandoc -Tlint", "mandoc is not installed")
        return
    for page in pages.all_pages():
        done = subprocess.run(["mandoc", "-Tlint", page], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        # It looks for machsym's other pages among those installed; check_references does better.
        faults = [line for line in done.stdout.splitlines()
                  if not re.search(r"referenced manual not found: Xr machsym", line)]
        tally.check(f"mandoc -Tlint {os.path.basename(page)}", "\n".join(faults) or None)


# ---- diagnostics ------------------------------------------------------------------------------

def string_literals():
    """All C strings of the programs in one text, those that are written in pieces joined."""
    text = ""
    for path in sorted(glob.glob(os.path.join(ROOT, "cli", "**", "*.c"), recursive=True) +
                       glob.glob(os.path.join(ROOT, "lib", "*", "*.c"))):
        with open(path, encoding="utf-8") as f:
            source = re.sub(r'" (PRI\w+) "', "%", f.read())
        text += re.sub(r'"\s+"', "", source) + "\n"
    return text


def check_diagnostics(tally):
    """Each message in DIAGNOSTICS: what lies between its words in capitals is in the sources."""
    sources = string_literals()
    for page in pages.all_pages():
        text = "\n".join(pages.lines_of(page))
        section = re.search(r"^\.Sh DIAGNOSTICS\n(.*?)^\.Sh ", text, re.M | re.S)
        for item in re.findall(r"^\.It (.*)", section.group(1) if section else "", re.M):
            message = pages.plain(item).replace("warning: ", "")
            parts = [part.strip(" :(),.") for part in re.split(r"\b[A-Z]+\b", message)]
            alien = [part for part in parts if len(part) > 3 and part not in sources]
            tally.check(f"diagnostic of {os.path.basename(page)}: {item}",
                        f"the sources don't have {alien[0]!r}" if alien else None)


# ---- machsym(5) -----------------------------------------------------------------------------

def keys_of(value):
    """All member names in a JSON value, at any depth."""
    if isinstance(value, dict):
        return set(value).union(*(keys_of(item) for item in value.values()))
    if isinstance(value, list):
        return set().union(*(keys_of(item) for item in value))
    return set()


def check_json(tally, under_test, commands):
    fields = pages.words_in(page_of("machsym", 5), "Va")
    for line in JSON_COMMANDS:
        words = line.split()
        if words[1] not in commands:
            continue
        _, text = under_test.run(words)
        try:
            keys = set()
            decoder, at = json.JSONDecoder(), 0
            while text[at:].strip():
                value, at = decoder.raw_decode(text, len(text) - len(text[at:].lstrip()))
                keys |= keys_of(value)
            unknown = keys - fields
            fault = ("prints nothing" if not keys else
                     f"machsym(5) doesn't describe {', '.join(sorted(unknown))}" if unknown else None)
        except ValueError as problem:
            fault = f"is no JSON: {problem}"
        tally.check(f"JSON of {line}", fault)


def names_in_use():
    """The values of `source` and `why` that some code sets, out of those that the table names."""
    with open(os.path.join(ROOT, "lib", "base", "types.c"), encoding="utf-8") as f:
        names = dict(re.findall(r"\[(MS_(?:SOURCE|WHY)_\w+)\] = \"([-a-z]+)\"", f.read()))
    used = set()
    for path in glob.glob(os.path.join(ROOT, "lib", "*", "*.c")) + glob.glob(
            os.path.join(ROOT, "cli", "**", "*.c"), recursive=True):
        if not path.endswith("base/types.c"):
            with open(path, encoding="utf-8") as f:
                used.update(re.findall(r"MS_(?:SOURCE|WHY)_\w+", f.read()))
    return {names[name] for name in used if name in names}


def check_names(tally):
    """The values of `source` and `why`: machsym(5) against the code that sets them."""
    names = names_in_use()
    tally.check("source and why in machsym(5)",
                difference("the code", names, "the page",
                           pages.words_in(page_of("machsym", 5), "Cm", items_only=True)) if names
                else "no names found in lib/base/types.c")


def check(tally, under_test):
    commands = under_test.commands()
    check_pages(tally, commands)
    check_references(tally)
    check_lint(tally)
    check_diagnostics(tally)
    for command in commands:
        check_options(tally, under_test, command)
    if os.path.exists(page_of("machsym", 5)):
        check_json(tally, under_test, commands)
        check_names(tally)
