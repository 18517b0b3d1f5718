"""Runs the examples of the pages and the README."""
import os
import re

import pages
from programs import ROOT

MARK = "\x01"  # ends the output of one command; no command prints it
LEFT_OUT = "…"


class Example:
    """The commands of one block, run in one shell one after another."""

    def __init__(self, where, lines):
        self.where = where
        self.steps = []  # [command, expected lines]
        going_on = False
        for line in lines:
            if going_on:
                self.steps[-1][0] += "\n" + re.sub(r"^> ", "", line)
            elif line.startswith("$ "):
                self.steps.append([line[2:], []])
            elif self.steps:
                self.steps[-1][1].append(line)
            going_on = self.steps and not self.steps[-1][1] and self.steps[-1][0].endswith("\\")

    def script(self):
        """Each command's output ends in a mark and its exit status, which is $? for the next."""
        return "".join(f"{command}\nmark=$?; printf '{MARK}%d{MARK}' $mark; (exit $mark)\n"
                       for command, _ in self.steps)


def fenced_blocks(path):
    """(number of the first line, lines) of every fenced block of a Markdown file."""
    blocks, block = [], None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f.read().splitlines(), 1):
            if line.startswith("```"):
                if block:
                    blocks.append(block)
                block = None if block else (number + 1, [])
            elif block:
                block[1].append(line)
    return blocks


def collect():
    sources = [(page, pages.literal_blocks(page)) for page in pages.all_pages()]
    readme = os.path.join(ROOT, "README.md")
    sources.append((readme, fenced_blocks(readme)))
    for path, blocks in sources:
        for number, lines in blocks:
            example = Example(f"{os.path.relpath(path, ROOT)}:{number}", lines)
            if example.steps:
                yield example


def line_pattern(line):
    """Within a line, the mark stands for what differs from run to run."""
    if line.strip() == LEFT_OUT:
        return "(?:.*\n)+"
    return ".*".join(re.escape(part) for part in line.split(LEFT_OUT)) + "\n"


def matches(expected, got):
    """`…` on a line of its own stands for one or more lines."""
    text = "".join(line + "\n" for line in got)
    return re.fullmatch("".join(line_pattern(line) for line in expected), text) is not None


def trimmed(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def step_fault(command, expected, output, status, is_shown):
    expected, got = trimmed(expected), trimmed(output.split("\n"))
    if not matches(expected, got):
        return (f"`{command}` prints something else\n--- expected\n" + "\n".join(expected) +
                "\n--- got\n" + "\n".join(got))
    if status and not is_shown:
        return f"`{command}` ends with status {status} and the example doesn't say so"
    return None


def example_fault(under_test, example):
    _, output = under_test.run(["/bin/sh", "-c", example.script()], merge=True)
    parts = output.split(MARK)
    for i, (command, expected) in enumerate(example.steps):
        if 2 * i + 1 >= len(parts):
            return f"`{command}` did not end: {parts[-1]}"
        shown = i + 1 < len(example.steps) and example.steps[i + 1][0] == "echo $?"
        fault = step_fault(command, expected, parts[2 * i], int(parts[2 * i + 1]), shown)
        if fault:
            return fault
    return None


def check(tally, under_test):
    for example in collect():
        tally.check(f"example {example.where}", example_fault(under_test, example))
