"""What bench looks addresses up in: make-workload's synthetic dSYMs, real dSYMs below
$MACHSYM_BENCH_DIR, and a Go program with its DWARF inside, which the go command makes.
"""
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "oracle")]
import compare  # noqa: E402
import tools  # noqa: E402

MOST_BUNDLES = 4


def module(name):
    """make-workload as a module: it has no .py in its name."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), os.path.join(HERE, name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    made = importlib.util.module_from_spec(spec)
    loader.exec_module(made)
    return made


class Workload:
    def __init__(self, name, dsym, scale=None):
        self.name, self.scale = name, scale
        self.dwarf = tools.dwarf_file(dsym)
        pieces = tools.slices(self.dwarf)
        piece = next((p for p in pieces if p.arch == "arm64"), pieces[0])
        self.piece, self.arch = piece, piece.arch
        self.size = piece.size
        self.step = piece.step()
        self.ranges = [(low, low + size) for name, low, size in piece.code if name == "__text"] or \
            [(low, low + size) for _, low, size in piece.code]

    @property
    def file_name(self):
        return self.name.replace(" ", "-").replace("/", "-")

    def random(self, n, seed=1):
        return compare.random_addresses(self.ranges, self.step, n, seed)

    def clustered(self, n):
        """Runs of a hundred neighbours, as the frames of a profile lie."""
        starts = compare.random_addresses(self.ranges, self.step, max(1, n // 100), 2)
        last = max(high for _, high in self.ranges) - self.step
        return [min(start + i * self.step, last) for start in starts for i in range(100)][:n]


def synthetic(options, work):
    make, found = module("make-workload"), []
    folder = options.workload or work
    for scale in options.scales:
        path = os.path.join(folder, f"x{scale}.dylib")
        if not os.path.exists(path + ".dSYM"):
            if not all(map(tools.llvm_tool, ("clang++", "ld64.lld", "dsymutil"))):
                print(f"skipped: scale {scale}: clang, ld64.lld or dsymutil is missing")
                continue
            print(f"making the workload of scale {scale} (once)", file=sys.stderr)
            make.make(folder, scale)
        found.append(Workload(f"x{scale}", path + ".dSYM", scale))
    return found


def bundles():
    """Real dSYMs below $MACHSYM_BENCH_DIR, largest first; of several of one name the largest."""
    found = {}
    for at, folders, _ in os.walk(os.environ.get("MACHSYM_BENCH_DIR") or os.devnull):
        for name in [f for f in folders if f.endswith(".dSYM") and not f.startswith("._")]:
            folders.remove(name)
            try:
                one = Workload(name[:-len(".dSYM")].replace(".framework", ""), os.path.join(at, name))
            except (OSError, ValueError, IndexError):
                continue
            before = found.get(one.name)
            if not before or (one.size, before.dwarf) > (before.size, one.dwarf):
                found[one.name] = one
    return sorted(found.values(), key=lambda w: (-w.size, w.name))


GO_PACKAGES = ("archive/zip", "compress/flate", "crypto/tls", "database/sql", "debug/dwarf", "debug/macho",
               "encoding/json", "encoding/xml", "go/types", "html/template", "image/png", "math/big",
               "net/http", "net/http/httputil", "net/rpc", "regexp", "testing")
# The linker takes only what is used: methods of all types stay once one is called by a name
# that is not known beforehand.
GO_MAIN = """package main

import (
\t"fmt"
\t"os"
\t"reflect"
{imports})

var keep = []interface{{}}{{
\t&zip.Reader{{}}, flate.NewReader, tls.Dial, &sql.DB{{}}, &dwarf.Data{{}}, &macho.File{{}}, json.Marshal,
\txml.Marshal, &types.Config{{}}, &template.Template{{}}, png.Decode, &big.Int{{}}, http.Get,
\t&httputil.ReverseProxy{{}}, &rpc.Server{{}}, &regexp.Regexp{{}}, testing.Benchmark,
}}

func main() {{
\tfor _, one := range keep {{
\t\tif m := reflect.ValueOf(one).MethodByName(os.Args[0]); m.IsValid() {{
\t\t\tfmt.Println(m.Call(nil))
\t\t}}
\t}}
}}
"""


def go_program(work):
    """A Go program for arm64 macOS, its DWARF inside and not compressed: not every peer inflates."""
    made = os.path.join(work, "go-arm64")
    if not os.path.exists(made):
        go = shutil.which("go")
        if not go:
            print("skipped: the Go program: no go command")
            return []
        os.makedirs(work, exist_ok=True)
        with open(os.path.join(work, "main.go"), "w", encoding="ascii") as f:
            f.write(GO_MAIN.format(imports="".join(f'\t"{name}"\n' for name in GO_PACKAGES)))
        setting = dict(os.environ, GOOS="darwin", GOARCH="arm64", CGO_ENABLED="0", GO111MODULE="off",
                       GOCACHE=os.path.join(os.path.abspath(work), "go-cache"))
        done = subprocess.run([go, "build", "-ldflags=-compressdwarf=false", "-o", made + ".part",
                               os.path.join(work, "main.go")], env=setting, capture_output=True,
                              text=True, check=False)
        shutil.rmtree(os.path.join(work, "go-cache"), ignore_errors=True)
        if done.returncode:
            print("skipped: the Go program: " + done.stderr.strip()[:200])
            return []
        os.rename(made + ".part", made)
    return [Workload("Go", made)]


def workloads(options, work):
    return synthetic(options, work) + bundles()[:MOST_BUNDLES] + go_program(work)
