"""make_many.py FOLDER N: writes N reports about the programs of the fixtures, no two alike.

Text and .ips; the images lie elsewhere in each, and have other paths; a few have the UUID of another
build, none, or that of two images; frames carry names, mangled names or none, and some lie nowhere.
"""
import json
import os
import random
import sys

# name, UUID, address of __TEXT as linked, code
PROGRAMS = [
    ("MagicNumbers", "4C4C4411-5555-3144-A1A2-878A2053D4EB", 0x100000000, (0x690, 0xa00)),
    ("deep", "4C4C4441-5555-3144-A1EB-2E4B2717D2E4", 0x100000000, (0x6d0, 0x1020)),
    ("deeper", "4C4C44DA-5555-3144-A126-88A8EE0AF0C9", 0x100000000, (0x5d8, 0x113c)),
    ("libnothere.dylib", "00112233-4455-6677-8899-AABBCCDDEEFF", 0, (0x1000, 0x2000)),
]
NAMES = ["main", "_ZN3foo3barEi", "$s12MagicNumbers8MagicianC6reveal5roundS2i_tF", "_RNvC1a4main", None, None, None, None]


class Report:
    def __init__(self, r):
        self.threads, self.images, at = [], [], 0x100000000 + r.randrange(1 << 16) * 0x4000
        for name, uuid, _, code in r.sample(PROGRAMS, 3) + r.choices(PROGRAMS, k=r.randrange(2)):
            if r.randrange(12) == 0:
                uuid = r.choice([None, uuid[:-1] + "0"])
            folder = r.choice(["/Applications", "/Users/USER/*", "/private/tmp"])
            self.images.append((name, uuid, at, f"{folder}/{name}", code))
            at += 0x10000000
        for _ in range(r.randrange(1, 6)):
            self.threads.append([self.frame(r) for _ in range(r.randrange(1, 25))])
        self.crashed = r.randrange(-1, len(self.threads))

    def frame(self, r):
        which = r.randrange(len(self.images))
        low, high = self.images[which][4]
        return which, r.randrange(low, high) & ~3, r.choice(NAMES)

    def text(self):
        lines = ["Process:               Many [1]", "Code Type:             ARM-64 (Native)",
                 "OS Version:            macOS 14.4.1 (23E224)", "Report Version:        104", ""]
        for i, frames in enumerate(self.threads):
            lines.append(f"Thread {i}{' Crashed' if i == self.crashed else ''}:")
            for k, (which, offset, name) in enumerate(frames):
                label, _, load, _, _ = self.images[which]
                rest = f"{name} + 16" if name else f"{load:#x} + {offset}"
                lines.append(f"{k:<4}{label:<30}\t{load + offset:#18x} {rest}")
            lines.append("")
        lines.append("Binary Images:")
        for name, uuid, load, path, _ in self.images:
            shown = f" <{uuid}>" if uuid else ""
            lines.append(f"{load:#18x} - {load + 0xffff:#18x} {name} arm64 {shown} {path}")
        return "\n".join(lines + ["", "EOF", ""])

    def ips(self):
        threads = []
        for i, frames in enumerate(self.threads):
            thread = {"id": i, "frames": []}
            if i == self.crashed:
                thread["triggered"] = True
            for which, offset, name in frames:
                frame = {"imageOffset": offset, "imageIndex": which}
                if name:
                    frame.update(symbol=name, symbolLocation=16)
                thread["frames"].append(frame)
            threads.append(thread)
        images = [{"base": load, "size": 0x10000, "arch": "arm64", "name": name, "path": path, "source": "P",
                   **({"uuid": uuid.lower()} if uuid else {})} for name, uuid, load, path, _ in self.images]
        payload = {"procName": "Many", "cpuType": "ARM-64", "faultingThread": self.crashed, "threads": threads,
                   "usedImages": images}
        return '{"app_name":"Many","bug_type":"309"}\n' + json.dumps(payload, indent=1) + "\n"


def main():
    folder, n = sys.argv[1], int(sys.argv[2])
    r = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    os.makedirs(folder, exist_ok=True)
    for i in range(n):
        report, kind = Report(r), r.randrange(3)
        with open(f"{folder}/{i:04}", "w", encoding="utf-8") as f:
            f.write(report.ips() if kind == 0 else report.text())


main()
