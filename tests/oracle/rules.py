"""Intended differences from llvm-symbolizer: where it and machsym disagree, and the file itself
says that machsym is right, or that both are.

A rule rewrites LLVM's frames into what the file says, and only where its proof holds for the
address at hand. It is a hit when the frames that come out equal ours whole. At most MOST rules;
one that hits nothing any more, on fixtures or on real dSYMs, goes. DIFFERENCES.md has an example
of each with its evidence.
"""

MOST = 25
# Sources of names that LLVM does not read: where it says nothing, or nothing that holds, there is
# nothing to compare.
MORE = {"stub", "function-start", "export", "objc", "swift", "debug-map"}


class Rule:
    """name: for the counts. why: the proof in words. rewrite(frames, difference): LLVM's frames as
    they should be, or None where the rule has nothing to say."""

    def __init__(self, name, why, rewrite):
        self.name, self.why, self.rewrite = name, why, rewrite


def from_symbol_table(frames):
    """LLVM has only the name of a symbol for this address."""
    return len(frames) == 1 and not frames[0].file and not frames[0].line


def aliases(frames, difference):
    """Two symbols start at one address; LLVM takes the last of the table."""
    ours = difference.ours.frames
    symbol = difference.evidence.symbol(difference.address)
    if not frames or not ours or not symbol:
        return None
    if ours[-1].name not in symbol[1] or frames[-1].name not in symbol[1]:
        return None
    if not from_symbol_table(frames) and \
            difference.evidence.function(difference.address) != ours[-1].name:
        return None
    return frames[:-1] + [frames[-1]._replace(name=ours[-1].name)]


def is_mangled(name):
    return name.startswith(("_Z", "_T", "_R", "$s", "$S", "__Z"))


def of_dwarf(frames, difference):
    """LLVM's frames with the outermost name that the DWARF gives, or None."""
    if not frames or from_symbol_table(frames):
        return None
    name = difference.evidence.function(difference.address)
    return frames[:-1] + [frames[-1]._replace(name=name)] if name else None


def renamed(frames, difference):
    """The linker or LTO renamed the symbol; the DWARF has the function's own name."""
    right = of_dwarf(frames, difference)
    return right if right and is_mangled(right[-1].name) == is_mangled(frames[-1].name) else None


def plain(frames, difference):
    """The DWARF has no linkage name, the symbol table has: we say less."""
    right = of_dwarf(frames, difference)
    return right if right and is_mangled(frames[-1].name) and not is_mangled(right[-1].name) else None


def clamped(frames, difference):
    """LLVM cuts a section at the size of the file. A dSYM has no code, so its file may be smaller
    than __text: symbols behind that point get wrong ends."""
    proof, address = difference.evidence, difference.address
    text = next((s for s in proof.piece.code if s[0] == "__text"), None)
    symbol = proof.symbol(address)
    if not text or text[2] <= proof.piece.size or not symbol or address < text[1] + proof.piece.size:
        return None
    inside = proof.section(symbol[0]) == proof.section(address)
    if not frames and inside and len(difference.ours.frames) == 1:
        return [difference.ours.frames[0]] if difference.ours.frames[0].name in symbol[1] else None
    return [] if from_symbol_table(frames) and not inside else None


def across(frames, difference):
    """LLVM takes the nearest symbol before, though another function begins between the two."""
    symbol = difference.evidence.symbol(difference.address)
    start = difference.evidence.function_start(difference.address)
    if not from_symbol_table(frames) or not symbol or start is None:
        return None
    return [] if frames[0].name in symbol[1] and start > symbol[0] else None


RULES = [
    Rule("aliases", "the symbol table has both names at the function's start; where there is DWARF, "
         "its function at this address has ours", aliases),
    Rule("renamed", "the DWARF's subprogram at this address has our name, the symbol table another",
         renamed),
    Rule("plain", "the DWARF's subprogram at this address has no linkage name, and ours is its name",
         plain),
    Rule("clamped", "the section is larger than the dSYM's file, where LLVM ends it; the symbol "
         "table and the true section say ours", clamped),
    Rule("across", "LC_FUNCTION_STARTS has a start between LLVM's symbol and the address", across),
]
assert len(RULES) <= MOST


def explain(difference, same):
    """Names of the rules that together turn LLVM's answer into ours, or None."""
    frames, used = difference.theirs.frames, []
    for rule in RULES:
        rewritten = rule.rewrite(frames, difference)
        if rewritten is None or rewritten == frames:
            continue
        frames = rewritten
        used.append(rule.name)
        if same(frames, difference.ours.frames) or (not frames and difference.ours.source in MORE):
            return used
    return None
