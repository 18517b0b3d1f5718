"""Intended differences from llvm-symbolizer: where it and machsym disagree and the DWARF says
that machsym is right.

A rule rewrites LLVM's frames into what the DWARF says, and only where its proof holds for the
address at hand. It is a hit when the rewritten frames equal ours whole. At most 25 rules; a rule
that no longer hits anything on fixtures or corpus goes.
"""

MOST = 25


class Rule:
    """name: for the counts. why: the proof in words. rewrite(frames, difference): LLVM's frames as
    they should be, or None where the rule has nothing to say."""

    def __init__(self, name, why, rewrite):
        self.name, self.why, self.rewrite = name, why, rewrite


RULES = []
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
        if same(frames, difference.ours.frames):
            return used
    return None
