"""The nm part of bench: `machsym nm` beside llvm-nm.

Symbols are the committed names of tests/names, repeated, each time with another name of their module,
as functions of one large image that is made here; and the largest images below $MACHSYM_BENCH_DIR.
Answers are compared before anything is timed, but for names that are read, where the two differ on
purpose. Without LLVM's tools it is skipped.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import names  # noqa: E402
import tools  # noqa: E402

FUNCTIONS, BYTES = 200_000, 200  # so many, of so many bytes each: 50 MB with their names
ROUNDS = 7
LARGEST = 2
JOBS = (([], True), (["-m"], True), (["-n"], True), (["-a", "-p"], True), (["-j", "-g", "-U"], True), (["-C"], False))
MAGIC = {bytes.fromhex(m) for m in ("feedface", "feedfacf", "cefaedfe", "cffaedfe")}


def assemble(path):
    """A dylib of FUNCTIONS functions at `path`. False without the tools."""
    clang, linker = tools.llvm_tool("clang"), tools.llvm_tool("ld64.lld")
    if not clang or not linker:
        return False
    if os.path.exists(path):
        return True
    swift = ["_" + n for n in names.repeated(names.rows("swift-compiled.tsv"), FUNCTIONS // 2, "3Vec")]
    cxx = ["_" + n for n in names.repeated(names.rows("cxx.tsv"), FUNCTIONS // 2, "3app")]
    unique = sorted({n for n in swift + cxx if '"' not in n and "\\" not in n})
    source, made = path + ".s", path + ".o"
    with open(source, "w", encoding="utf-8") as f:
        f.write(".section __TEXT,__text,regular,pure_instructions\n")
        for i in range(FUNCTIONS):
            name = unique[i * 7919 % len(unique)] + ("" if i < len(unique) else f".{i}")
            f.write(('.globl "%s"\n' % name if i % 3 == 0 else "") + f'"{name}":\n.space {BYTES}\n')
    target = ["-target", "arm64-apple-macos13"]
    subprocess.run([clang] + target + ["-c", source, "-o", made], check=True)
    subprocess.run([linker, "-arch", "arm64", "-platform_version", "macos", "13", "13", "-dylib", "-undefined",
                    "dynamic_lookup", "-o", path + ".part", made], check=True)
    os.remove(source)
    os.remove(made)
    os.replace(path + ".part", path)
    return True


def largest(folder):
    found = []
    for at, _, files in os.walk(folder or os.devnull):
        for name in files:
            path = os.path.join(at, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as f:
                    if f.read(4) in MAGIC:
                        found.append((os.path.getsize(path), path))
    return [path for _, path in sorted(found, reverse=True)[:LARGEST]]


def answer(program, words, path):
    return subprocess.run([program] + words + [path], capture_output=True, check=False).stdout


def agree(ours, theirs, words, path):
    """Equal but for the order of entries of one name and address."""
    a, b = answer(ours, words, path), answer(theirs, words, path)
    return a == b or sorted(a.split(b"\n")) == sorted(b.split(b"\n"))


def measure(bench, build, row):
    """`row`: bench's class of all runs of one program. Adds lines and gates to the bench."""
    ours, theirs = os.path.join(build, "machsym-nm"), tools.llvm_tool("llvm-nm")
    gate = "nm of a 50 MB image: times llvm-nm's CPU"
    made = os.path.join(bench.work, "nm.dylib")
    if not os.access(ours, os.X_OK) or not theirs or not assemble(made):
        bench.gate(gate, ">= 5 ×", None, "llvm-nm, clang or ld64.lld is not here")
        return
    bench.say()
    bench.say("| nm | options | program | CPU ms | wall ms | max RSS MB | to ours |")
    bench.say("|---|---|---|---|---|---|---|")
    for path in [made] + largest(os.environ.get("MACHSYM_BENCH_DIR")):
        what = f"{os.path.basename(path)}, {os.path.getsize(path) / 1e6:.0f} MB"
        for words, comparable in JOBS:
            if comparable and not agree(ours, theirs, words, path):
                print(f"nm: {path}: {' '.join(words) or 'no options'}: the answers differ", file=sys.stderr)
                bench.gate(f"nm: {what}: answers like llvm-nm's", ">= 1", 0, None)
                continue
            rows = {"machsym-nm": row("machsym-nm"), "llvm-nm": row("llvm-nm")}
            for i in range(ROUNDS + 1):
                for name, program in (("machsym-nm", ours), ("llvm-nm", theirs)):
                    run = bench.launcher.run([program] + words + [path])
                    if i:
                        rows[name].runs.append(run)
            table(bench, what, words, rows)
            if path == made and not words:
                bench.gate(gate, ">= 5 ×", rows["llvm-nm"].median("cpu") / rows["machsym-nm"].median("cpu"))
    if bench.launcher.out and os.path.exists(bench.launcher.out):
        os.remove(bench.launcher.out)


def table(bench, what, words, rows):
    ours = rows["machsym-nm"]
    for row in rows.values():
        ratio = "" if row is ours else (f"{row.median('cpu') / ours.median('cpu'):.1f}× CPU, "
                                        f"{row.median('wall') / ours.median('wall'):.1f}× wall")
        bench.say(f"| {what} | {' '.join(words)} | {row.name} | {row.median('cpu'):.1f} ±{row.noise('cpu'):.0f} % | "
                  f"{row.median('wall'):.1f} ±{row.noise('wall'):.0f} % | {row.median('rss'):.1f} | {ratio} |")
