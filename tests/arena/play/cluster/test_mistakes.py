"""Mistakes that are made with --cluster: told in a line, without a word of Dask's own."""

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from time import monotonic

import pytest

from tests.arena.conftest import ROOT, TWO_BOTS, Arena, League
from tests.arena.play.cluster.dask_cluster import DaskCluster
from tests.golden import Golden

TEXT = f"""\
game = "guerra"
seed = 1
deals = 2
options.max_turns = 20
limits = {{ sandbox = "none" }}
{TWO_BOTS}"""
OF_DASK = ("Traceback", "distributed.", "Warning:", "asyncio", "Future", "tornado")
"""What nobody is to read who does not use Dask himself."""
UNPROTECTED = "Warning: bots run unprotected (sandbox none): they can do whatever you can.\n"


@pytest.fixture
def league(league: League) -> League:
    league.write(TEXT)
    return league


def assert_only_ours(said: str) -> None:
    """Fail if the organizer has to read what is not ours to say."""
    for word in OF_DASK:
        assert word not in said.replace(UNPROTECTED, ""), said
    assert "\x1b" not in said


def test_what_is_no_address_or_scheduler_file_is_refused(
    arena: Arena, league: League, tmp_path: Path, golden: Golden
) -> None:
    for address in (
        *("", "foo", "8786", "scheduler", "tcp://", "tcp://scheduler", "tcp://scheduler:"),
        *("tcp://scheduler:port", "tcp://scheduler:0", "tcp://scheduler:70000", "tcp://:8786"),
        *("http://x:1", "https://x:8787/status", "inproc://1", "tcp://scheduler:8786/status"),
        *("tcp://[::1", "scheduler:8786:1", "tcp:/scheduler:8786"),
    ):
        said = f"takes the address or the file of a scheduler, not {address!r}: an address is"
        assert said in refused(arena, league, address)
    golden(refused(arena, league, "foo"))
    file = tmp_path / "scheduler.json"
    golden(refused(arena, league, file))  # there is none yet
    for text in ("", "{", "[]", "{}", '{"address": 8786}', "\0", "[" * 100_000):
        file.write_text(text)
        said = f"{file} holds no address: a scheduler did not write it, or has not finished"
        assert said in refused(arena, league, file)
    file.write_text('{"address": "nowhere"}')
    golden(refused(arena, league, file))
    assert "too long" in refused(arena, league, tmp_path / ("x" * 300))
    file.unlink()
    file.mkdir()
    golden(refused(arena, league, file))


def refused(arena: Arena, league: League, *words: object) -> str:
    result = arena("run", league.folder, "--cluster", *words)
    assert (result.exit_code, result.stdout, league.count()) == (2, "", 0)
    assert re.fullmatch("arena: .*\n", result.stderr)
    return result.stderr


def test_what_does_not_go_with_a_cluster_is_refused_before_it_is_asked(
    arena: Arena, league: League
) -> None:
    nobody = "tcp://127.0.0.1:1"
    assert "--workers does not go with" in refused(arena, league, nobody, "--workers", "2")
    for part in ("0/2", "3/2", "1", "a/b", "1/0", "1/2/3"):
        assert "--part takes K/N" in refused(arena, league, nobody, "--part", part)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["tls", "tcp"])
def test_a_missing_certificate_or_what_is_none_is_named(
    league: League, tmp_path: Path, scheme: str
) -> None:
    """Dask looks for it whatever the address is."""
    file = tmp_path / "file.pem"
    keys = ("CA_FILE", "CLIENT__CERT", "CLIENT__KEY")
    tls = {f"DASK_DISTRIBUTED__COMM__TLS__{key}": str(file) for key in keys}
    words = ("run", "--cluster", f"{scheme}://127.0.0.1:1")
    said = league.call(*words, code=1, env={**os.environ, **tls}).stderr
    assert said == (
        f"arena: {file}, which Dask's configuration names for TLS (distributed.comm.tls: "
        f"ca-file), cannot be read: No such file or directory.\n"
    )
    if scheme == "tls":
        file.write_text("no certificate\n")
        said = league.call(*words, code=1, env={**os.environ, **tls}).stderr
        assert said.startswith(
            "arena: the files that Dask's configuration names for TLS (distributed.comm.tls: "
            "ca-file, client.cert, client.key) are not certificates with a matching key ("
        )
        assert said.count("\n") == 1


@pytest.mark.slow
def test_ctrl_c_ends_the_search_for_a_scheduler(league: League) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        run = league.start("run", "--cluster", f"tcp://127.0.0.1:{silent.getsockname()[1]}")
        caller, _ = silent.accept()
        with caller:
            run.send_signal(signal.SIGINT)
            struck = monotonic()
            said = league.finish(run, 1).stderr
    assert said.endswith("arena: interrupted.\n")
    assert monotonic() - struck < 5.0  # it would have searched for 10
    assert_only_ours(said)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("banner", "told"),
    [
        (None, "no Dask scheduler answers at tcp://127.*"),
        (b"", "no Dask scheduler answers at tcp://127.*"),
        (b"SSH-2.0-OpenSSH_9.2p1\r\n", "what answers at tcp://127.* is not a Dask scheduler, .*"),
        (b"HTTP/1.1 400 Bad\r\n\r\n", "what answers at tcp://127.* is not a Dask scheduler, .*"),
    ],
)
def test_where_no_scheduler_is_the_run_ends(
    league: League, banner: bytes | None, told: str
) -> None:
    """Also where something listens that says nothing, or speaks another language."""
    with socket.socket() as server, ExitStack() as stack:
        server.bind(("127.0.0.1", 0))
        if banner is not None:
            server.listen()
        run = league.start("run", "--cluster", f"tcp://127.0.0.1:{server.getsockname()[1]}")
        if banner:
            caller = stack.enter_context(server.accept()[0])
            caller.sendall(banner)
        said = league.finish(run, 1).stderr
    assert re.fullmatch(f"arena: {told}\n", said), said
    assert_only_ours(said)
    assert "EiB" not in said
    assert league.count() == 0


@pytest.mark.slow
def test_ctrl_c_ends_the_wait_for_an_empty_cluster(league: League, tmp_path: Path) -> None:
    with DaskCluster(tmp_path / "empty") as empty:
        run = league.start("run", "--cluster", empty.address)
        assert run.stderr is not None
        next(line for line in run.stderr if "no workers yet; waiting for some" in line)
        run.send_signal(signal.SIGINT)
        said = league.finish(run, 1).stderr
    assert said.endswith("arena: stopped; 4 matches are missing. Run again to go on.\n")
    assert_only_ours(said)
    assert league.is_left_clean()


@pytest.mark.slow
def test_a_run_tells_who_plays_and_nothing_of_dask_and_a_whole_league_needs_none(
    league: League, cluster
) -> None:
    said = league.call("run", "--cluster", cluster.address)
    lines = said.stderr.splitlines()
    assert lines[0] == "4 matches to play."
    assert lines[1] == UNPROTECTED.strip()
    usual = "can play: [12] at once, [12] in all.$"  # whether or not both are ready together
    odd = [line for line in lines[2:-1] if not re.search(usual, line)]
    assert not odd
    assert lines[-1].startswith("4 of 4 matches, ")
    assert_only_ours(said.stderr)
    assert "4 matches of guerra in 2 whole deals" in said.stdout
    again = league.call("run", "--cluster", "tcp://127.0.0.1:1")  # which it does not need
    assert (again.stderr, again.stdout) == ("Nothing is missing.\n", said.stdout)


@pytest.mark.usefixtures("inline")
@pytest.mark.quick(1)
@pytest.mark.parametrize("command", ["rank", "--help", "run --help", "run", "doctor"])
def test_nothing_of_dask_is_imported_without_a_cluster(league: League, command: str) -> None:
    league.is_inline = True
    league.call("run")
    words = command.split()
    if command in ("rank", "run"):
        (league.folder / "league.toml").write_text(TEXT.replace("deals = 2", "deals = 3"))
        words.append(str(league.folder))
    code = "import sys, runpy; runpy.run_module('arena', run_name='__main__')"
    line = [sys.executable, "-X", "importtime", "-c", code, *words]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = {*re.findall(r"^import time:.*\| +(\w+)", done.stderr, re.MULTILINE)}
    assert "click" in found
    assert found.isdisjoint({"dask", "distributed", "tornado", "cloudpickle"})


def test_without_dask_its_installation_is_told(
    arena: Arena, league: League, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    for name in [name for name in sys.modules if name.startswith("arena.play.cluster.")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("dask", "distributed"):
        monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    golden(refused(arena, league, "tcp://127.0.0.1:1"))
