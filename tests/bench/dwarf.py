"""The dwarf part of bench: `machsym dwarf` beside llvm-dwarfdump, on a dSYM of some 50 MB (the
workload of scale 1, made when it isn't there) and on the largest below $MACHSYM_BENCH_DIR.

Trees and line tables are compared byte for byte before anything is timed. What machsym says of an
address is more than --lookup of llvm-dwarfdump says, and its statistics are other ones: these are
timed alone. Without LLVM's tools it is skipped.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import tools  # noqa: E402

ROUNDS = 3
# Options of ours and of theirs, and whether the answers are the same bytes.
JOBS = ((["--debug-info"], ["--debug-info"], True), (["--debug-line"], ["--debug-line"], True),
        (["--uuid"], ["--uuid"], True), (["--name", "int"], ["--name=int", "-c", "-p"], True),
        (["--lookup"], ["--lookup"], False), (["--statistics"], ["--statistics"], False))


def same(ours, theirs):
    """Compares what the two print, a block at a time: trees are ten times as large as their file."""
    with subprocess.Popen(ours, stdout=subprocess.PIPE) as a, \
            subprocess.Popen(theirs, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as b:
        while True:
            one, other = a.stdout.read(1 << 20), b.stdout.read(1 << 20)
            if one != other or not one:
                a.kill()
                b.kill()
                return one == other


def measure(bench, build, row, loads):
    """`row`: bench's class of all runs of one program; `loads`: its workloads."""
    ours, theirs = os.path.join(build, "machsym-dwarf"), tools.llvm_tool("llvm-dwarfdump")
    gate = "dwarf: times llvm-dwarfdump's CPU"
    chosen = [w for w in loads if w.scale == 1] + sorted((w for w in loads if not w.scale and w.name != "Go"),
                                                         key=lambda w: -w.size)[:1]
    if not os.access(ours, os.X_OK) or not theirs or not chosen:
        bench.gate(gate, ">= 1 ×", None, "llvm-dwarfdump or a dSYM is not here")
        return
    bench.say()
    bench.say("| dwarf | options | program | CPU ms | wall ms | max RSS MB | to ours |")
    bench.say("|---|---|---|---|---|---|---|")
    for workload in chosen:
        path, what = workload.dwarf, f"{workload.name}, {os.path.getsize(workload.dwarf) / 1e6:.0f} MB"
        address = hex(workload.ranges[0][0] + 64)
        for mine, other, comparable in JOBS:
            label = mine[0]
            mine = [ours, "-arch", workload.arch] + mine + ([address] if mine == ["--lookup"] else []) + [path]
            arch = [f"--arch={workload.arch}"] if label != "--uuid" else []
            other = [theirs] + arch + ([f"--lookup={address}"] if other == ["--lookup"] else other) + [path]
            if comparable and not same(mine, other):
                print(f"dwarf: {path}: {label}: the answers differ", file=sys.stderr)
                bench.gate(f"dwarf {label}: {what}: the same bytes as llvm-dwarfdump's", ">= 1", 0, None)
                continue
            rows = {"machsym-dwarf": row("machsym-dwarf"), "llvm-dwarfdump": row("llvm-dwarfdump")}
            for i in range(ROUNDS + 1):
                for name, words in (("machsym-dwarf", mine), ("llvm-dwarfdump", other)):
                    run = bench.launcher.run(words)
                    if i:
                        rows[name].runs.append(run)
            table(bench, what, label, rows)
            if comparable:
                bench.gate(f"dwarf {label}, {what}: times llvm-dwarfdump's CPU", ">= 1 ×",
                           rows["llvm-dwarfdump"].median("cpu") / rows["machsym-dwarf"].median("cpu"))
    if bench.launcher.out and os.path.exists(bench.launcher.out):
        os.remove(bench.launcher.out)


def table(bench, what, label, rows):
    ours = rows["machsym-dwarf"]
    for row in rows.values():
        ratio = "" if row is ours else (f"{row.median('cpu') / ours.median('cpu'):.1f}× CPU, "
                                        f"{row.median('wall') / ours.median('wall'):.1f}× wall")
        bench.say(f"| {what} | {label} | {row.name} | {row.median('cpu'):.1f} ±{row.noise('cpu'):.0f} % | "
                  f"{row.median('wall'):.1f} ±{row.noise('wall'):.0f} % | {row.median('rss'):.1f} | {ratio} |")
