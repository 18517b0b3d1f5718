"""The cold part of bench: files that are not in the page cache.

Before every run the launcher drops the file that the program reads (the dSYM, or the index) with
posix_fadvise, and counts what stayed with mincore; the programs themselves and their libraries stay
warm. Nothing else of the machine's cache is touched.
"""
import os
import sys

import programs

ROUNDS = 3
STAYS = 0.02  # part of a file that may stay in the cache


def measure(bench, build, row, loads):
    """`row`: bench's class of all runs of one program; `loads`: its workloads."""
    chosen = sorted((w for w in loads if w.scale), key=lambda w: -w.scale)[:1]
    chosen += [w for w in loads if not w.scale][:1]
    if not chosen or not sys.platform.startswith("linux"):
        bench.say()
        bench.say("Cold file cache: skipped: no dSYM, or no posix_fadvise and mincore.")
        return
    bench.say()
    bench.say("| cold file | addresses | program | wall ms | CPU ms | max RSS MB | stayed in the cache | to ours |")
    bench.say("|---|---|---|---|---|---|---|---|")
    for workload in chosen:
        crowd = [p for p in bench.programs(workload) if not isinstance(p, (programs.Bare, programs.ReadyBare))]
        for n in (1, 1000):
            bench.rest()
            rows = {p.name: row(p.name) for p in crowd}
            for i in range(ROUNDS):
                questions = workload.random(n, 100 + i)
                for p in crowd:
                    asked = bench.file_of(p, workload, questions, f"cold-{n}-{i}")
                    rows[p.name].runs.append(bench.launcher.run(p.words(workload), asked, ["-c", file_of(p, workload)]))
            for p in crowd:
                line(bench, workload, n, p, rows)


def file_of(program, workload):
    return program.index(workload) if hasattr(program, "index") else workload.dwarf


def line(bench, workload, n, program, rows):
    one, ours = rows[program.name], rows[bench.ours.name]
    ratio = "" if one is ours else f"{one.median('wall') / ours.median('wall'):.1f}× wall"
    pages = os.path.getsize(file_of(program, workload)) / os.sysconf("SC_PAGE_SIZE")
    part = one.median("left") / pages
    bench.say(f"| {workload.name} | {n:,} | {one.name} | {one.median('wall'):.1f} ±{one.noise('wall'):.0f} % | "
              f"{one.median('cpu'):.1f} | {one.median('rss'):.1f} | "
              f"{100 * part:.1f} %{' (not cold)' if part > STAYS else ''} | {ratio} |")
