"""What the measuring and comparing scripts share: LLVM's tools, and as much of Mach-O as they need.

Nothing here looks at machsym's own code: an oracle that asked the thing it judges would prove
nothing.
"""
import os
import shutil
import struct
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Debian's and Homebrew's places, the newest that was tested first.
LLVM_PLACES = ["/usr/lib/llvm-19/bin", "/opt/homebrew/opt/llvm@19/bin", "/usr/local/opt/llvm@19/bin",
               "/opt/homebrew/opt/llvm/bin", "/usr/local/opt/llvm/bin"]


def llvm_tool(name):
    """Path of one of LLVM's programs, or None: $LLVM_BIN, then the usual folders, then $PATH."""
    places = [os.environ["LLVM_BIN"]] if os.environ.get("LLVM_BIN") else LLVM_PLACES
    for place in places:
        path = os.path.join(place, name)
        if os.access(path, os.X_OK):
            return path
    return shutil.which(name + "-19") or shutil.which(name)


def build_folder():
    """Where the programs under test lie: $BUILD, relative to the project's root, else build/."""
    return os.path.join(ROOT, os.environ.get("BUILD") or "build")


class Tally:
    """One line a test, and the closing line that a test run is read by."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def ok(self, name, note=""):
        self.passed += 1
        print(f"ok {name}" + (f": {note}" if note else ""), flush=True)

    def fail(self, name, note):
        self.failed += 1
        print(f"FAIL {name}: {note}", flush=True)

    def skip(self, name, why):
        self.skipped += 1
        print(f"SKIP {name}: {why}", flush=True)

    def close(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped", flush=True)
        sys.exit(1 if self.failed else 0)


# ---- Mach-O -----------------------------------------------------------------------------------

CPU = {7: "i386", 0x01000007: "x86_64", 12: "arm", 0x0100000c: "arm64", 0x0200000c: "arm64_32",
       18: "ppc", 0x01000012: "ppc64"}
SUBTYPE = {("x86_64", 8): "x86_64h", ("arm64", 2): "arm64e", ("arm64_32", 1): "arm64_32",
           ("arm", 6): "armv6", ("arm", 9): "armv7", ("arm", 11): "armv7s", ("arm", 12): "armv7k"}
PURE_INSTRUCTIONS = 0x80000000  # S_ATTR_PURE_INSTRUCTIONS, loader.h


class Slice:
    """One architecture of a Mach-O file: name, UUID (hex digits) or None, sections with code
    [(name, address, size)], bytes of the file that it takes."""

    def __init__(self, arch, uuid, code, size):
        self.arch, self.uuid, self.code, self.size = arch, uuid, code, size

    def step(self):
        """Distance of two instructions at least."""
        return 4 if self.arch.startswith(("arm64", "ppc")) else 2 if self.arch.startswith("arm") else 1


def slices(path):
    """Every slice of a thin or fat Mach-O file. ValueError when it is none."""
    with open(path, "rb") as f:
        head = f.read(8)
        if len(head) < 8:
            raise ValueError(path + ": too short for Mach-O")
        magic, n = struct.unpack(">II", head)
        if magic == 0xcafebabe and n < 64:
            parts = [struct.unpack(">5I", f.read(20))[2:4] for _ in range(n)]
        elif magic == 0xcafebabf and n < 64:
            parts = [struct.unpack(">IIQQII", f.read(32))[2:4] for _ in range(n)]
        else:
            parts = [(0, os.path.getsize(path))]
        return [_slice(f, offset, whole, path) for offset, whole in parts]


def _slice(f, offset, whole, path):
    f.seek(offset)
    magic = f.read(4)
    order = {b"\xce\xfa\xed\xfe": "<", b"\xcf\xfa\xed\xfe": "<",
             b"\xfe\xed\xfa\xce": ">", b"\xfe\xed\xfa\xcf": ">"}.get(magic)
    if not order:
        raise ValueError(path + ": not Mach-O")
    wide = 0xcf in magic
    cpu, sub, _, n, size = struct.unpack(order + "5I", f.read(20))
    f.read(8 if wide else 4)
    commands = f.read(size)
    cpu = CPU.get(cpu, str(cpu))
    arch = SUBTYPE.get((cpu, sub & 0xffffff), cpu)
    uuid, code, at = None, [], 0
    for _ in range(n):
        kind, length = struct.unpack_from(order + "II", commands, at)
        if kind == 0x1b:
            uuid = commands[at + 8:at + 24].hex()
        if kind == (0x19 if wide else 1):
            sections = struct.unpack_from(order + "I", commands, at + (64 if wide else 48))[0]
            for s in range(sections):
                where = at + (72 + 80 * s if wide else 56 + 68 * s)
                section, _, low, size = struct.unpack_from(order + ("16s16sQQ" if wide else "16s16sII"),
                                                           commands, where)
                flags = struct.unpack_from(order + "I", commands, where + (64 if wide else 56))[0]
                if flags & PURE_INSTRUCTIONS and size:
                    code.append((section.rstrip(b"\0").decode("latin-1"), low, size))
        at += length
    return Slice(arch, uuid, code, whole)


def dwarf_file(path):
    """The Mach-O file with the DWARF: the path itself, or what lies in a .dSYM bundle."""
    inside = os.path.join(path, "Contents", "Resources", "DWARF")
    if not os.path.isdir(inside):
        return path
    names = sorted(n for n in os.listdir(inside) if not n.startswith("."))
    if not names:
        raise ValueError(path + ": nothing in Contents/Resources/DWARF")
    return os.path.join(inside, names[0])
