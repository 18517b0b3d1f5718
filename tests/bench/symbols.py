"""The symbols part of bench: `machsym symbols` beside llvm-nm.

The image that nm.py makes, and the largest below $MACHSYM_BENCH_DIR, with symbols alone asked for:
-noSources. llvm-nm reads one of the sources that are merged, and prints less of a symbol.
Both leave names mangled, and both read them: llvm-nm -C doesn't know Swift's.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import nm  # noqa: E402
import tools  # noqa: E402

JOBS = ((["-noSources", "-noDemangling"], []), (["-noSources"], ["-C"]))
GATE = "symbols of a 50 MB image: times llvm-nm's CPU"


def measure(bench, build, row):
    """`row`: bench's class of all runs of one program. Adds lines and gates to the bench."""
    ours, theirs = os.path.join(build, "machsym-symbols"), tools.llvm_tool("llvm-nm")
    made = os.path.join(bench.work, "nm.dylib")
    if not os.access(ours, os.X_OK) or not theirs or not nm.assemble(made):
        bench.gate(GATE, ">= 5 ×", None, "llvm-nm, clang or ld64.lld is not here")
        return
    bench.say()
    bench.say("| symbols | options | program | CPU ms | wall ms | max RSS MB | to ours |")
    bench.say("|---|---|---|---|---|---|---|")
    for path in [made] + nm.largest(os.environ.get("MACHSYM_BENCH_DIR")):
        what = f"{os.path.basename(path)}, {os.path.getsize(path) / 1e6:.0f} MB"
        for words, peer_words in JOBS:
            rows = {"machsym-symbols": row("machsym-symbols"), "llvm-nm": row("llvm-nm")}
            for i in range(nm.ROUNDS + 1):
                for name, command in (("machsym-symbols", [ours] + words), ("llvm-nm", [theirs] + peer_words)):
                    run = bench.launcher.run(command + [path])
                    if i:
                        rows[name].runs.append(run)
            mine = rows["machsym-symbols"]
            for one in rows.values():
                ratio = "" if one is mine else f"{one.median('cpu') / mine.median('cpu'):.1f}× CPU"
                options = words if one is mine else peer_words
                bench.say(f"| {what} | {' '.join(options)} | {one.name} | {one.median('cpu'):.1f} "
                          f"±{one.noise('cpu'):.0f} % | {one.median('wall'):.1f} ±{one.noise('wall'):.0f} % | "
                          f"{one.median('rss'):.1f} | {ratio} |")
            if path == made and not peer_words:
                bench.gate(GATE, ">= 5 ×", rows["llvm-nm"].median("cpu") / mine.median("cpu"))
    if bench.launcher.out and os.path.exists(bench.launcher.out):
        os.remove(bench.launcher.out)
