"""The programs that bench runs, and what runs them: one launch of launch.c for each run.

Every program gets its questions in its own form on standard input, and answers on standard output.
"""
import collections
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "oracle")]
import tools  # noqa: E402

# ms, ms, MB, pages, MB, ms, pages
Run = collections.namedtuple("Run", "wall cpu rss faults anonymous longest left")


def die(message):
    sys.exit("bench: " + message)


class Launcher:
    def __init__(self, work):
        self.path = self._compile(os.path.join(HERE, "launch.c"), os.path.join(work, "launch"))
        source = os.path.join(work, "empty.c")
        with open(source, "w", encoding="ascii") as f:
            f.write("int main(void)\n{\n    return 0;\n}\n")
        self.empty = self._compile(source, os.path.join(work, "empty"))
        self.out = os.path.join(work, "answers")

    @staticmethod
    def _compile(source, program):
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", program, source], check=True)
        return program

    def run(self, words, stdin=os.devnull, options=()):
        """options of launch.c: "-m" and "-t" are for runs that are not timed."""
        done = subprocess.run([self.path, *options, stdin, self.out] + words, capture_output=True,
                              text=True, check=False)
        fields = done.stdout.split()
        if len(fields) != 9 or int(fields[0]) != 0:
            die(f"{' '.join(words)}: status {fields[0] if fields else '?'}: {done.stderr.strip()}")
        wall, user, system, rss, faults, anonymous, longest, left = map(int, fields[1:])
        return Run(wall / 1e6, (user + system) / 1e3, rss / 1024, faults,
                   anonymous / 1024 if anonymous >= 0 else None,
                   longest / 1e3 if longest >= 0 else None, left)

    def close(self):
        if os.path.exists(self.out):
            os.remove(self.out)


class Machsym:
    """Inlined frames, demangled names and full paths: what llvm-symbolizer answers, too."""
    name = "machsym-atos"

    def __init__(self, build):
        self.path = os.path.join(build, "machsym-atos")
        if not os.access(self.path, os.X_OK):
            die(f"{self.path} is not there: make it first")

    def version(self):
        return subprocess.run([self.path, "--version"], capture_output=True, text=True,
                              check=True).stdout.strip()

    def ready(self, workload):
        return True

    def words(self, workload):
        return [self.path, "-o", workload.dwarf, "-arch", workload.arch, "-i", "-fullPath"]

    def questions(self, workload, addresses):
        return "".join(f"0x{x:x}\n" for x in addresses)


class Bare(Machsym):
    """Names left mangled, as gimli's driver leaves them: what that one is compared with."""
    name = "machsym-atos --no-demangle"

    def words(self, workload):
        return super().words(workload) + ["--no-demangle"]


def crash_report(images, frames, depth):
    """The text of a report. images: [(workload, name)], each linked at 0 or near it; frames:
    [(index of image, address)], `depth` in each thread."""
    slides = [0x104d4c000 + 0x40000000 * i for i in range(len(images))]
    lines = ["Incident Identifier: 0F1E2D3C-4B5A-3697-8877-665544332211", "Process:  bench [1]",
             "Path:  /Applications/bench.app/bench", "Identifier:  bench", "Version:  1.0 (1)",
             "Code Type:  ARM-64 (Native)", "OS Version:  macOS 14.4.1 (23E224)",
             "Report Version:  104", "", "Exception Type:  EXC_BREAKPOINT (SIGTRAP)",
             "Triggered by Thread:  0", ""]
    for thread in range(-(-len(frames) // depth)):
        lines.append(f"Thread {thread}{' Crashed' if thread == 0 else ''}:")
        for i, (image, address) in enumerate(frames[thread * depth:(thread + 1) * depth]):
            lines.append(f"{i:<4}{images[image][1]:<30}\t{hex(slides[image] + address):>18} "
                         f"{hex(slides[image])} + {address}")
        lines.append("")
    lines.append("Binary Images:")
    for slide, (workload, name) in zip(slides, images):
        end = slide + max(high for _, high in workload.ranges) - 1
        lines.append(f"{hex(slide):>18} - {hex(end):>18} {name} {workload.arch}  "
                     f"<{workload.piece.uuid}> /Applications/bench.app/{name}")
    return "\n".join(lines + ["", "EOF", ""])


class Crash(Machsym):
    """A whole report on standard input: THREADS threads of one image, as much as a busy app has.
    The others get the bare addresses, and nothing to read or to write around them."""
    name = "machsym-crash"
    THREADS = 30

    def __init__(self, build):
        super().__init__(build)
        self.path = os.path.join(build, "machsym-crash")

    def words(self, workload):
        return [self.path, "-d", workload.dwarf, "-"]

    def questions(self, workload, addresses):
        return crash_report([(workload, os.path.basename(workload.dwarf))],
                            [(0, x) for x in addresses], -(-len(addresses) // self.THREADS))


class Ready(Machsym):
    """The same questions to a ready index, which `machsym pack` made: see ready.py."""
    form, ending = "msym", "msym"

    def __init__(self, build, work):
        super().__init__(build)
        self.work = work
        self.name = f"machsym-atos (ready {self.form})"

    def index(self, workload):
        return os.path.join(self.work, f"{workload.file_name}.{self.ending}")

    def ready(self, workload):
        return os.path.exists(self.index(workload))

    def words(self, workload):
        return [self.path, "-o", self.index(workload), "-arch", workload.arch, "-i", "-fullPath"]


class ReadyBare(Ready):
    """Names left mangled, as llvm-gsymutil leaves them."""

    def __init__(self, build, work):
        super().__init__(build, work)
        self.name += " --no-demangle"

    def words(self, workload):
        return super().words(workload) + ["--no-demangle"]


class ReadyGsym(Ready):
    form, ending = "GSYM", "ours.gsym"


class Symbolizer(Machsym):
    name = "llvm-symbolizer"

    def __init__(self, path):
        self.path = path

    def version(self):
        out = subprocess.run([self.path, "--version"], capture_output=True, text=True, check=True)
        return next((line.strip() for line in out.stdout.splitlines() if "version" in line), "?")

    def words(self, workload):
        return [self.path, f"--obj={workload.dwarf}", f"--default-arch={workload.arch}"]


class Gsymutil(Symbolizer):
    """Looks up in an index that is ready: ready.py makes it."""
    name = "llvm-gsymutil (ready index)"

    def __init__(self, path, work):
        super().__init__(path)
        self.work = work

    def index(self, workload):
        return os.path.join(self.work, f"{workload.file_name}.llvm.gsym")

    def ready(self, workload):
        return os.path.exists(self.index(workload))

    def words(self, workload):
        return [self.path, "--addresses-from-stdin"]

    def questions(self, workload, addresses):
        return "".join(f"0x{x:x} {self.index(workload)}\n" for x in addresses)


class Gimli(Symbolizer):
    """gimli's library addr2line, through gimli/main.rs: Debian's sources of it, and cargo without
    any registry. $GIMLI_ADDR2LINE names its command-line program instead, of any version."""
    name = "gimli addr2line"
    CRATES = "/usr/share/cargo/registry"

    def __init__(self, path, described, options):
        super().__init__(path)
        self.described, self.options = described, options

    @classmethod
    def find(cls, work):
        """The program, or None."""
        given = os.environ.get("GIMLI_ADDR2LINE")
        if given:
            return cls(given, "addr2line " + given, ["-f", "-i", "-C", "-e"]) \
                if os.access(given, os.X_OK) else None
        crates = [n for n in os.listdir(cls.CRATES) if n.startswith("addr2line-0.19")] \
            if os.path.isdir(cls.CRATES) else []
        if not crates or not shutil.which("cargo"):
            return None
        folder = os.path.join(work, "gimli")
        shutil.copytree(os.path.join(HERE, "gimli"), folder, dirs_exist_ok=True)
        done = subprocess.run(
            ["cargo", "build", "--quiet", "--release", "--offline",
             "--config", 'source.crates-io.replace-with="debian"',
             "--config", f'source.debian.directory="{cls.CRATES}"',
             "--target-dir", os.path.join(folder, "target")], cwd=folder, capture_output=True,
            text=True, check=False)
        if done.returncode:
            print("bench: gimli's driver does not build: " + done.stderr.strip()[:200],
                  file=sys.stderr)
            return None
        return cls(os.path.join(folder, "target", "release", "gimli-driver"),
                   crates[0] + " with a small driver, names left mangled", [])

    def version(self):
        return self.described

    def ready(self, workload):
        return len(tools.slices(workload.dwarf)) == 1  # it takes no fat files

    def words(self, workload):
        return [self.path] + self.options + [workload.dwarf]


class Plain(Symbolizer):
    """A program that takes a file, and addresses as addr2line does. It takes no fat files."""

    def __init__(self, path, name, described):
        super().__init__(path)
        self.name, self.described = name, described

    def version(self):
        return self.described

    def ready(self, workload):
        return len(tools.slices(workload.dwarf)) == 1

    def words(self, workload):
        return [self.path, workload.dwarf]


class Atosl(Plain):
    """atosl-rs takes addresses as arguments alone, so that ten thousand are more than one line
    may hold on some systems: 1,000 at most."""
    most = 1000

    def words(self, workload):
        return ["/bin/sh", "-c", 'exec "$0" -o "$1" -a "$2" -l 0 $(cat)', self.path, workload.dwarf,
                workload.arch]


def libbacktrace(work):
    """The driver backtrace.c with the library that comes with gcc, or with $LIBBACKTRACE, a libbacktrace.a."""
    made = os.path.join(work, "backtrace")
    library = os.environ.get("LIBBACKTRACE") or "-lbacktrace"
    done = subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", made, os.path.join(HERE, "backtrace.c"), library],
                          capture_output=True, text=True, check=False)
    return Plain(made, "libbacktrace", "gcc's, with a small driver, names left mangled") if not done.returncode else None


def peers(work):
    """([programs], [names of those that are not here])"""
    found, missing = [], []
    for kind, name in ((Symbolizer, "llvm-symbolizer"), (Gsymutil, "llvm-gsymutil")):
        path = tools.llvm_tool(name)
        if not path:
            missing.append(name)
        else:
            found.append(kind(path, work) if kind is Gsymutil else kind(path))
    gimli = Gimli.find(work)
    if gimli:
        found.append(gimli)
    else:
        missing.append("gimli addr2line (cargo and Debian's librust-addr2line-dev, or "
                       "$GIMLI_ADDR2LINE)")
    atosl = os.environ.get("ATOSL") or shutil.which("atosl")
    if atosl:
        found.append(Atosl(atosl, "atosl-rs", atosl))
    else:
        missing.append("atosl-rs ($ATOSL, or atosl in $PATH)")
    driver = libbacktrace(work)
    if driver:
        found.append(driver)
    else:
        missing.append("libbacktrace (gcc's, or $LIBBACKTRACE, a libbacktrace.a)")
    return found, missing
