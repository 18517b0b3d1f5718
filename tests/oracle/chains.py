"""The pointers of an image that dyld puts right, read anew for the encodings that llvm-objdump doesn't know.

Chained fixups in every format for programs, kernels and firmware (mach-o/fixup-chains.h), their starts in
LC_DYLD_CHAINED_FIXUPS or in the section __chain_starts; and arm64e's threaded binds (LC_DYLD_INFO). Little-endian
images, as all that have chains are.
"""
import struct
import sys

sys.dont_write_bytecode = True
import tools  # noqa: E402

OBJECT, DSYM = 1, 10
SUBTYPE = {**tools.SUBTYPE, ("arm", 14): "armv6m", ("arm", 15): "armv7m", ("arm", 16): "armv7em"}
THIN = {b"\xce\xfa\xed\xfe": "<", b"\xcf\xfa\xed\xfe": "<", b"\xfe\xed\xfa\xce": ">", b"\xfe\xed\xfa\xcf": ">"}

# Of dyld_chained_ptr_*: where the distance to the next stands and how many bits it has, bytes of a step, and
# whether targets count from the header.
ARM64E = {1: (8, False), 7: (4, True), 9: (8, True), 10: (4, False), 12: (8, True)}
PLAIN64 = {2: False, 6: True}


def pieces(path):
    """(architecture, bytes) of every Mach-O slice; of an archive or of what is no Mach-O none."""
    with open(path, "rb") as file:
        data = file.read()
    magic = data[:4]
    if magic in THIN:
        parts = [data]
    elif magic in (b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf"):
        n = struct.unpack_from(">I", data, 4)[0]
        form, size = (">5I", 20) if magic[3] == 0xbe else (">IIQQII", 32)
        if n > 43:
            return
        where = [struct.unpack_from(form, data, 8 + size * i)[2:4] for i in range(n)]
        parts = [data[off:off + size] for off, size in where]
    else:
        return
    for part in parts:
        if part[:4] in THIN and len(part) >= 28:
            cpu, sub = struct.unpack_from(THIN[part[:4]] + "II", part, 4)
            cpu = tools.CPU.get(cpu, str(cpu))
            yield SUBTYPE.get((cpu, sub & 0xffffff), cpu), part


def file_type(data):
    return struct.unpack_from(THIN[data[:4]] + "I", data, 12)[0]


def signed(value, n):
    return value - (1 << n) if value >> (n - 1) else value


class Image:
    """Load commands of one slice."""

    def __init__(self, data):
        self.data, self.order = data, THIN[data[:4]]
        self.wide = b"\xcf" in (data[:1], data[3:4])
        self.segments, self.sections, self.commands = [], {}, {}
        n = self.number(16, "I")
        at = 32 if self.wide else 28
        for _ in range(n):
            kind, size = self.number(at, "I"), self.number(at + 4, "I")
            if size < 8:
                raise ValueError(f"a load command of {size} bytes")
            self.commands.setdefault(kind & 0x7fffffff, at)
            if kind == (0x19 if self.wide else 1):
                self.segment(at)
            at += size
        names = [s[0] for s in self.segments]
        self.base = self.segments[names.index("__TEXT")][1] if "__TEXT" in names else 0

    def number(self, at, form):
        return struct.unpack_from(self.order + form, self.data, at)[0]

    def segment(self, at):
        name = self.text(at + 8)
        vm, vm_size, off, size = struct.unpack_from(self.order + ("4Q" if self.wide else "4I"), self.data, at + 24)
        self.segments.append((name, vm, off, min(size, vm_size)))
        head, step = (72, 80) if self.wide else (56, 68)
        for i in range(self.number(at + head - 8, "I")):
            where = at + head + step * i
            low, length = struct.unpack_from(self.order + ("2Q" if self.wide else "2I"), self.data, where + 32)
            place = self.number(where + (48 if self.wide else 40), "I")
            self.sections[self.text(where)] = (low, place, length)

    def text(self, at):
        return self.data[at:at + 16].split(b"\0")[0].decode("latin-1")

    def string(self, at):
        return self.data[at:self.data.index(b"\0", at)].decode("utf-8", "replace")

    def at_vm(self, vm):
        for _, low, off, size in self.segments:
            if low <= vm < low + size:
                return off + vm - low
        raise ValueError(f"{vm:#x} lies nowhere")


def imports(image, blob):
    _, _, first, names, n, form, packed = struct.unpack_from("<7I", image.data, blob)
    if packed or form not in (1, 2, 3):
        raise ValueError("imports in an unknown form")
    size, shift = {1: (4, 9), 2: (8, 9), 3: (16, 32)}[form]
    found = []
    for i in range(n):
        word = image.number(blob + first + size * i, "Q" if form == 3 else "I")
        found.append(image.string(blob + names + (word >> shift)))
    return found


def decode(image, form, raw, names, limit):
    """(what the word means, bytes to the next link)."""
    if form in ARM64E:
        step, from_header = ARM64E[form]
        auth, is_bind, ahead = raw >> 63, raw >> 62 & 1, raw >> 51 & 0x7ff
        if is_bind:
            return ("bind", names[raw & (0xffffff if form == 12 else 0xffff)]), ahead * step
        if auth:
            return ("rebase", image.base + (raw & 0xffffffff)), ahead * step
        target = raw & (1 << 43) - 1
        return ("rebase", (image.base if from_header else 0) + target | (raw >> 43 & 0xff) << 56), ahead * step
    if form in PLAIN64:
        ahead = (raw >> 51 & 0xfff) * 4
        if raw >> 63:
            return ("bind", names[raw & 0xffffff]), ahead
        return ("rebase", (image.base if PLAIN64[form] else 0) + (raw & (1 << 36) - 1) | (raw >> 36 & 0xff) << 56), ahead
    if form == 3:
        ahead = (raw >> 26 & 0x1f) * 4
        if raw >> 31:
            return ("bind", names[raw & 0xfffff]), ahead
        target = raw & 0x3ffffff
        return (("number", target) if limit and target > limit else ("rebase", target)), ahead
    if form == 5:
        return ("rebase", raw & 0x3ffffff), (raw >> 26) * 4
    raise ValueError(f"pointer format {form}")


def follow(image, form, vm, names, limit, found):
    word = "I" if form in (3, 4, 5) else "Q"
    while vm not in found:
        found[vm], ahead = decode(image, form, image.number(image.at_vm(vm), word), names, limit)
        if not ahead:
            return
        vm += ahead


def starts_of_pages(image, at):
    """Offsets of chains in a segment, of dyld_chained_starts_in_segment at `at`."""
    page_size, _, _, _, n = struct.unpack_from("<HHQIH", image.data, at + 4)
    for page in range(n):
        start = image.number(at + 22 + 2 * page, "H")
        if start == 0xffff:
            continue
        if not start & 0x8000:
            yield page * page_size + start
            continue
        index = start & 0x7fff
        while True:
            start = image.number(at + 22 + 2 * index, "H")
            yield page * page_size + (start & 0x7fff)
            if start & 0x8000:
                break
            index += 1


def chained(image):
    blob = image.number(image.commands[0x34] + 8, "I")
    names, found = imports(image, blob), {}
    starts = blob + image.number(blob + 4, "I")
    for i in range(image.number(starts, "I")):
        off = image.number(starts + 4 + 4 * i, "I")
        if not off:
            continue
        form, limit = image.number(starts + off + 6, "H"), image.number(starts + off + 16, "I")
        for start in starts_of_pages(image, starts + off):
            follow(image, form, image.segments[i][1] + start, names, limit, found)
    return found


def listed_starts(image):
    """dyld_chained_starts_offsets, which firmware has in a section."""
    _, at, _ = image.sections["__chain_starts"]
    form, n = struct.unpack_from("<II", image.data, at)
    found = {}
    for i in range(n):
        follow(image, form, image.base + image.number(at + 8 + 4 * i, "I"), [], 0, found)
    return found


def uleb(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def threaded(image):
    """Binds whose slots are chained as in format 1; None when the opcodes don't say so."""
    at, size = struct.unpack_from("<II", image.data, image.commands[0x22] + 16)
    end, table, name, place, found = at + size, [], "", 0, {}
    is_threaded = False
    while at < end:
        byte = image.data[at]
        code, low, at = byte & 0xf0, byte & 15, at + 1
        if code == 0x40:
            name = image.string(at)
            at = image.data.index(b"\0", at) + 1
        elif code == 0x70:
            more, at = uleb(image.data, at)
            place = image.segments[low][1] + more
        elif code in (0x20, 0x60, 0x80, 0xa0):
            more, at = uleb(image.data, at)
            place += more if code == 0x80 else 0
        elif code == 0x90 and is_threaded:
            table.append(name)
        elif code == 0xd0 and low == 0:
            _, at = uleb(image.data, at)
            is_threaded = True
        elif code == 0xd0:
            follow(image, 1, place, table, 0, found)
        elif code in (0x90, 0xb0, 0xc0):
            return None
    return found if is_threaded else None


def fixups(data):
    """{address: ("rebase", target) or ("bind", symbol)} of a slice; None where there are no chains."""
    image = Image(data)
    if image.order != "<" or file_type(data) in (OBJECT, DSYM):
        return None
    if 0x34 in image.commands:
        found = chained(image)
    elif "__chain_starts" in image.sections:
        found = listed_starts(image)
    elif 0x22 in image.commands:
        found = threaded(image)
    else:
        return None
    return found and {vm: what for vm, what in found.items() if what[0] != "number"}
