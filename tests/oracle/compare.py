"""machsym-atos against llvm-symbolizer: whole inline chains, frame by frame.

A frame is compared by its linkage name (the plain name where DWARF has none), full path, line
and column, the outermost one also by where its function starts. Where the two differ, the DWARF decides, not LLVM: rules.py holds the differences that
were judged so, each with a proof that is looked up anew for every hit.
"""
import collections
import json
import random
import re
import subprocess

import evidence
import rules
import tools

Frame = collections.namedtuple("Frame", "name file line column inlined")


class Unusable(Exception):
    """A program could not be run, or did not answer every address."""


class Answer:
    """What one side says of one address: frames, innermost first, and where the outermost
    function starts (None: not said)."""

    def __init__(self, frames, start, source=None):
        self.frames, self.start, self.source = frames, start, source

    def __str__(self):
        if not self.frames:
            return "(nothing)"
        chain = " < ".join(f"{f.name or '?'} {f.file or '?'}:{f.line}:{f.column}" for f in self.frames)
        return chain + (f" at 0x{self.start:x}" if self.start is not None else "")


class Difference:
    """One address on which the two disagree, and the evidence for it."""

    def __init__(self, evidence, address, theirs, ours):
        self.evidence, self.address = evidence, address
        self.theirs, self.ours = theirs, ours


def _run(command, addresses):
    text = "".join(f"0x{x:x}\n" for x in addresses)
    done = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace",
                          check=False)
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    if done.returncode or len(lines) != len(addresses):
        last = done.stderr.strip().splitlines()[-1:] or [""]
        raise Unusable(f"{command[0]}: status {done.returncode}, {len(lines)} answers to "
                       f"{len(addresses)} addresses {last[0]}")
    return [json.loads(line) for line in lines]


def ask_llvm(path, arch, addresses):
    command = [tools.llvm_tool("llvm-symbolizer"), f"--obj={path}", "--output-style=JSON",
               "--no-demangle", "--no-debuginfod"]
    if arch:
        command.append(f"--default-arch={arch}")
    answers = []
    for record in _run(command, addresses):
        symbols = [s for s in record.get("Symbol", []) if s["FunctionName"] or s["FileName"]]
        frames = [Frame(s["FunctionName"], s["FileName"], s["Line"], s["Column"], i + 1 < len(symbols))
                  for i, s in enumerate(symbols)]
        start = symbols[-1]["StartAddress"] if symbols else ""
        answers.append(Answer(frames, int(start, 16) if start else None))
    return answers


def _ours(atos, path, arch):
    return list(atos) + ["-o", path, "--json", "--no-demangle"] + (["-arch", arch] if arch else [])


def ask_ours(atos, path, arch, addresses):
    answers = []
    for record in _run(_ours(atos, path, arch), addresses):
        frames, source, start = [], None, None
        for f in record.get("frames", []):
            source = f.get("source")
            if source == "function-start":  # where a function begins, without a name
                continue
            frames.append(Frame(f.get("mangled") or f.get("function") or "", f.get("file") or "",
                                f.get("line") or 0, f.get("column") or 0, bool(f.get("inlined"))))
            start = int(record["address"], 16) - f["offset"] if "offset" in f else None
        answers.append(Answer(frames, start, source))
    return answers


def one_by_one(atos, path, arch, addresses):
    """The first address that is answered otherwise when each waits for the answer before it than
    when all come at once, with both answers; or None. A program that symbolicates as it goes asks
    that way, and other code answers it."""
    addresses = list(addresses)
    random.Random(3).shuffle(addresses)
    command = _ours(atos, path, arch)
    text = "".join(f"0x{x:x}\n" for x in addresses)
    at_once = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace",
                             check=False).stdout.splitlines()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, errors="replace") as asked:
        for i, address in enumerate(addresses):
            asked.stdin.write(f"0x{address:x}\n")
            asked.stdin.flush()
            line = asked.stdout.readline().rstrip("\n")
            if i >= len(at_once) or line != at_once[i]:
                asked.kill()
                return address, at_once[i] if i < len(at_once) else "", line
    return None


def same(theirs, ours):
    """Whole chains: equal length, equal frames, inlined or not."""
    return list(theirs) == list(ours)


class Result:
    """What came of one file and architecture."""

    def __init__(self, path, arch):
        self.path, self.arch = path, arch
        self.addresses = self.frames = self.same = 0
        self.more = 0  # addresses that LLVM has no answer for and we name by other means
        self.rules = collections.Counter()  # rule name -> addresses that it explains
        self.unexplained = []

    def explained(self):
        return sum(self.rules.values())

    def percent(self):
        """Of the addresses that both can answer, those answered alike."""
        return 100.0 * self.same / max(1, self.addresses - self.more)


def compare(atos, path, piece, addresses, debug=None):
    """Asks both for all addresses of one slice. `debug`: the file with its DWARF, where that is
    another. Raises Unusable."""
    arch = piece.arch
    result = Result(path, arch)
    proof = evidence.Evidence(debug or path, piece)
    result.addresses = len(addresses)
    theirs, ours = ask_llvm(path, arch, addresses), ask_ours(atos, path, arch, addresses)
    for address, t, o in zip(addresses, theirs, ours):
        result.frames += len(t.frames)
        if not t.frames and o.source in rules.MORE:
            result.more += 1
            continue
        if same(t.frames, o.frames) and (t.start == o.start or t.start is None):
            result.same += 1
            continue
        difference = Difference(proof, address, t, o)
        names = rules.explain(difference, same)
        if names:
            result.rules[" + ".join(names)] += 1
        else:
            result.unexplained.append(difference)
    return result


# ---- which addresses --------------------------------------------------------------------------

def code_ranges(path, piece):
    """[low, high) of what can be asked: code sections, and what .debug_aranges has beyond them
    (an object's dSYM is linked to another place than its section headers say)."""
    ranges = [(low, low + size) for _, low, size in piece.code]
    out = subprocess.run([tools.llvm_tool("llvm-dwarfdump"), "--debug-aranges",
                          f"--arch={piece.arch}", path], capture_output=True, text=True,
                         errors="replace", check=False).stdout
    top = 1 << (64 if piece.arch in ("x86_64", "x86_64h", "arm64", "arm64e", "ppc64") else 32)
    for low, high in re.findall(r"\[(0x[0-9a-f]+), (0x[0-9a-f]+)\)", out):
        low, high = int(low, 16), int(high, 16)
        if low < high <= top and not any(a <= low < b for a, b in ranges):
            ranges.append((low, high))
    return sorted(ranges)


def every_address(ranges, step, at_most):
    """All of them when they are few, else so many at an even distance."""
    total = sum((high - low + step - 1) // step for low, high in ranges)
    stride = step * max(1, -(-total // at_most))
    return [x for low, high in ranges for x in range(low, high, stride)]


def random_addresses(ranges, step, n, seed):
    """n of them, each instruction as likely as any other; the same ones for the same seed."""
    pick = random.Random(seed)
    weights = [high - low for low, high in ranges]
    return [pick.randrange(low, high) // step * step
            for low, high in pick.choices(ranges, weights, k=n)]
