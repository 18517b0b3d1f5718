"""The names part of bench: `machsym demangle` as a filter beside the other demanglers.

Names are the committed ones of tests/names, shuffled and repeated, each time with another name of
their module, so that no line comes twice; $MACHSYM_BENCH_NAMES names a file of real ones besides.
Every program reads the same file. Logs are made here: one with a few names, one with a name on
every line. How many lines the programs print alike is said with the rows.
"""
import os
import random
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import tools  # noqa: E402

NAMES = os.path.join(tools.ROOT, "tests", "names")
SWIFT_LINES, CXX_LINES = 200_000, 200_000
LOG, DENSE_LOG = 100_000_000, 20_000_000  # bytes
ROUNDS = 7
APPS = ("Weather", "Notes", "kernel", "backboardd", "Camera")
WORDS = ("assertion", "connection", "session", "[error]", "update", "(in", "app)", "0x1049f4a2c", "+", "148",
         "took", "ms", "request", "for", "state:", "$HOME", "_id", "user=nobody", "retry", "done", "$stream")


def rows(file, column=0):
    with open(os.path.join(NAMES, file), encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t")[column] for line in f if not line.startswith("# ")]


def repeated(names, n, module):
    """n names: all of them again and again, in an order and with a module of its own each time."""
    dice, out, letters = random.Random(module), [], "abcdefghijklmnopqrstuvwxyz"
    while len(out) < n:
        a, b = divmod(len(out) // len(names), len(letters))
        own = module[:2] + letters[a % len(letters)] + letters[b]
        out += [name.replace(module, own) for name in dice.sample(names, len(names))]
    return out[:n]


def write(path, size, lines):
    """A file of `size` bytes at least, of lines of a generator. Returns its size."""
    if os.path.exists(path):
        return os.path.getsize(path)
    with open(path + ".part", "w", encoding="utf-8") as f:
        written = 0
        for line in lines:
            written += f.write(line)
            if size and written >= size:
                break
    os.replace(path + ".part", path)
    return os.path.getsize(path)


def log_lines(every, names, seed):
    """Lines of a system log; one in `every` says a name. A block of them is repeated: the text of a
    log is repetitive, and making 100 MB anew takes longer than measuring."""
    dice, block = random.Random(seed), []
    for i in range(20_000):
        words = " ".join(dice.choice(WORDS) for _ in range(dice.randrange(4, 16)))
        if i % every == 0:
            words += f" 3   {dice.choice(APPS)}   0x000000010{dice.randrange(1 << 28):07x} {dice.choice(names)} + 40"
        block.append(f"2026-03-01 10:{dice.randrange(60):02}:{dice.randrange(60):02}.{dice.randrange(1000):03} "
                     f"{dice.choice(APPS)}[{dice.randrange(9999)}:{dice.randrange(1 << 20):x}] {words}\n")
    while True:
        yield from block


class Program:
    def __init__(self, name, words):
        self.name, self.words = name, words


def measured(bench, programs, path, row):
    """{name: Row}, each program once a round, in turn; the first round is dropped."""
    found = {p.name: row(p.name) for p in programs}
    for i in range(ROUNDS + 1):
        for program in programs:
            run = bench.launcher.run(program.words, path)
            if i:
                found[program.name].runs.append(run)
    return found


def answer(bench, program, path):
    bench.launcher.run(program.words, path)
    with open(bench.launcher.out, encoding="utf-8", errors="replace") as f:
        return f.read().split("\n")


def table(bench, what, size, unit, found):
    """One line a program; the speed is by the time that passed."""
    ours = next(iter(found.values()))
    for row in found.values():
        speed = size / row.median("wall") * 1000
        ratio = "" if row is ours else (f"{row.median('cpu') / ours.median('cpu'):.1f}× CPU, "
                                        f"{row.median('wall') / ours.median('wall'):.1f}× wall")
        bench.say(f"| {what} | {row.name} | {row.median('cpu'):.1f} ±{row.noise('cpu'):.0f} % | "
                  f"{row.median('wall'):.1f} ±{row.noise('wall'):.0f} % | {speed:,.0f} {unit} | "
                  f"{row.median('rss'):.1f} | {ratio} |")


def side_by_side(bench, what, ours, peers, path, n, row):
    """Measures, and says how many answers are the same as each peer's."""
    mine = answer(bench, ours, path)
    for peer in peers:
        theirs = answer(bench, peer, path)
        same = sum(a == b for a, b in zip(mine, theirs))
        bench.notes.append(f"- {what}: {same:,} of {n:,} lines as {peer.name} prints them")
    found = measured(bench, [ours] + peers, path, row)
    table(bench, what, n, "names/s", found)
    return found


def measure(bench, build, row):
    """`row`: bench's class of all runs of one program. Adds lines and gates to the bench."""
    path = os.path.join(build, "machsym-demangle")
    bench.notes = []
    if not os.access(path, os.X_OK):
        print("skipped: names: no machsym-demangle in the build folder")
        return
    bench.say()
    bench.say("| names | program | CPU ms | wall ms | speed | max RSS MB | to ours |")
    bench.say("|---|---|---|---|---|---|---|")
    work = os.path.join(bench.work, "names")
    os.makedirs(work, exist_ok=True)
    swift, cxx = rows("swift-compiled.tsv"), rows("cxx.tsv")

    file = os.path.join(work, "swift.txt")
    write(file, 0, (name + "\n" for name in repeated(swift, SWIFT_LINES, "3Vec")))
    demangle = os.environ.get("SWIFT_DEMANGLE")
    sets = [("Swift", file, SWIFT_LINES)]
    real = os.environ.get("MACHSYM_BENCH_NAMES")
    if real:
        with open(real, encoding="utf-8") as f:
            sets.append(("real Swift names", real, sum(1 for _ in f)))
    for label, file, n in sets:
        for style, mine, theirs in (("full", [], ["-compact"]),
                                    ("simplified", ["--simplified"], ["-compact", "-simplified"])):
            peers = [Program("swift-demangle", [demangle] + theirs)] if demangle else []
            found = side_by_side(bench, f"{label}, {style}", Program("machsym-demangle", [path] + mine),
                                 peers, file, n, row)
            what = f"{label} a second, {style}: times swift-demangle's"
            if peers:
                # machsym-demangle reads large inputs with all processors: the time that passes is
                # what a second of it is worth, on a machine that has nothing else to do.
                bench.gate(what, ">= 5 ×", found["swift-demangle"].median("wall") /
                           found["machsym-demangle"].median("wall"))
            else:
                bench.gate(what, ">= 5 ×", None, "SWIFT_DEMANGLE names no swift-demangle")

    file = os.path.join(work, "cxx.txt")
    write(file, 0, ("_" + name + "\n" for name in repeated(cxx, CXX_LINES, "3app")))
    peers = []
    filt, gnu = tools.llvm_tool("llvm-cxxfilt"), shutil.which("c++filt")
    if filt:
        peers.append(Program("llvm-cxxfilt", [filt, "--strip-underscore"]))
    if gnu:
        peers.append(Program("c++filt", [gnu, "--strip-underscore"]))
    for name, found in (("llvm-cxxfilt", filt), ("c++filt", gnu), ("swift-demangle", demangle)):
        if not found:
            bench.notes.append(f"- skipped: {name}: not found")
    side_by_side(bench, "C++", Program("machsym-demangle", [path]), peers, file, CXX_LINES, row)
    logs(bench, work, path, swift, demangle, row)
    for note in bench.notes:
        bench.say(note)


def logs(bench, work, path, swift, demangle, row):
    names = ["_" + name for name in swift if not re.search(r"[^$\w]", name)]
    for what, every, size in (("log, a name on every 200th line", 200, LOG),
                              ("log, a name on every line", 1, DENSE_LOG)):
        file = os.path.join(work, f"log-{every}.txt")
        bytes_ = write(file, size, log_lines(every, names, every))
        programs = [Program("machsym-demangle", [path])]
        if demangle:
            programs.append(Program("swift-demangle", [demangle, "-compact"]))
        found = measured(bench, programs, file, row)
        table(bench, what, bytes_ / 1e6, "MB/s", found)
        if every != 1:
            bench.gate("100 MB of log with few names: MB a second", ">= 100 MB/s",
                       bytes_ / 1e3 / found["machsym-demangle"].median("wall"))
        os.remove(bench.launcher.out)
