"""What decides between two answers: the symbol table and section headers as they are, and the
DWARF as llvm-dwarfdump prints it."""
import bisect
import os
import re
import subprocess

import tools


class Evidence:
    """Of one slice. Everything is read once, and only when it is asked for."""

    def __init__(self, path, piece):
        self.path, self.piece = path, piece
        self._symbols = self._starts_of_symbols = self._starts = None
        self._lookups = {}     # address -> text
        self._functions = []   # (low, high, names) of subprograms that were looked up

    def _run(self, tool, *arguments, path=None):
        return subprocess.run([tools.llvm_tool(tool), f"--arch={self.piece.arch}", *arguments,
                               path or self.path], capture_output=True, text=True, errors="replace",
                              check=False).stdout

    # -- symbols and sections --

    def symbols(self):
        """[(address, {names})] of the code, ascending; without Mach-O's one underscore."""
        if self._symbols is None:
            found = {}
            for line in self._run("llvm-nm", "--defined-only").splitlines():
                fields = line.split(None, 2)
                if len(fields) == 3 and fields[1] in "tT":
                    found.setdefault(int(fields[0], 16), set()).add(fields[2].removeprefix("_"))
            self._symbols = sorted(found.items())
            self._starts_of_symbols = [start for start, _ in self._symbols]
        return self._symbols

    def section(self, address):
        """The code section that holds the address: (name, low, size) or None."""
        return next((s for s in self.piece.code if s[1] <= address < s[1] + s[2]), None)

    def symbol(self, address):
        """(start, {names}) of the last symbol at or before the address, or None."""
        table = self.symbols()
        at = bisect.bisect_right(self._starts_of_symbols, address)
        return table[at - 1] if at else None

    def binary(self):
        """The file with LC_FUNCTION_STARTS: a dSYM has none, the binary beside it has."""
        beside = re.sub(r"\.dSYM(/Contents/Resources/DWARF/[^/]*)?/?$", "", self.path)
        return beside if beside != self.path and os.path.isfile(beside) else self.path

    def function_start(self, address):
        """The last of LC_FUNCTION_STARTS at or before the address, or None."""
        if self._starts is None:
            out = self._run("llvm-objdump", "--macho", "--function-starts=addrs", path=self.binary())
            self._starts = sorted(int(line, 16) for line in out.splitlines()
                                  if re.fullmatch(r"[0-9a-f]{8,16}", line))
        at = bisect.bisect_right(self._starts, address)
        return self._starts[at - 1] if at else None

    # -- DWARF --

    def lookup(self, address):
        if address not in self._lookups:
            self._lookups[address] = self._run("llvm-dwarfdump", f"--lookup=0x{address:x}",
                                               "--show-parents")
        return self._lookups[address]

    def function(self, address):
        """Linkage name, else name, of the subprogram that has the address, or None."""
        for low, high, name in self._functions:
            if low <= address < high:
                return name
        text = self.lookup(address)
        at = text.rfind("DW_TAG_subprogram")
        if at < 0:
            return None
        entry = re.split(r"\n\s*\n|\n0x", text[at:])[0]
        name = None
        for attribute in ("DW_AT_linkage_name", "DW_AT_MIPS_linkage_name", "DW_AT_abstract_origin",
                          "DW_AT_specification", "DW_AT_name"):
            found = re.search(attribute + r'\s+\((?:0x[0-9a-f]+ )?"(.*)"\)', entry)
            if found:
                name = found.group(1)
                break
        bounds = [re.search(f"DW_AT_{a}_pc\\s+\\((0x[0-9a-f]+)\\)", entry) for a in ("low", "high")]
        if all(bounds):
            self._functions.append((int(bounds[0].group(1), 16), int(bounds[1].group(1), 16), name))
        return name
