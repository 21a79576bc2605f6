"""A bot may be written in anything: each language answers in the sandbox of each sandbox."""

import os
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee.limits import Limits
from referee.sandbox import Child, Launcher, Program
from tests.referee.raw_programs import read_all
from tests.referee.sandbox.sandboxed import limits

SECONDS = 60.0  # for Java on a busy machine

SOURCES = {
    "node": """\
#!/usr/bin/env node
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => console.log("heard " + line));
""",
    "ruby": """\
#!/usr/bin/env ruby
$stdout.sync = true
Thread.new { sleep 0.001 }.join
$stdin.each_line { |line| puts "heard " + line }
""",
    "lua": """\
#!/usr/bin/env lua5.4
io.stdout:setvbuf("line")
for line in io.lines() do print("heard " .. line) end
""",
    "perl": """\
#!/usr/bin/env perl
$| = 1;
print "heard $_" while (<STDIN>);
""",
    "numpy": """\
#!/usr/bin/python3
import numpy, sys
for line in sys.stdin:
    large = numpy.ones((200, 200))
    assert (large @ large).sum() == 200**3
    print("heard", line, end="", flush=True)
""",
    "rust": """\
fn main() {
    for line in std::io::stdin().lines() {
        println!("heard {}", line.unwrap());
    }
}
""",
    "java": """\
class Bot {
    public static void main(String[] words) throws java.io.IOException {
        var input = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = input.readLine()) != null; ) System.out.println("heard " + line);
    }
}
""",
    "go": """\
package main
import ("bufio"; "fmt"; "os"; "runtime"; "sync")
func main() {
    var all sync.WaitGroup
    for at := 0; at < 8; at++ {
        all.Add(1)
        go func() { for sum := 0; sum < 5000000; sum++ {}; runtime.GC(); all.Done() }()
    }
    all.Wait()
    for lines := bufio.NewScanner(os.Stdin); lines.Scan(); { fmt.Println("heard", lines.Text()) }
}
""",
}
COMPILERS = {
    "rust": ("rustc", "-C", "opt-level=0", "-o", "bot", "bot.rs"),
    "java": ("javac", "Bot.java"),
    "go": ("go", "build", "-o", "bot", "bot.go"),
}
SCRIPTS = {
    "node": "node",
    "ruby": "ruby",
    "lua": "lua5.4",
    "perl": "perl",
    "numpy": "/usr/bin/python3",
}


@pytest.fixture(scope="module", params=SOURCES)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """A bot of each language, built once; skip where its tools are missing."""
    language = request.param
    folder = tmp_path_factory.mktemp(language)
    words = COMPILERS.get(language)
    tool = shutil.which(words[0] if words else SCRIPTS[language])
    if tool is None or (language == "java" and shutil.which("java") is None):
        pytest.skip(f"BOTS IN {language.upper()} ARE NOT TESTED HERE: its tools are missing")
    if language == "numpy" and subprocess.run([tool, "-I", "-c", "import numpy"]).returncode != 0:
        pytest.skip(f"BOTS WITH NUMPY ARE NOT TESTED HERE: {tool} cannot import it")
    source = folder / (words[-1] if words else "bot")
    source.write_text(SOURCES[language])
    source.chmod(0o755)
    if words:
        cache = os.environ | {"GOCACHE": str(folder / "cache")}
        done = subprocess.run(
            [tool, *words[1:]], cwd=folder, env=cache, capture_output=True, text=True
        )
        if done.returncode != 0 and language == "rust":
            pytest.skip(f"BOTS IN RUST ARE NOT TESTED HERE: {done.stderr}")
        assert done.returncode == 0, done.stderr
    if language == "java":
        java = shutil.which("java") or ""
        return Program((java, "-Xmx64m", "Bot"), str(folder), ("Bot.class",))
    return Program((str(folder / "bot"),), str(folder), ("bot",))


def answered(child: Child, line: str) -> str:
    os.write(child.stdin, line.encode() + b"\n")
    text = b""
    while not text.endswith(b"\n"):
        assert select.select([child.stdout], [], [], SECONDS)[0], f"no answer to {line}"
        piece = os.read(child.stdout, 4096)
        assert piece, f"it ended: {read_all(child.stderr)}"
        text += piece
    return text.decode().strip()


@pytest.mark.quick(2)
def test_a_bot_hears_and_answers(sandboxed: Launcher, built: Program) -> None:
    sandboxed.check(built, Limits())
    child = sandboxed.start(built, limits(sandboxed))
    try:
        for line in ("hello", '{"id": 22}'):
            assert answered(child, line) == f"heard {line}"
    finally:
        sandboxed.stop(child)


def test_pythons_standard_library_is_there(sandboxed: Launcher, public: Path) -> None:
    """The parts of it that open files of their own, or load libraries."""
    (public / "bot.py").write_text(
        "import asyncio, ctypes, datetime, decimal, hashlib, json, random, ssl, sqlite3, zoneinfo\n"
        "print(random.SystemRandom().random() < 1, asyncio.run(asyncio.sleep(0, 'slept')))\n"
    )
    python = sandboxed.sandbox.interpreter(sandboxed.uid)
    program = Program((python, "bot.py"), str(public), ("bot.py",))
    child = sandboxed.start(program, limits(sandboxed))
    out, err = read_all(child.stdout), read_all(child.stderr)
    sandboxed.wait(child)
    assert (out, err) == ("True slept\n", ""), sys.version
