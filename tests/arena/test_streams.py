"""Commands whose standard streams are closed, full, or read by nobody."""

import fcntl
import os
import pty
import shlex
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from arena.archive.export import exported
from arena.archive.saved import read_match
from tests.arena.conftest import ARENA, ROOT, STEADY, TWO_BOTS, League
from tests.referee.process_watch import until

FULL = "arena: standard output cannot be written: No space left on device.\n"
CLOSED = "arena: standard output is closed, and the command has to write to it.\n"
NO_INPUT = "arena: standard input is closed, and the command has to read from it.\n"
LEAGUE = '\ngame = "guerra"\nseed = 1\ndeals = {deals}\n\n[limits]\nsandbox = "{sandbox}"\n'
NULL = "/dev/null"


def arena(line: str, folder: Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    """Run what a shell makes of a line in a folder, `arena` being ours."""
    ours = " ".join(map(shlex.quote, ARENA))
    return subprocess.run(
        ["bash", "-c", f'set -o pipefail; arena() {{ {ours} "$@"; }}; {line}'],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | settings,
        timeout=120,
    )


def whole(league: League) -> int:
    """Return how many matches a league has stored, in a database without a flaw."""
    with closing(sqlite3.connect(league.folder / "league.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return int(db.execute("SELECT count(*) FROM match").fetchone()[0])


@pytest.mark.slow  # so are most tests here: a shell, our program, its workers
@pytest.mark.parametrize(
    ("streams", "code", "said"),
    [
        ("> table 2> /dev/full", 0, ""),
        ("> table 2>&-", 0, ""),
        ("2>&1 > table | head -0", 0, ""),
        ("2>&1 | head -0", 0, ""),
        ("> /dev/full 2>&1", 1, ""),
        ("> /dev/full", 1, FULL),
        ("<&- >&- 2>&-", 1, ""),
    ],
)
def test_a_run_plays_whatever_becomes_of_its_log_and_its_table(
    league: League, streams: str, code: int, said: str
) -> None:
    league.write(LEAGUE.format(deals=2, sandbox="none") + TWO_BOTS)
    done = arena(f"arena run league --workers 2 {streams}", league.home)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.endswith(said)
    assert bool(done.stderr) == bool(said) == ("4 of 4 matches" in done.stderr)
    assert whole(league) == 4
    assert league.files() == ["league.db", "league.toml"]
    if "> table" in streams:
        assert "one" in (league.home / "table").read_text()


@pytest.mark.slow
def test_a_run_plays_on_when_its_terminal_is_gone(league: League) -> None:
    league.write(LEAGUE.format(deals=2, sandbox="none") + TWO_BOTS)
    screen, inner = pty.openpty()
    os.close(screen)
    with os.fdopen(inner, "wb") as gone:
        words = [*ARENA, "run", str(league.folder), "--workers", "1"]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=gone, cwd=ROOT, timeout=60)
    assert (done.returncode, b"one" in done.stdout, whole(league)) == (0, True, 4)


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["none", "landlock"])
def test_no_file_gets_the_number_of_a_stream_that_was_closed(league: League, sandbox: str) -> None:
    """Or what is meant for standard error would be written into it, a database perhaps."""
    bots = [league.bot(name, STEADY.format(pause=0.1)) for name in ("ann", "bob")]
    league.write(LEAGUE.format(deals=500, sandbox=sandbox) + "".join(bots))
    process = league.start("run", "--workers", "2", preexec_fn=lambda: os.closerange(0, 3))
    until(league.count, 30)
    found = {
        pid: [str(Path(f"/proc/{pid}/fd/{number}").readlink()) for number in (0, 1, 2)]
        for pid, words in league.processes().items()
        if "arena" in words or "spawn_main" in words or "fork_server" in words
    }
    assert len(found) >= 5  # the arena, two workers and the fork server of each
    assert {pid: names for pid, names in found.items() if set(names) != {NULL}} == {}
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 1  # softly, though nothing can be said
    assert whole(league) >= 1
    assert league.files() == ["league.db", "league.toml"]


COMMANDS = (
    *("--help", "rank played", "export played", "games guerra", "show played MATCH", "--version"),
    *("run --help", "games", "games guerra --rules", "bots", "bots --kit", "games guerra --schema"),
    *("table played", "matches played", "rank played --live", "verify played"),
    *("report played -o - --replays 0", "show played MATCH --format json", "run played"),
    *("show played MATCH --messages --seat 0", "show played MATCH --feed random --seat 0"),
    *("import played export.jsonl", "play guerra sensible random --sandbox none --log"),
    *("play guerra sensible random --sandbox none", "play guerra human random --sandbox none"),
    *("init new-NUMBER --game guerra sensible random", "doctor", "demo --sandbox none"),
    *("new mine-NUMBER --game guerra --lang python", "check unfit --game guerra --sandbox none"),
    "compare sensible random --game guerra --deals 2 --sandbox none",
)


@pytest.fixture
def desk(copy: Path, tmp_path: Path) -> Path:
    """A folder with a played league, its export, and a bot that is none."""
    copy.rename(tmp_path / "played")
    (tmp_path / "unfit").mkdir()
    (tmp_path / "unfit" / "bot.toml").write_text('command = ["./nothing"]\n')
    (tmp_path / "export.jsonl").write_bytes(b"".join(exported(tmp_path / "played")))
    return tmp_path


@pytest.mark.quick(1)
@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_says_in_one_line_what_could_not_be_written(desk: Path, words: str) -> None:
    if "MATCH" in words:
        listed = arena("arena matches played --format csv --most 1", desk).stdout
        words = words.replace("MATCH", listed.splitlines()[1].partition(",")[0])
    ways = ("> /dev/full", 1, FULL), (">&-", 1, CLOSED), ("| head -0", 0, "")
    for number, (streams, code, told) in enumerate(ways):
        line = words.replace("NUMBER", str(number))
        done = arena(f"arena {line} < /dev/null {streams}", desk)
        assert done.returncode == code, (streams, done.stderr)
        assert done.stderr.count("arena: ") == bool(told)
        assert done.stderr.endswith(told)
        assert "Traceback" not in done.stderr
        assert "Exception" not in done.stderr


@pytest.mark.slow
def test_whoever_reads_no_more_still_gets_the_match(desk: Path) -> None:
    for number, (streams, code) in enumerate([("| head -0", 0), ("> /dev/full", 1), (">&-", 1)]):
        line = f"arena play khan random random --sandbox none --save {number}.json {streams}"
        done = arena(line, desk)
        assert (done.returncode, f"{number}.json is written" in done.stderr) == (code, True)
        assert read_match(desk / f"{number}.json").names


@pytest.mark.slow
def test_a_pipe_that_does_not_wait_for_its_reader_gets_all(desk: Path) -> None:
    """Another program that has the same pipe may have made it so."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writing, False)
    process = subprocess.Popen(
        [*ARENA, "export", str(desk / "played")], stdout=writing, cwd=ROOT, stderr=subprocess.PIPE
    )
    os.close(writing)
    assert process.stderr is not None
    with os.fdopen(reading, "rb") as pipe, process.stderr:
        until(lambda: Path(f"/proc/{process.pid}/wchan").read_text() not in ("", "0"), 10)
        text = pipe.read()
        assert process.stderr.read() == b""
    assert process.wait(timeout=10) == 0
    assert text == (desk / "export.jsonl").read_bytes()


@pytest.mark.slow
def test_letters_that_the_terminal_lacks_are_written_otherwise(desk: Path) -> None:
    line = "arena play guerra sensible random --sandbox none --log | head -1"
    done = arena(line, desk, PYTHONIOENCODING="latin-1")
    assert done.returncode == 0
    assert done.stdout.startswith('0 \\u2192 {"type":"hello"')


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "words", ["rank -", "import played -", "play guerra human random --sandbox none"]
)
def test_a_closed_standard_input_is_told(desk: Path, words: str) -> None:
    done = arena(f"arena {words} <&-", desk)
    assert done.returncode == 2
    assert done.stderr.endswith(NO_INPUT)
    assert done.stderr.count("arena: ") == 1


INTERRUPTED = """
import signal, sys
from arena import streams
streams.make_sure()
class Interrupted(Exception): ...
def interrupt(*_):
    global writing
    if writing:
        writing = False
        raise Interrupted
signal.signal(signal.SIGALRM, interrupt)
writing, times, number = False, 0, 0
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
while times < 1000:
    number += 1
    try:
        writing = True
        for stream in (sys.stdout, sys.stderr):
            stream.write(f"{number}\\n")
            stream.flush()
        writing = False
    except Interrupted:
        times += 1
signal.setitimer(signal.ITIMER_REAL, 0)
"""


@pytest.mark.slow
def test_nothing_is_written_twice_when_a_signal_comes(tmp_path: Path) -> None:
    """Ctrl-C just after a picture of `arena rank --live` drew it once more below the ^C."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, cwd=ROOT, check=True
    )
    for written in (done.stdout, done.stderr):
        lines = written.splitlines()
        assert len(lines) == len(set(lines)) > 1000
