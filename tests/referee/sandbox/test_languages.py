"""A bot may be written in anything: each language answers in the sandbox of each sandbox."""

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.limits import Limits
from referee.sandbox import Child, Launcher, Program
from referee.verdict import verdict
from tests.referee.raw_programs import read_all
from tests.referee.sandbox.sandboxed import limits

SECONDS = 60.0  # for Java on a busy machine

SOURCES = {
    "python": """\
#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        print(json.dumps({"type": "ready"}), flush=True)
    else:
        print(json.dumps({"id": asked["id"], "move": "pass"}), flush=True)
""",
    "node": """\
#!/usr/bin/env node
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const asked = JSON.parse(line);
    const answer = `{"id": ${asked.id}, "move": "pass"}`;
    console.log(asked.type === "hello" ? '{"type": "ready"}' : answer);
});
""",
    "shell": """\
#!/bin/sh
while IFS= read -r line; do
    case $line in
    *hello*) echo '{"type": "ready"}' ;;
    *) id=${line##*: }; echo "{\\"id\\": ${id%\\}}, \\"move\\": \\"pass\\"}" ;;
    esac
done
""",
    "c": """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "hello"))
            puts("{\\"type\\": \\"ready\\"}");
        else
            printf("{\\"id\\": %ld, \\"move\\": \\"pass\\"}\\n", atol(strrchr(line, ':') + 1));
        fflush(stdout);
    }
    return 0;
}
""",
    "rust": """\
use std::io::BufRead;
fn main() {
    for line in std::io::stdin().lock().lines().map(|line| line.unwrap()) {
        if line.contains("hello") {
            println!("{{\\"type\\": \\"ready\\"}}");
        } else {
            let id = line.rsplit(": ").next().unwrap().trim_end_matches('}');
            println!("{{\\"id\\": {id}, \\"move\\": \\"pass\\"}}");
        }
    }
}
""",
    "java": """\
class Bot {
    public static void main(String[] words) throws java.io.IOException {
        var input = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = input.readLine()) != null; ) {
            String id = line.substring(line.lastIndexOf(' ') + 1).replace("}", "");
            System.out.println(line.contains("hello") ? "{\\"type\\": \\"ready\\"}"
                : "{\\"id\\": " + id + ", \\"move\\": \\"pass\\"}");
        }
    }
}
""",
}
SOURCES |= {
    "ruby": """\
#!/usr/bin/env ruby
require "json"
$stdout.sync = true
Thread.new { sleep 0.001 }.join
$stdin.each_line do |line|
  asked = JSON.parse(line)
  puts asked["type"] == "hello" ? '{"type": "ready"}' : %({"id": #{asked["id"]}, "move": "pass"})
end
""",
    "lua": """\
#!/usr/bin/env lua5.4
io.stdout:setvbuf("line")
for line in io.lines() do
    local id = line:match('"id": (%d+)')
    print(id and ('{"id": %d, "move": "pass"}'):format(id) or '{"type": "ready"}')
end
""",
    "perl": """\
#!/usr/bin/env perl
$| = 1;
while (<STDIN>) {
    print /"id": (\\d+)/ ? qq({"id": $1, "move": "pass"}\\n) : qq({"type": "ready"}\\n);
}
""",
    "numpy": """\
#!/usr/bin/python3
import json, sys
import numpy
for line in sys.stdin:
    asked = json.loads(line)
    large = numpy.ones((200, 200))
    assert (large @ large).sum() == 200**3
    if asked["type"] == "hello":
        print(json.dumps({"type": "ready"}), flush=True)
    else:
        print(json.dumps({"id": asked["id"], "move": "pass"}), flush=True)
""",
    "go": """\
package main
import ("bufio"; "fmt"; "os"; "regexp"; "runtime"; "sync")
func main() {
    var all sync.WaitGroup
    for at := 0; at < 8; at++ {
        all.Add(1)
        go func() { for sum := 0; sum < 5000000; sum++ {}; runtime.GC(); all.Done() }()
    }
    all.Wait()
    lines := bufio.NewScanner(os.Stdin)
    number := regexp.MustCompile(`"id": (\\d+)`)
    for lines.Scan() {
        if found := number.FindStringSubmatch(lines.Text()); found != nil {
            fmt.Printf("{\\"id\\": %s, \\"move\\": \\"pass\\"}\\n", found[1])
        } else {
            fmt.Println("{\\"type\\": \\"ready\\"}")
        }
    }
}
""",
}
COMPILERS = {
    "c": ("cc", "-o", "bot", "bot.c"),
    "rust": ("rustc", "-C", "opt-level=0", "-o", "bot", "bot.rs"),
    "java": ("javac", "Bot.java"),
    "go": ("go", "build", "-o", "bot", "bot.go"),
}
SCRIPTS = {"python": "/usr/bin/python3", "node": "node", "shell": "/bin/sh"}
SCRIPTS |= {"ruby": "ruby", "lua": "lua5.4", "perl": "perl", "numpy": "/usr/bin/python3"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Program]:
    """Build a language's bot, once; skip where its tools are missing."""
    made: dict[str, Program] = {}

    def built(language: str) -> Program:
        if language not in made:
            made[language] = build(language, tmp_path_factory.mktemp(language))
        return made[language]

    return built


def build(language: str, folder: Path) -> Program:
    words = COMPILERS.get(language)
    tool = shutil.which(words[0] if words else SCRIPTS[language])
    if tool is None or (language == "java" and shutil.which("java") is None):
        pytest.skip(f"BOTS IN {language.upper()} ARE NOT TESTED HERE: its tools are missing")
    if language == "numpy" and subprocess.run([tool, "-I", "-c", "import numpy"]).returncode != 0:
        pytest.skip(f"BOTS WITH NUMPY ARE NOT TESTED HERE: {tool} cannot import it")
    if words is None:
        (folder / "bot").write_text(SOURCES[language])
        (folder / "bot").chmod(0o755)
    else:
        (
            folder / {"java": "Bot.java", "c": "bot.c", "rust": "bot.rs", "go": "bot.go"}[language]
        ).write_text(SOURCES[language])
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
    """Send a line, and return the line that comes back."""
    os.write(child.stdin, line.encode() + b"\n")
    text = b""
    while not text.endswith(b"\n"):
        assert select.select([child.stdout], [], [], SECONDS)[0], f"no answer to {line}"
        piece = os.read(child.stdout, 4096)
        assert piece, f"it ended: {read_all(child.stderr)}"
        text += piece
    return text.decode().strip()


@pytest.mark.quick(2)
@pytest.mark.parametrize("language", SOURCES)
def test_a_bot_gets_ready_and_answers(
    sandboxed: Launcher, built: Callable[[str], Program], language: str
) -> None:
    program = built(language)
    sandboxed.check(program, Limits())
    child = sandboxed.start(program, limits(sandboxed))
    try:
        assert answered(child, '{"type": "hello"}') == '{"type": "ready"}'
        for number in (1, 22):
            asked = f'{{"type": "ask", "id": {number}}}'
            assert answered(child, asked) == f'{{"id": {number}, "move": "pass"}}'
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


POPEN = r"""
#include <stdio.h>
int main(void) {
    for (int n = 0; n < 64; n++)
        if (!popen("exec sleep 60", "r")) {
            perror("popen");
            return 1;
        }
    return 0;
}
"""


def test_a_c_program_without_a_process_is_not_said_to_lack_memory(
    sandboxed: Launcher, public: Path
) -> None:
    """Its library says ENOMEM, whatever kept the process from being started."""
    if (tool := shutil.which("cc")) is None:
        pytest.skip("BOTS IN C ARE NOT TESTED HERE: there is no cc")
    (public / "bot.c").write_text(POPEN)
    subprocess.run([tool, "-o", public / "bot", public / "bot.c"], check=True)
    child = sandboxed.start(
        Program((f"{public}/bot",), str(public), ("bot",)), limits(sandboxed, processes=8)
    )
    said = read_all(child.stderr)
    kind, why = verdict(sandboxed.wait(child), said, limits(sandboxed, processes=8))
    assert said == "popen: Cannot allocate memory\n"
    assert kind == "processes"
    assert why.startswith("it lacked a process")
