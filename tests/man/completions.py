"""The completions against the programs. bash and fish are asked what they offer; zsh's file is read."""
import os
import re
import shutil
import subprocess

from documents import difference
from programs import ROOT

FOLDER = os.path.join(ROOT, "cli", "completions")
FILES = {"bash": "machsym.bash", "zsh": "_machsym", "fish": "machsym.fish"}


def shell(name, script):
    """Lines that a shell prints; a fault of it is a line that starts with '!'."""
    done = subprocess.run([name, "-c", script], cwd=FOLDER, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)
    faults = ["!" + line for line in done.stderr.splitlines()]
    return done.stdout.splitlines() + faults


def bash_offers(*words):
    quoted = " ".join(f"'{word}'" for word in words)
    return set(shell("bash", f"source ./machsym.bash; COMP_WORDS=(machsym {quoted}); "
                             f"COMP_CWORD={len(words)}; _machsym; printf '%s\\n' \"${{COMPREPLY[@]}}\""))


def fish_offers(*words):
    line = " ".join(("machsym",) + words)
    return {offer.split("\t")[0]
            for offer in shell("fish", f"source ./machsym.fish; complete -C '{line}'")}


def fish_options(command):
    """What it offers after '-'; words behind a single dash come only after their first letters."""
    offers = set()
    for start in "-", "--":
        offers |= {o for o in fish_offers(command, start) if o.startswith("-")}
    with open(os.path.join(FOLDER, FILES["fish"]), encoding="utf-8") as f:
        text = f.read()
    lines = re.findall(rf"^complete -c machsym -n '__machsym_is {command}' (.*)", text, re.M)
    return offers | {"-" + word for line in lines for word in re.findall(r"-o (\S+)", line)}


def zsh_parts():
    """{command: text of its function} in which option descriptions are left out."""
    with open(os.path.join(FOLDER, FILES["zsh"]), encoding="utf-8") as f:
        text = re.sub(r"\[[^]\n]*\]", "[]", f.read())
    return dict(re.findall(r"^_machsym_([a-z]+)\(\) \{\n(.*?)^\}", text, re.M | re.S))


def zsh_options(command):
    """Out of specifications such as '(-i --x)'{-i,--x}'[…]' and '--json[…]'."""
    found = set()
    for spec in re.findall(r"^ +('\S.*?\[\].*)", zsh_parts().get(command, ""), re.M):
        before = re.sub(r"\([^)]*\)", "", spec.split("[]")[0])
        found.update(re.findall(r"-{1,2}[A-Za-z][-\w]*", before))
    return found


def zsh_commands():
    return set(re.findall(r"'([a-z]+):", zsh_parts().get("commands", "")))


def choices(under_test, command):
    """{option: words} for those options of --help whose value is one of a few words."""
    _, text = under_test.run(["machsym", command, "--help"])
    return {option: set(words.split("|"))
            for option, words in re.findall(r"^  (--[-\w]+) ([a-z]+(?:\|[a-z]+)+)(?: |$)", text, re.M)}


def check_syntax(tally, name):
    done = subprocess.run([name, "-n", FILES[name]], cwd=FOLDER, capture_output=True, text=True)
    tally.check(f"{name} -n {FILES[name]}", done.stderr.strip() or None)


def check_offers(tally, under_test, name, commands, offers, options):
    """`offers(word…)` is what completes after these words, `options(command)` its options."""
    with_help = set(commands) | {"help"}
    got = {word for word in offers("") if not word.startswith("-")}
    tally.check(f"{name}: commands", difference("machsym help", with_help, "the completion", got))
    for command in commands:
        tally.check(f"{name}: options of {command}",
                    difference("--help", under_test.options(command), "the completion",
                               options(command)))
        for option, words in choices(under_test, command).items():
            tally.check(f"{name}: {command} {option}",
                        difference("--help", words, "the completion", offers(command, option, "")))


def check(tally, under_test):
    commands = under_test.commands()
    for name in FILES:
        if shutil.which(name):
            check_syntax(tally, name)
        else:
            tally.skip(f"{name} -n", f"{name} is not installed")
    if shutil.which("bash"):
        check_offers(tally, under_test, "bash", commands, bash_offers,
                     lambda command: bash_offers(command, "-"))
    if shutil.which("fish"):
        check_offers(tally, under_test, "fish", commands, fish_offers, fish_options)
    tally.check("zsh: commands", difference("machsym help", set(commands) | {"help"},
                                            "the completion", zsh_commands()))
    for command in commands:
        tally.check(f"zsh: options of {command}",
                    difference("--help", under_test.options(command), "the completion",
                               zsh_options(command)))
