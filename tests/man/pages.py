"""Reading mdoc sources: as much of the language as this project's pages use."""
import os
import re

from programs import ROOT

ESCAPES = {"e": "\\", "-": "-", "&": "", "(aq": "'", "(dq": '"', "(ti": "~", "(ha": "^",
           "[u2026]": "…"}


class BadSource(Exception):
    """A page uses what this reader doesn't know."""


def all_pages():
    """Paths of the pages, sorted."""
    folder = os.path.join(ROOT, "man")
    return sorted(os.path.join(folder, name) for name in os.listdir(folder)
                  if re.fullmatch(r"[\w.-]+\.[135]", name))


def lines_of(page):
    with open(page, encoding="utf-8") as f:
        return f.read().splitlines()


def plain(text):
    """A text line without mdoc's escapes."""
    def one(match):
        if match.group(1) not in ESCAPES:
            raise BadSource(f"unknown escape \\{match.group(1)} in {text!r}")
        return ESCAPES[match.group(1)]
    return re.sub(r"\\(\[[^]]*\]|\(..|.)", one, text)


def literal_blocks(page):
    """(number of the first line, lines) of every `.Bd -literal` block."""
    blocks, block = [], None
    for number, line in enumerate(lines_of(page), 1):
        if line.startswith(".Bd -literal"):
            block = (number + 1, [])
        elif line.startswith(".Ed") and block:
            blocks.append(block)
            block = None
        elif block and not line.startswith('.\\"'):
            if line.startswith("."):
                raise BadSource(f"{page}:{number}: a macro in a literal block")
            block[1].append(plain(line))
    return blocks


def flags(page):
    """Every option that the page names with Fl, anywhere: "-o", "--json"."""
    found = set()
    for line in lines_of(page):
        if line.startswith("."):
            found.update("-" + plain(word) for word in re.findall(r"\bFl (\S+)", line))
    return found


def listed_flags(page):
    """Those that an item of a list describes."""
    found = set()
    for line in lines_of(page):
        if line.startswith(".It Fl"):
            found.update("-" + plain(word) for word in re.findall(r"\bFl (\S+)", line))
    return found


def references(page):
    """Every Xr as (name, section)."""
    return [tuple(match) for line in lines_of(page) if line.startswith(".")
            for match in re.findall(r"\bXr (\S+) (\d)", line)]


def words_in(page, macro, items_only=False):
    """The words that the page marks with the macro (`Va` for fields), as a set."""
    found = set()
    for line in lines_of(page):
        start = f".It {macro} " if items_only else f".{macro} "
        if line.startswith(start) or line.startswith(f".It {macro} "):
            found.update(plain(word) for word in line.split()[1:]
                         if word not in ("It", macro, ",", ".", ";"))
    return found
