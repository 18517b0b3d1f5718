"""The reports part of bench: whole crash reports through `machsym crash`.

A real report: 30 threads, 900 frames of up to five images, whose dSYMs lie below $MACHSYM_BENCH_DIR.
Many reports: 50 and 500 of them in one run, beside as many runs, and beside one report with all their
frames; and 50 beside 50 runs of the others on the same frames, and beside one run of theirs on all. The others get bare addresses, and nothing to read or write around them.
"""
import os

import programs
import ready
import tools
import workloads

IMAGES, THREADS, DEPTH = 5, 30, 30
MANY, MORE, MANY_FRAMES, MANY_ROUNDS = 50, 500, 90, 2


def linked_low(workload):
    """Linked at 0, and with a UUID: what a report of loaded images is made up of here."""
    return workload.piece.uuid and workload.ranges[0][0] < 1 << 32


def deal(images, seed, n):
    """n addresses [(image, address)], of every image the same number, shuffled."""
    each = [workload.random(-(-n // len(images)), seed + i) for i, workload in enumerate(images)]
    return [(i % len(images), each[i % len(images)][i // len(images)]) for i in range(n)]


class Fleet:
    """One crash run of ours, or one run of a peer, on the frames of one report or of several."""

    def __init__(self, bench, images):
        self.bench, self.images = bench, images
        self.ready = [programs.Ready(bench.options.build, bench.work),
                      programs.Gsymutil(tools.llvm_tool("llvm-gsymutil") or "", bench.work)]

    def report(self, name, frames, depth=DEPTH):
        text = programs.crash_report([(w, os.path.basename(w.dwarf)) for w in self.images], frames, depth)
        return self.write(name, text)

    def write(self, name, text):
        path = os.path.join(self.bench.work, "ask", name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def crash(self, paths, index=False):
        words = [os.path.join(self.bench.options.build, "machsym-crash")]
        for workload in self.images:
            words += ["-d", self.ready[0].index(workload) if index else workload.dwarf]
        return words + paths

    def ways(self, frames, reports, tag):
        """{name: (words, standard input)} of all that can be run here; no 50 runs."""
        found = {"machsym-crash": (self.crash(reports), os.devnull)}
        if all(map(self.ready[0].ready, self.images)):
            found["machsym-crash (ready msym)"] = (self.crash(reports, True), os.devnull)
        if tools.llvm_tool("llvm-symbolizer"):
            asked = self.write(f"{tag}-symbolizer.txt",
                               "".join(f'"{self.images[i].dwarf}" 0x{a:x}\n' for i, a in frames))
            found["llvm-symbolizer"] = ([tools.llvm_tool("llvm-symbolizer"), "--default-arch=arm64"], asked)
        if self.ready[1].path and all(map(self.ready[1].ready, self.images)):
            asked = self.write(f"{tag}-gsym.txt",
                               "".join(f"0x{a:x} {self.ready[1].index(self.images[i])}\n" for i, a in frames))
            found["llvm-gsymutil (ready index)"] = ([self.ready[1].path, "--addresses-from-stdin"], asked)
        return found


def rounds_of(bench, row, ways, rounds):
    rows = {name: row(name) for name in ways}
    for i in range(rounds + 1):
        for name, (words, stdin) in ways.items():
            run = bench.launcher.run(words, stdin)
            if i:
                rows[name].runs.append(run)
    return rows


def table(bench, what, rows):
    ours = rows["machsym-crash"]
    for name, one in rows.items():
        ratio = "" if name.startswith("machsym") else (
            f"{one.median('cpu') / ours.median('cpu'):.1f}× CPU, {one.median('wall') / ours.median('wall'):.1f}× wall, "
            f"{one.median('rss') / ours.median('rss'):.1f}× RSS")
        bench.say(f"| {what} | {name} | {one.median('cpu'):.1f} ±{one.noise('cpu'):.0f} % | {one.median('wall'):.1f} "
                  f"±{one.noise('wall'):.0f} % | {one.median('rss'):.1f} | {ratio} |")


def gate(bench, what, rows, theirs="llvm-symbolizer"):
    value = rows["machsym-crash"].median("cpu") / rows[theirs].median("cpu") if theirs in rows else None
    bench.gate(f"{what}: part of llvm-symbolizer's CPU on the same frames", "<= 1/10", value, "no llvm-symbolizer")


def measure(bench, build, row, loads):
    """`row`: bench's class of all runs of one program; `loads`: its workloads."""
    if not os.access(os.path.join(build, "machsym-crash"), os.X_OK):
        return
    bench.say()
    bench.say("| reports | program | CPU ms | wall ms | max RSS MB | to ours |")
    bench.say("|---|---|---|---|---|---|")
    real = [w for w in workloads.bundles() if linked_low(w) and w.arch == "arm64"][:IMAGES]
    if real:
        one_report(bench, row, real)
    else:
        bench.gate("a real report of 900 frames: part of llvm-symbolizer's CPU on the same frames", "<= 1/10", None,
                   "needs $MACHSYM_BENCH_DIR")
    made = sorted((w for w in loads if w.scale), key=lambda w: w.scale)[:1]
    if made:
        many_reports(bench, row, made)


def one_report(bench, row, real):
    for workload in real:
        if not programs.Ready(bench.options.build, bench.work).ready(workload):
            ready.prepare(bench, workload)
    fleet, frames = Fleet(bench, real), deal(real, 11, THREADS * DEPTH)
    bench.rest()
    report = fleet.report("report.crash", frames)
    rows = rounds_of(bench, row, fleet.ways(frames, [report], "report"), bench.options.rounds)
    what = f"{THREADS} threads, {THREADS * DEPTH} frames, {len(real)} real images"
    table(bench, what, rows)
    gate(bench, what, rows)
    bench.gate(f"{what}: CPU, ms", "<= 100", rows["machsym-crash"].median("cpu"))


LOOP = 'program=$1 arch=$2; shift 2; for one; do "$program" "$arch" <"$one" || exit; done'
OUR_LOOP = 'program=$1 dsym=$2; shift 2; for one; do "$program" -d "$dsym" "$one" || exit; done'


def many_reports(bench, row, made):
    fleet = Fleet(bench, made)
    for n in (MANY, MORE):
        frames = [deal(made, 1000 + i, MANY_FRAMES) for i in range(n)]
        reports = [fleet.report(f"many-{i}.crash", f, MANY_FRAMES // 10) for i, f in enumerate(frames)]
        whole = fleet.report("many-whole.crash", sum(frames, []), MANY_FRAMES // 10)
        ways = fleet.ways(sum(frames, []), reports, "many") if n == MANY else \
            {"machsym-crash": (fleet.crash(reports), os.devnull)}
        ways["machsym-crash, all frames in one report"] = (fleet.crash([whole]), os.devnull)
        ours = fleet.crash([])
        ways[f"machsym-crash, {n} runs"] = (["/bin/sh", "-c", OUR_LOOP, "sh", ours[0], ours[2]] + reports, os.devnull)
        if "llvm-symbolizer" in ways:
            asked = [fleet.ways(f, [], f"many-{i}")["llvm-symbolizer"][1] for i, f in enumerate(frames)]
            words = ways["llvm-symbolizer"][0]
            ways[f"{n} runs of llvm-symbolizer"] = (["/bin/sh", "-c", LOOP, "sh"] + words + asked, os.devnull)
        bench.rest()
        rows = rounds_of(bench, row, ways, MANY_ROUNDS)
        what = f"{n} reports of {MANY_FRAMES} frames, {made[0].name}"
        table(bench, what, rows)
        if n == MANY:
            gate(bench, what + " in one run, against as many runs", rows, f"{n} runs of llvm-symbolizer")
        cpu = {name: one.median("cpu") for name, one in rows.items()}
        bench.gate(f"{what}: CPU of one run, to that of as many runs", "<= 1/5" if n == MANY else "<= 1/15",
                   cpu["machsym-crash"] / cpu[f"machsym-crash, {n} runs"])
        bench.gate(f"{what}: CPU of one run, times that of one report with all frames", "<= 3" if n == MANY else "<= 2",
                   cpu["machsym-crash"] / cpu["machsym-crash, all frames in one report"])
        for path in reports + [whole]:
            os.remove(path)
