"""The cores part of bench: what a second core saves, `machsym atos` and `pack` with -j 1 and -j 2.

Wall time on a busy machine says nothing of it. So the launcher follows the threads, in runs that are
not timed, and sums up the longest way: the CPU of the first thread while it is alone, and that of
the slowest thread while there are several. All CPU divided by that is how many times faster two cores of
its own do the work than one of them alone would; the CPU of -j 1 divided by it leaves out what
threads cost. Wall times are beside it, and are judged where the machine is quiet.
"""
import os
import subprocess

import ready


def takes_jobs(words):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False)
    return done.returncode == 0


def measure(bench, build, row, loads):
    """`row`: bench's class of all runs of one program; `loads`: its workloads."""
    chosen = next((w for w in loads if w.scale == 4), None) or next((w for w in loads if w.scale), None)
    gate = "two cores: CPU ÷ longest way, atos"
    if not chosen:
        bench.gate(gate, ">= 1.7 ×", None, "no workload of make-workload's")
        return
    if not takes_jobs([bench.ours.path, "-j", "1", "-o", chosen.dwarf, "0"]):
        bench.gate(gate, ">= 1.7 ×", None, "machsym-atos has no -j")
        return
    if (os.cpu_count() or 1) < 2:
        bench.gate(gate, ">= 1.7 ×", None, "one core")
        return
    bench.say()
    bench.say("| cores | program | CPU ms | wall ms | least longest way ms | CPU of -j 1 ÷ it | its own CPU ÷ it | wall of -j 1 ÷ wall |")
    bench.say("|---|---|---|---|---|---|---|---|")
    asked = bench.file_of(bench.ours, chosen, chosen.random(10000), "cores")
    out = os.path.join(bench.work, "made.index")
    jobs = [(f"atos, {chosen.name}, 10,000 random", asked, ">= 1.7 ×",
             lambda n: bench.ours.words(chosen) + ["-j", str(n)]),
            (f"pack, {chosen.name}", os.devnull, None, lambda n: ready.pack_words(bench, chosen, out, n))]
    for what, stdin, limit, words in jobs:
        if words(1)[0].endswith("pack") and not os.access(words(1)[0], os.X_OK):
            continue
        one_job(bench, row, what, stdin, limit, words)
    if os.path.exists(out):
        os.remove(out)


def one_job(bench, row, what, stdin, limit, words):
    one, two, followed = row("-j 1"), row("-j 2"), row("-j 2, threads followed")
    quiet = bench.rest()
    for i in range(bench.options.rounds + 3):
        runs = [(one, bench.launcher.run(words(1), stdin)), (two, bench.launcher.run(words(2), stdin)),
                (followed, bench.launcher.run(words(2), stdin, ["-t"]))]
        for which, run in runs if i else []:
            which.runs.append(run)
    if any(run.longest is None for run in followed.runs):
        bench.gate(f"two cores: {what}: CPU ÷ longest way", limit or ">= 1 ×", None, "threads cannot be followed here")
        return
    # Others on the machine make the threads' shares uneven, never the work less: the least counts.
    longest = min(run.longest for run in followed.runs)
    ratios = (min(run.cpu for run in one.runs) / longest, max(run.cpu / run.longest for run in followed.runs),
              one.median("wall") / two.median("wall"))
    bench.say(f"| {what} | -j 1 | {one.median('cpu'):.1f} ±{one.noise('cpu'):.0f} % | {one.median('wall'):.1f} "
              f"±{one.noise('wall'):.0f} % | – | | | |")
    bench.say(f"| {what} | -j 2 | {two.median('cpu'):.1f} ±{two.noise('cpu'):.0f} % | {two.median('wall'):.1f} "
              f"±{two.noise('wall'):.0f} % | {longest:.1f} | {ratios[0]:.2f} | "
              f"{ratios[1]:.2f} | {ratios[2]:.2f} |")
    if not limit:
        return
    bench.gate(f"two cores: {what}: CPU ÷ (serial + slowest thread)", limit, ratios[1])
    bench.gate(f"two cores: {what}: wall of -j 1 ÷ wall of -j 2", limit, ratios[2] if quiet else None,
               f"the machine is busy; it was {ratios[2]:.2f}")
