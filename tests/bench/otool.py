"""The otool part of bench: `machsym otool` beside llvm-otool's program, llvm-objdump --macho.

The code is that of a C file made here, of many functions that differ in their constants, for arm64
and x86_64; and the largest images below $MACHSYM_BENCH_DIR. Answers are compared line by line
before anything is timed. Without LLVM's tools it is skipped.
"""
import os
import subprocess
import sys

import nm  # the largest images
import tools

FUNCTIONS, ROUNDS = 4000, 5
DISASSEMBLE = (["-tV"], ["-d", "--full-leading-addr", "--print-imm-hex", "--no-show-raw-insn"])
JOBS = (DISASSEMBLE, (["-l"], ["--private-headers", "--non-verbose"]),
        (["-t"], ["--section=__TEXT,__text", "--non-verbose"]), (["-Iv"], ["--indirect-symbols"]))
BODY = """
int f{i}(int *p, unsigned n, double *d)
{{
    unsigned sum = {a}u;
    for (unsigned k = 0; k < n % {b}; k++) {{
        if (p[k] > {c}) {{ sum += use("text {d}", p[k] ^ {a}); d[k] *= {b}.5; }}
        else sum = sum * {e} + table[(sum >> {f}) & 255];
    }}
    switch (sum & 7) {{ case 0: return use("zero", (int)sum); case 3: p[{g}] = (int)sum; break;
        case 5: return f{n}(p, sum, d); default: counter += sum; }}
    return (int)(sum / {e}u) + counter;
}}
"""


def assemble(folder, arch):
    """A dylib of such functions; None without the tools."""
    clang, linker = tools.llvm_tool("clang"), tools.llvm_tool("ld64.lld")
    path = os.path.join(folder, f"otool.{arch}.dylib")
    if not clang or not linker:
        return None
    if os.path.exists(path):
        return path
    source, made = path + ".c", path + ".o"
    with open(source, "w", encoding="utf-8") as f:
        f.write("int use(const char *text, int x);\nunsigned counter, table[256];\n")
        for i in range(FUNCTIONS):
            f.write(f"int f{i}(int *, unsigned, double *);\n")
        for i in range(FUNCTIONS):
            h = i * 2654435761 % (1 << 32)
            f.write(BODY.format(i=i, n=(i * 7 + 1) % FUNCTIONS, a=h, b=h % 97 + 3, c=h % 4096, d=h % 500,
                                e=h % 61 + 2, f=h % 13 + 1, g=h % 30))
    target = ["-target", f"{arch}-apple-macos13", "-O2"]
    subprocess.run([clang] + target + ["-c", source, "-o", made], check=True)
    subprocess.run([linker, "-arch", arch, "-platform_version", "macos", "13", "13", "-dylib", "-undefined",
                    "dynamic_lookup", "-o", path + ".part", made], check=True)
    os.remove(source)
    os.remove(made)
    os.replace(path + ".part", path)
    return path


def has_code(path):
    """False for a dSYM, which has the places of its sections and nothing in them."""
    with open(path, "rb") as f:
        head = f.read(16)
    return head[:4] == b"\xcf\xfa\xed\xfe" and head[12] != 10


def code_lines(program, words, path):
    out = subprocess.run([program] + words + [path], capture_output=True, check=False).stdout
    return [line for line in out.split(b"\n") if not line.endswith(b"section")]


def measure(bench, build, row):
    """`row`: bench's class of all runs of one program. Adds lines and gates to the bench."""
    ours, theirs = os.path.join(build, "machsym-otool"), tools.llvm_tool("llvm-objdump")
    gate = "otool -tV: times llvm-objdump's CPU"
    made = [assemble(bench.work, arch) for arch in ("arm64", "x86_64")] if theirs else [None]
    if not os.access(ours, os.X_OK) or None in made:
        bench.gate(gate, ">= 3 ×", None, "llvm-objdump, clang or ld64.lld is not here")
        return
    bench.say()
    bench.say("| otool | options | program | CPU ms | wall ms | max RSS MB | to ours |")
    bench.say("|---|---|---|---|---|---|---|")
    real = [path for path in nm.largest(os.environ.get("MACHSYM_BENCH_DIR")) if has_code(path)]
    for path in made + real:
        what = f"{os.path.basename(path)}, {os.path.getsize(path) / 1e6:.1f} MB"
        for mine, llvm in JOBS:
            if path in made and mine is DISASSEMBLE[0]:
                if code_lines(ours, mine, path) != code_lines(theirs, ["--macho"] + llvm, path):
                    print(f"otool: {path}: the answers differ", file=sys.stderr)
                    bench.gate(f"otool: {what}: answers like llvm-objdump's", ">= 1", 0, None)
                    continue
            rows = {"machsym-otool": row("machsym-otool"), "llvm-objdump": row("llvm-objdump")}
            for i in range(ROUNDS + 1):
                for name, words in (("machsym-otool", [ours] + mine),
                                    ("llvm-objdump", [theirs, "--macho"] + llvm)):
                    run = bench.launcher.run(words + [path])
                    if i:
                        rows[name].runs.append(run)
            table(bench, what, mine, rows)
            if path in made:
                limit = ">= 3 ×" if mine is DISASSEMBLE[0] else ">= 1 ×"
                bench.gate(f"otool {mine[0]}, {what}: times llvm-objdump's CPU", limit,
                           rows["llvm-objdump"].median("cpu") / rows["machsym-otool"].median("cpu"))
    if bench.launcher.out and os.path.exists(bench.launcher.out):
        os.remove(bench.launcher.out)


def table(bench, what, words, rows):
    ours = rows["machsym-otool"]
    for row in rows.values():
        ratio = "" if row is ours else (f"{row.median('cpu') / ours.median('cpu'):.1f}× CPU, "
                                        f"{row.median('wall') / ours.median('wall'):.1f}× wall")
        bench.say(f"| {what} | {' '.join(words)} | {row.name} | {row.median('cpu'):.1f} ±{row.noise('cpu'):.0f} % | "
                  f"{row.median('wall'):.1f} ±{row.noise('wall'):.0f} % | {row.median('rss'):.1f} | {ratio} |")
