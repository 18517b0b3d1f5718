"""The programs under test, in a scratch folder in which `fixtures` leads to the fixtures."""
import os
import re
import shutil
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECONDS = 60  # an example takes milliseconds; under sanitizers and load some seconds


class Unusable(Exception):
    """Nothing can be tested at all."""


class Programs:
    """Runs shell text with the build folder first in PATH. A context: the folder goes with it."""

    def __init__(self, build):
        self.folder = tempfile.mkdtemp(prefix="machsym-man.")
        os.symlink(os.path.join(ROOT, "fixtures"), os.path.join(self.folder, "fixtures"))
        self.env = dict(os.environ, LC_ALL="C", HOME=self.folder, ROOT=ROOT,
                        PATH=os.path.abspath(build) + os.pathsep + os.environ.get("PATH", ""))
        self.env.pop("NO_COLOR", None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, words, merge=False):
        """(exit status, output as text); with `merge` stderr too, in the order it came."""
        try:
            done = subprocess.run(words, cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, timeout=SECONDS,
                                  stderr=subprocess.STDOUT if merge else subprocess.PIPE)
        except subprocess.TimeoutExpired:
            return 124, f"(no end within {SECONDS} seconds)"
        except OSError as problem:
            raise Unusable(f"{words[0]}: {problem.strerror}")
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def commands(self):
        """The commands that `machsym help` lists."""
        status, text = self.run(["machsym", "help"])
        found = re.findall(r"^  ([a-z]+) +\S", text, re.M)
        if status or not found:
            raise Unusable(f"machsym help: status {status}, lists {found}")
        return found

    def options(self, command):
        """The options that a command's --help names: a set of words such as "-o", "--json"."""
        status, text = self.run(["machsym", command, "--help"])
        if status:
            raise Unusable(f"machsym {command} --help: status {status}")
        found = set()
        for line in text.splitlines():
            # "  -d, --dsym PATH  what it does": the words up to the first that is no option.
            words = re.match(r"  (-[-\w]+(?:, -[-\w]+)*)(?: |$)", line)
            if words:
                found.update(words.group(1).split(", "))
        return found
