"""The scan part of bench: the engine's passes beside plain loops over the same bytes (scan.c)."""
import os
import subprocess


def measure(bench, build, loads):
    program = os.path.join(build, "tests", "scan")
    gate = "DIE walk: part of a plain walk's speed"
    chosen = [w for w in loads if w.scale == 4] or [w for w in loads if w.scale][:1]
    chosen += [w for w in loads if not w.scale and w.name != "Go"][:1]
    if not os.access(program, os.X_OK) or not chosen:
        bench.gate(gate, ">= 0.7", None, f"{program} or a dSYM is not here")
        return
    bench.say()
    bench.say("| scan | section | MB | DIEs or rows | engine's pass MB/s | plain loop MB/s | engine's ÷ plain |")
    bench.say("|---|---|---|---|---|---|---|")
    for workload in chosen:
        bench.rest()
        done = subprocess.run([program, workload.dwarf, workload.arch, "9"], capture_output=True, text=True, check=False)
        if done.returncode:
            bench.gate(f"{workload.name}: {gate}", ">= 0.7", None, done.stderr.strip()[:100])
            continue
        found = {line.split()[0]: list(map(int, line.split()[1:])) for line in done.stdout.splitlines()}
        for kind, section, what in (("dies", ".debug_info", "DIE walk"), ("rows", ".debug_line", "line decoding")):
            size, n, ours = found[kind + ".engine"]
            theirs = found[kind + ".plain"][2]
            bench.say(f"| {workload.name} | {section} | {size / 1e6:.1f} | {n:,} | {size * 1e3 / ours:.0f} | "
                      f"{size * 1e3 / theirs:.0f} | {theirs / ours:.2f} |")
            bench.gate(f"{workload.name}, {what}: part of a plain loop's speed", ">= 0.7", theirs / ours)
