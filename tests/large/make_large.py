"""dSYMs over 4 GB, made of small ones: with holes, so that they take no room on a disk.

make_large.py KIND FROM TO makes the file TO of the thin 64-bit dSYM file FROM; KINDS has the kinds.
Section headers have 32 bits for an offset: behind 4 GB they wrap, as in the files of dsymutil.
"""
import os
import struct
import sys

HOLE = (1 << 32) + (1 << 16)
DWARF = b"__DWARF"
SEGMENT_64, SEGMENT_HEAD, SECTION_BYTES = 0x19, 72, 80


class Section:
    """One section of __DWARF: its header, where that stands, and its bytes."""

    def __init__(self, data, at):
        self.at = at
        self.name = data[at:at + 16].rstrip(b"\0").decode()
        self.vm, self.size = struct.unpack_from("<QQ", data, at + 32)
        self.off, = struct.unpack_from("<I", data, at + 48)
        self.pieces = [(0, data[self.off:self.off + self.size])]  # (offset in it, bytes)


class Dsym:
    """A thin dSYM as bytes, and its __DWARF segment as sections that can be moved."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = bytearray(f.read())
        magic, = struct.unpack_from("<I", self.data)
        if magic != 0xfeedfacf:
            raise ValueError(f"{path}: not a thin little-endian 64-bit Mach-O")
        at = 32
        for _ in range(struct.unpack_from("<I", self.data, 16)[0]):
            cmd, size = struct.unpack_from("<II", self.data, at)
            if cmd == SEGMENT_64 and self.data[at + 8:at + 24].rstrip(b"\0") == DWARF:
                self.segment = at
            at += size
        self.vm, _, self.off, _ = struct.unpack_from("<QQQQ", self.data, self.segment + 24)
        n, = struct.unpack_from("<I", self.data, self.segment + 64)
        self.sections = [Section(self.data, self.segment + SEGMENT_HEAD + i * SECTION_BYTES)
                         for i in range(n)]

    def section(self, name):
        return next(s for s in self.sections if s.name == name)

    def move_from(self, name, by):
        """Moves a section and all behind it."""
        first = self.sections.index(self.section(name))
        for s in self.sections[first:]:
            s.off += by
            s.vm += by

    def grow(self, name, by):
        """Makes a section longer, and moves all behind it."""
        s = self.section(name)
        i = self.sections.index(s) + 1
        s.size += by
        if i < len(self.sections):
            self.move_from(self.sections[i].name, by)

    def write(self, path):
        end = max(s.off + s.size for s in self.sections)
        vm_end = max(s.vm + s.size for s in self.sections)
        struct.pack_into("<QQQQ", self.data, self.segment + 24, self.vm,
                         (vm_end - self.vm + 0xfff) & ~0xfff, self.off, end - self.off)
        for s in self.sections:
            struct.pack_into("<QQI", self.data, s.at + 32, s.vm, s.size, s.off & 0xffffffff)
        with open(path, "wb") as f:
            f.write(self.data[:self.off])
            for s in self.sections:
                for at, piece in s.pieces:
                    f.seek(s.off + at)
                    f.write(piece)
            f.truncate(end)


# ---- the kinds ----------------------------------------------------------------------------------

def gap(dsym):
    """The second half of the sections stands behind the hole; addresses run in parallel."""
    dsym.move_from("__debug_info", HOLE)


def two_gaps(dsym):
    """The offsets wrap twice."""
    dsym.move_from("__debug_info", HOLE)
    dsym.move_from("__debug_str", HOLE)


def strings(dsym):
    """__debug_str itself is over 4 GB: its strings, then the hole."""
    dsym.grow("__debug_str", HOLE)


def order(dsym):
    """The same, and addresses tell nothing: the order of the sections has to."""
    strings(dsym)
    for s in dsym.sections:
        s.vm = 0


def split(blob, ends):
    """The blob in pieces that end at these offsets."""
    starts = [0] + ends[:-1]
    return [blob[a:b] for a, b in zip(starts, ends)]


def unit_ends(info):
    ends, at = [], 0
    while at < len(info):
        at += 4 + struct.unpack_from("<I", info, at)[0]
        ends.append(at)
    return ends


def units(dsym):
    """
    __debug_info itself is over 4 GB: behind its second unit stand two whose only DIE has no code,
    and then the hole. What .debug_aranges says of the units behind it needs 64 bits.
    """
    info, aranges = dsym.section("__debug_info"), dsym.section("__debug_aranges")
    blob = bytes(info.pieces[0][1])
    cut = unit_ends(blob)[1]
    filler = struct.pack("<IHIB", HOLE // 2 - 4, 4, bare_root(dsym), 8) + b"\1"
    info.pieces = [(0, blob[:cut]), (cut, filler), (cut + HOLE // 2, filler),
                   (cut + HOLE, blob[cut:])]
    dsym.grow("__debug_info", HOLE)
    table = bytes(aranges.pieces[0][1])
    old, new = unit_ends(table), b""
    for one in split(table, old):
        unit, = struct.unpack_from("<I", one, 6)
        if unit < cut:
            new += one
            continue
        ranges = one[16:]
        new += struct.pack("<IQHQBB", 0xffffffff, 2 + 8 + 2 + 8 + len(ranges), 2, unit + HOLE, 8, 0)
        new += bytes(8) + ranges  # padding to the size of a pair
    aranges.pieces = [(0, new)]
    dsym.grow("__debug_aranges", len(new) - len(table))


def bare_root(dsym):
    """Adds an abbreviation table with one unit DIE without anything in it; returns its offset."""
    abbrev = dsym.section("__debug_abbrev")
    blob = bytes(abbrev.pieces[0][1])
    table = b"\1\x11\0\0\0\0"  # 1: DW_TAG_compile_unit, no children, no attributes
    abbrev.pieces = [(0, blob + table)]
    dsym.grow("__debug_abbrev", len(table))
    return len(blob)


KINDS = {"gap": gap, "two-gaps": two_gaps, "strings": strings, "order": order,
         "units": units}


def make(kind, source, target):
    dsym = Dsym(source)
    KINDS[kind](dsym)
    dsym.write(target)


def make_fat(sources, target):
    """A universal file with 64-bit offsets, whose slices stand behind a hole each."""
    at, entries, slices = 0x4000, [], []
    for source in sources:
        with open(source, "rb") as f:
            data = f.read()
        at += HOLE // 2 // 0x4000 * 0x4000
        entries.append(struct.pack(">IIQQII", *struct.unpack_from("<II", data, 4), at, len(data),
                                   14, 0))
        slices.append((at, data))
        at += (len(data) + 0x3fff) // 0x4000 * 0x4000
    with open(target, "wb") as f:
        f.write(struct.pack(">II", 0xcafebabf, len(entries)) + b"".join(entries))
        for off, data in slices:
            f.seek(off)
            f.write(data)


def takes_holes(folder):
    """Whether files in the folder can have holes of that size."""
    path = os.path.join(folder, "hole")
    try:
        with open(path, "wb") as f:
            f.seek(HOLE)
            f.write(b"x")
        return os.stat(path).st_blocks < 1 << 12
    except OSError:
        return False
    finally:
        if os.path.exists(path):
            os.unlink(path)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        sys.exit(f"usage: make_large.py {'|'.join(KINDS)} FROM TO")
    make(*sys.argv[1:])
