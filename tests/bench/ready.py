"""The pack part of bench: ready indexes, `machsym pack` beside `llvm-gsymutil --convert`.

Making is timed with one thread and with two. Before anything is looked up in an index of ours, its
answers to 100,000 addresses are compared with the dSYM's: every field of them must be equal. The
look-ups themselves are rows of the table of look-ups, taken in turn with all other programs.
"""
import os
import re
import subprocess

import programs
import tools

ADDRESSES, ROUNDS, SLOW = 100_000, 3, 8.0
IMAGE = re.compile(rb'"image":"(?:[^"\\]|\\.)*",')


def pack_words(bench, workload, out, threads=2, form="msym"):
    words = [os.path.join(bench.options.build, "machsym-pack"), "-arch", workload.arch, "-j", str(threads)]
    return words + (["--format", form] if form != "msym" else []) + ["-o", out, workload.dwarf]


def convert_words(workload, out, threads=2):
    return [tools.llvm_tool("llvm-gsymutil"), f"--convert={workload.dwarf}", f"--arch={workload.arch}",
            f"--num-threads={threads}", f"--out-file={out}", "--quiet"]


def make(words, out, made):
    """Whether it was made; what it says when not."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if os.path.exists(out):
        with open(out, "rb") as f:
            if ("gsym" in made) != (f.read(4) in (b"MYSG", b"GSYM")):
                return 1, "not the form that was asked for"
    if done.returncode or not os.path.exists(out):
        return done.returncode, (done.stderr.strip().splitlines() or ["no output"])[0][:120]
    os.replace(out, made)
    return 0, ""


def prepare(bench, workload):
    """Makes the indexes of a workload: ours anew, LLVM's when it is not there."""
    ours = [("msym", programs.Ready), ("gsym", programs.ReadyGsym)]
    for form, kind in ours:
        made = kind(bench.options.build, bench.work).index(workload)
        if os.path.exists(made):
            os.remove(made)
        part = made + ".part"
        status, why = make(pack_words(bench, workload, part, form=form), part, made)
        if status:
            bench.say(f"- skipped: machsym pack --format {form} of {workload.name}: {why}")
    if tools.llvm_tool("llvm-gsymutil"):
        made = programs.Gsymutil("", bench.work).index(workload)
        if not os.path.exists(made):
            status, why = make(convert_words(workload, made + ".part"), made + ".part", made)
            if status:
                bench.say(f"- skipped: llvm-gsymutil --convert of {workload.name}: {why}")


def compare(bench, workload):
    """Answers out of the .msym against those out of the dSYM."""
    index = programs.Ready(bench.options.build, bench.work)
    what = f"{workload.name}: answers out of the .msym that are the dSYM's, of {ADDRESSES:,}"
    if not index.ready(workload):
        bench.gate(what, ">= 100 %", None, "no .msym")
        return
    asked = os.path.join(bench.work, "ask", "equal.txt")
    with open(asked, "w", encoding="ascii") as f:
        f.writelines(f"0x{x:x}\n" for x in workload.random(ADDRESSES, 7))
    running = []
    for path in (workload.dwarf, index.index(workload)):
        with open(asked, "rb") as f:
            running.append(subprocess.Popen([index.path, "-o", path, "-arch", workload.arch, "--json"],
                                            stdin=f, stdout=subprocess.PIPE))
    same = total = 0
    for one, other in zip(running[0].stdout, running[1].stdout):
        total += 1
        same += IMAGE.sub(b"", one) == IMAGE.sub(b"", other)
    for process in running:
        process.stdout.close()
        process.wait()
    bench.say(f"- {workload.name}: {same:,} of {total:,} answers out of the .msym are the dSYM's")
    bench.gate(what, ">= 100 %", 100.0 * same / max(total, ADDRESSES))


def measure(bench, build, row, loads):
    """`row`: bench's class of all runs of one program; `loads`: its workloads."""
    chosen = [w for w in loads if w.scale] + [w for w in loads if not w.scale][:1]
    if not chosen or not os.access(os.path.join(build, "machsym-pack"), os.X_OK):
        bench.gate("pack: times llvm-gsymutil --convert's speed", ">= 5 ×", None, "no machsym-pack or no dSYM")
        return
    bench.say()
    bench.say("| making an index | program | CPU ms | wall ms | max RSS MB | size MB | of the dSYM's | to ours |")
    bench.say("|---|---|---|---|---|---|---|---|")
    for workload in chosen:
        bench.rest()
        timed(bench, row, workload)


def timed(bench, row, workload):
    out = os.path.join(bench.work, "made.index")
    ways = {}
    for threads in (1, 2):
        ways[f"machsym-pack -j {threads}"] = pack_words(bench, workload, out, threads)
        if programs.ReadyGsym(bench.options.build, bench.work).ready(workload):
            ways[f"machsym-pack --format gsym -j {threads}"] = pack_words(bench, workload, out, threads, "gsym")
        if os.path.exists(programs.Gsymutil("", bench.work).index(workload)):
            ways[f"llvm-gsymutil --convert --num-threads={threads}"] = convert_words(workload, out, threads)
    rows, sizes = {name: row(name) for name in ways}, {}
    todo, done = ROUNDS + 1, 0
    while done < todo:
        for name, words in ways.items():
            if os.path.exists(out):
                os.remove(out)
            run = bench.launcher.run(words)
            sizes[name] = os.path.getsize(out) / 1e6
            todo = min(todo, 3) if run.wall > SLOW * 1000 else todo
            if done:
                rows[name].runs.append(run)
        done += 1
    os.remove(out)
    table(bench, workload, rows, sizes)
    gates(bench, workload, rows, sizes)


def table(bench, workload, rows, sizes):
    for name, one in rows.items():
        mine, ratio = rows[f"machsym-pack -j {name[-1]}"], ""
        if not name.startswith("machsym"):
            ratio = (f"{one.median('cpu') / mine.median('cpu'):.1f}× CPU, "
                     f"{one.median('wall') / mine.median('wall'):.1f}× wall")
        bench.say(f"| {workload.name}, {workload.size / 1e6:.0f} MB | {name} | {one.median('cpu'):.1f} "
                  f"±{one.noise('cpu'):.0f} % | {one.median('wall'):.1f} ±{one.noise('wall'):.0f} % | "
                  f"{one.median('rss'):.1f} | {sizes[name]:.1f} | 1/{workload.size / 1e6 / sizes[name]:.1f} | {ratio} |")


def gates(bench, workload, rows, sizes):
    if workload.scale != 4:
        return
    theirs, ours = rows.get("llvm-gsymutil --convert --num-threads=2"), rows["machsym-pack -j 2"]
    of = "x4, pack on two cores: times llvm-gsymutil --convert's"
    for field, what in (("wall", "speed (wall time)"), ("cpu", "CPU")):
        bench.gate(f"{of} {what}", ">= 5 ×", theirs and theirs.median(field) / ours.median(field), "no llvm-gsymutil")
    bench.gate("x4, .msym: times smaller than the dSYM", ">= 4 ×",
               workload.size / 1e6 / sizes["machsym-pack -j 2"])
