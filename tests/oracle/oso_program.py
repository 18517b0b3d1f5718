"""A program for the debug map: units of C and C++, half of them in archives, with what makes
the way from an address to an object crooked. Built with clang, ld64.lld, llvm-ar, llvm-lipo and
dsymutil of LLVM; the same seed makes the same sources.

Static functions have the same name in every unit, templates and inline functions are there many
times and kept once, a third of the functions is dead code, some are folded into one, members of
different archives are called alike, one archive is a universal one, one unit is assembly.
"""
import os
import random
import struct
import subprocess

import tools

TOOLS = ["clang", "clang++", "ld64.lld", "llvm-ar", "llvm-lipo", "dsymutil"]

HEADER = """\
#ifndef COMMON_H
#define COMMON_H
#ifdef __cplusplus
extern "C" {
#endif
extern volatile int sink;
%s
static inline int mix(int a, int b) { return a * 31 + (b ^ sink); }
static inline int twice(int a) {
    int x = mix(a, 2);
    if (x > sink) x -= mix(x, 1);
    return x;
}
#ifdef __cplusplus
}
template <class T> struct Stack {
    T items[8]; int n = 0;
    void push(T t) { if (n < 8) items[n++] = t; sink += n; }
    __attribute__((noinline)) T pop() { return n > 0 ? items[--n] : T(sink); }
};
template <class T> __attribute__((noinline)) T largest(const T *p, int n) {
    T best = p[0];
    for (int i = 1; i < n; i++) if (p[i] > best) best = p[i];
    sink = sink + n;
    return best;
}
inline __attribute__((noinline)) int everywhere(int a) { sink = a; return twice(a) + 1; }
namespace { struct Local { int v; int get() const { return twice(v) + sink; } }; }
#endif
#endif
"""


def _c_unit(rng, i, n):
    lines = ['#include "common.h"', "static int cache[8];",
             "static __attribute__((noinline)) int helper(int a) {",
             f"    int t = mix(a, {rng.randrange(100)});"]
    for k in range(rng.randrange(1, 5)):
        lines += [f"    if (t > {k * 7} + sink) t += twice(t - {rng.randrange(9)});"]
    lines += ["    cache[t & 7] = t;", "    return t;", "}",
              "static __attribute__((noinline)) int same(int a) { return a + sink; }",
              f"int dead_{i}(int a) {{ return helper(a) + {i}; }}"]
    for k in range(rng.randrange(2, 6)):
        lines += [f"__attribute__((noinline)) int part_{i}_{k}(int a) {{",
                  f"    int s = {k};",
                  f"    for (int j = 0; j < a; j++) s += mix(helper(j), {rng.randrange(50)});",
                  "    switch (s & 3) {", "    case 0: return twice(s);", "    case 1: sink = s; break;",
                  "    case 2: return helper(s) + same(a);", "    }", "    return s;", "}"]
    lines += [f"int unit_{i}(int a) {{", f"    int s = part_{i}_0(a) + same(a);",
              f"    if (s & 1) s += part_{i}_1(s);",
              f"    return s + unit_{i + 1}(a - 1);" if i + 1 < n else "    return s;", "}"]
    return "\n".join(lines) + "\n"


def _cxx_unit(rng, i, n):
    kind = rng.choice(["int", "long", "short", "char"])
    lines = ['#include "common.h"',
             "static __attribute__((noinline)) int helper(int a) { return twice(a) - sink; }",
             "namespace { __attribute__((noinline)) int same(int a) { return a + sink; } }",
             f"namespace n{i % 4} {{ struct Shape{i} {{ virtual int area(int a); virtual ~Shape{i}(); int w; }};",
             f"int Shape{i}::area(int a) {{ Local l{{a}}; return l.get() * w + ::helper(a); }}",
             f"Shape{i}::~Shape{i}() {{ sink = w; }} }}",
             f"extern \"C\" int dead_{i}(int a) {{ return helper(a) + {i}; }}",
             "template <int N> static inline int unroll(int a) { return unroll<N - 1>(a) + mix(a, N); }",
             "template <> inline int unroll<0>(int a) { return a ^ sink; }"]
    for k in range(rng.randrange(1, 4)):
        lines += [f"__attribute__((noinline)) int part_{i}(Stack<{kind}> &s, int a, char (*)[{k + 1}]) {{",
                  f"    s.push(({kind})unroll<{rng.randrange(1, 6)}>(a));",
                  f"    auto f = [&](int x) {{ s.push(({kind})x); return twice(x); }};",
                  f"    return f(a) + (int)s.pop() + helper(a);", "}"]
    lines += [f"extern \"C\" int unit_{i}(int a) {{", f"    Stack<{kind}> s; n{i % 4}::Shape{i} shape; shape.w = a;",
              f"    {kind} many[3] = {{1, 2, ({kind})a}};",
              f"    int r = part_{i}(s, a, (char (*)[1])0) + (int)largest(many, 3) + everywhere(a) + shape.area(a) + same(a);",
              f"    return r + unit_{i + 1}(a - 1);" if i + 1 < n else "    return r;", "}"]
    return "\n".join(lines) + "\n"


ASSEMBLY = """\
    .section __TEXT,__text,regular,pure_instructions
    .globl _in_assembly
    .p2align 2
_in_assembly:
    nop
    nop
    ret
    .subsections_via_symbols
"""


def write_sources(folder, n, seed=1):
    """Returns the names of the units: [(name, extension)]."""
    rng = random.Random(seed)
    os.makedirs(folder, exist_ok=True)
    units = []
    for i in range(n):
        cxx = rng.random() < 0.5
        text = _cxx_unit(rng, i, n) if cxx else _c_unit(rng, i, n)
        name = f"u{i}"
        units.append((name, "cpp" if cxx else "c"))
        with open(os.path.join(folder, f"{name}.{units[-1][1]}"), "w", encoding="ascii") as f:
            f.write(text)
    with open(os.path.join(folder, "common.h"), "w", encoding="ascii") as f:
        f.write(HEADER % "\n".join(f"int unit_{i}(int);" for i in range(n)))
    with open(os.path.join(folder, "main.c"), "w", encoding="ascii") as f:
        f.write('#include "common.h"\nvolatile int sink;\nint in_assembly(void);\n'
                "int main(int n, char **v) {\n    (void)v;\n    return unit_0(n) + in_assembly();\n}\n")
    with open(os.path.join(folder, "asm.S"), "w", encoding="ascii") as f:
        f.write(ASSEMBLY)
    with open(os.path.join(folder, "stubs.c"), "w", encoding="ascii") as f:
        f.write("void _ZdlPv(void *p) { (void)p; }\nvoid _ZdlPvm(void *p, long n) { (void)p; (void)n; }\n"
                "void *_ZTVN10__cxxabiv117__class_type_infoE[3];\n")
    return units + [("main", "c"), ("asm", "S"), ("stubs", "c")]


def run(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise RuntimeError(" ".join(command) + "\n" + done.stderr)


def set_times(path, times):
    """lld leaves the objects' times out: writes them into the N_OSO entries of a thin 64-bit image.
    `times`: one for each, in their order."""
    with open(path, "r+b") as f:
        data = bytearray(f.read())
        at, table, count = 32, 0, 0
        for _ in range(struct.unpack_from("<I", data, 16)[0]):
            kind, size = struct.unpack_from("<II", data, at)
            if kind == 2:
                table, count = struct.unpack_from("<II", data, at + 8)
            at += size
        left = iter(times)
        for i in range(count):
            if data[table + 16 * i + 4] == 0x66:
                struct.pack_into("<Q", data, table + 16 * i + 8, next(left))
        f.seek(0)
        f.write(data)


def _compile(job):
    folder, arch, dwarf, out, name, extension, level, extra = job
    compiler = tools.llvm_tool("clang++" if extension == "cpp" else "clang")
    flags = ["-g", f"-gdwarf-{dwarf}"] if extension != "S" else ["-g"]
    if extension != "S":
        flags += extra
    if extension == "cpp":
        flags += ["-std=c++17", "-fno-exceptions"]
    run(compiler, "-target", f"{arch}-apple-macos13", f"-O{level}", *flags, "-I", folder, "-c",
        os.path.join(folder, f"{name}.{extension}"), "-o", out)


def build(folder, sources, units, arch, dwarf, flags, pool, extra=()):
    """Builds `folder`/prog without and `folder`/with/prog with a dSYM beside it. `flags` are the
    linker's, `extra` the compiler's."""
    extra, flags = list(extra), [flag.replace("@", folder) for flag in flags]
    rng = random.Random(arch + str(dwarf) + " ".join(flags))
    objects = os.path.join(folder, "obj")
    os.makedirs(objects, exist_ok=True)
    os.makedirs(os.path.join(folder, "with"), exist_ok=True)
    groups = {"": [], "liba": [], "libb": [], "libfat": []}
    jobs = []
    for n, (name, extension) in enumerate(units):
        group = "" if extension == "S" or name in ("main", "stubs") else ["", "", "liba", "libb", "libfat"][n % 5]
        # Members of both archives are called alike.
        file = f"m{len(groups[group])}.o" if group in ("liba", "libb") else f"{name}.o"
        out = os.path.join(objects, group or "plain", file)
        os.makedirs(os.path.dirname(out), exist_ok=True)
        groups[group].append(out)
        jobs.append((sources, arch, dwarf, out, name, extension, rng.choice(["0", "1", "2", "s"]), extra))
    list(pool.map(_compile, jobs))
    linked = list(groups[""])
    for group in ("liba", "libb", "libfat"):
        archive = os.path.join(objects, group + ".a")
        if not groups[group]:
            continue
        if os.path.exists(archive):
            os.remove(archive)
        run(tools.llvm_tool("llvm-ar"), "rcs", archive, *groups[group])
        if group == "libfat":
            other = os.path.join(objects, "other.o")
            _compile((sources, "x86_64" if arch == "arm64" else "arm64", dwarf, other, "main", "c", "1", []))
            run(tools.llvm_tool("llvm-ar"), "rcs", other + ".a", other)
            run(tools.llvm_tool("llvm-lipo"), "-create", archive, other + ".a", "-output", archive + ".fat")
            os.replace(archive + ".fat", archive)
        linked.append(archive)
    prog = os.path.join(folder, "prog")
    run(tools.llvm_tool("ld64.lld"), "-arch", arch, "-platform_version", "macos", "13.0", "13.0",
        "-undefined", "dynamic_lookup", *flags, "-o", prog, *linked)
    copy = os.path.join(folder, "with", "prog")
    with open(prog, "rb") as f, open(copy, "wb") as g:
        g.write(f.read())
    run(tools.llvm_tool("dsymutil"), copy, "-o", copy + ".dSYM")
    return prog, copy
