"""Mistakes that are made with --cluster: told in a line, without a word of Dask's own."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import TypeAlias

import pytest

from tests.arena.conftest import ROOT, TWO_BOTS, Arena, League
from tests.arena.play.cluster.dask_cluster import DaskCluster

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
    """A league that nobody has played yet."""
    league.write(TEXT)
    return league


Search: TypeAlias = tuple[League, "subprocess.Popen[str]"]


@pytest.fixture(scope="module", autouse=True)
def unanswered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Search]]:
    """Runs that look for a scheduler where none is, while other tests run."""
    searches = {}
    with socket.socket() as nobody, socket.socket() as silent:
        for name, there in (("nobody", nobody), ("silent", silent)):
            there.bind(("127.0.0.1", 0))
            league = League(tmp_path_factory.mktemp("searches") / name)
            league.write(TEXT)
            address = f"tcp://127.0.0.1:{there.getsockname()[1]}"
            searches[name] = league, league.start("run", "--cluster", address)
        silent.listen()
        yield searches
    for league, _ in searches.values():
        league.close()


def assert_only_ours(said: str) -> None:
    """Fail if the organizer has to read what is not ours to say."""
    for word in OF_DASK:
        assert word not in said.replace(UNPROTECTED, ""), said
    assert "\x1b" not in said


def assert_refused(league: League, address: str, *words: str, code: int = 2) -> None:
    """Fail unless a run ends at once with one line that holds these words."""
    said = league.call("run", "--cluster", address, code=code)
    assert said.stdout == ""
    assert re.fullmatch("arena: .*\n", said.stderr), said.stderr
    for word in words:
        assert word in said.stderr
    assert_only_ours(said.stderr)
    assert league.count() == 0


# Addresses


@pytest.mark.parametrize(
    "address",
    [
        *("", "foo", "8786", "scheduler", "tcp://", "tcp://scheduler", "tcp://scheduler:"),
        *("tcp://scheduler:port", "tcp://scheduler:0", "tcp://scheduler:70000", "tcp://:8786"),
        *("http://x:1", "https://x:8787/status", "inproc://1", "tcp://scheduler:8786/status"),
        *("tcp://[::1", "scheduler:8786:1", "tcp:/scheduler:8786"),
    ],
)
def test_what_is_no_address_is_refused(arena: Arena, league: League, address: str) -> None:
    result = arena("run", league.folder, "--cluster", address)
    expected = (
        f"arena: --cluster takes the address or the file of a scheduler, not {address!r}: an "
        f"address is like tcp://scheduler:8786.\n"
    )
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", expected)
    assert league.count() == 0


def test_a_mistake_costs_no_word_of_dask(league: League) -> None:
    assert_refused(league, "http://127.0.0.1:1", "an address is like tcp://scheduler:8786.")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"address": 8786}', "\0", "[" * 100_000],
    ids=["empty", "half", "a list", "without an address", "a number", "no JSON", "deep"],
)
def test_a_file_that_no_scheduler_wrote_is_refused(
    arena: Arena, league: League, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text(text)
    result = arena("run", league.folder, "--cluster", file)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"arena: {file} holds no address: a scheduler did not write it, or has not finished yet.\n"
    )


def test_a_file_with_what_is_no_address_is_refused(
    arena: Arena, league: League, tmp_path: Path
) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text('{"address": "nowhere"}')
    result = arena("run", league.folder, "--cluster", file)
    assert result.exit_code == 2
    assert f"{file}: 'nowhere' is not a scheduler's address" in result.stderr


def test_a_file_that_is_missing_is_named(arena: Arena, league: League, tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    result = arena("run", league.folder, "--cluster", file)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"arena: there is no file {file}. `dask scheduler --scheduler-file` writes it.\n"
    )


def test_a_folder_is_no_file(arena: Arena, league: League, tmp_path: Path) -> None:
    (tmp_path / "scheduler.json").mkdir()
    result = arena("run", league.folder, "--cluster", tmp_path / "scheduler.json")
    assert result.exit_code == 2
    assert "scheduler.json cannot be read: Is a directory." in result.stderr


def test_a_cluster_and_workers_of_this_machine_are_one_too_many(
    arena: Arena, league: League
) -> None:
    result = arena("run", league.folder, "--cluster", "tcp://127.0.0.1:1", "--workers", "2")
    assert result.exit_code == 2
    assert result.stderr == (
        "arena: --workers does not go with --cluster: there, Dask's workers play.\n"
    )


def test_a_part_is_checked_before_a_cluster_is_asked(arena: Arena, league: League) -> None:
    result = arena("run", league.folder, "--cluster", "tcp://127.0.0.1:1", "--part", "3/2")
    assert result.exit_code == 2
    assert "--part takes K/N" in result.stderr


# Certificates


def tls(**files: object) -> dict[str, str]:
    """Return the environment in which Dask's configuration names files for TLS."""
    names = {f"DASK_DISTRIBUTED__COMM__TLS__{key}": str(file) for key, file in files.items()}
    return {**os.environ, **names}


@pytest.mark.quick(1)
@pytest.mark.parametrize("scheme", ["tls", "tcp"])
def test_a_missing_certificate_is_named(league: League, tmp_path: Path, scheme: str) -> None:
    """Dask looks at it whatever the address is."""
    missing = tmp_path / "missing.pem"
    env = tls(CA_FILE=missing, CLIENT__CERT=missing, CLIENT__KEY=missing)
    said = league.call("run", "--cluster", f"{scheme}://127.0.0.1:1", code=1, env=env).stderr
    assert said == (
        f"arena: {missing}, which Dask's configuration names for TLS (distributed.comm.tls: "
        f"ca-file), cannot be read: No such file or directory.\n"
    )


def test_what_is_no_certificate_is_refused(league: League, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("no certificate\n")
    env = tls(CA_FILE=wrong, CLIENT__CERT=wrong, CLIENT__KEY=wrong)
    said = league.call("run", "--cluster", "tls://127.0.0.1:1", code=1, env=env).stderr
    assert said.startswith(
        "arena: the files that Dask's configuration names for TLS (distributed.comm.tls: ca-file, "
        "client.cert, client.key) are not certificates with a matching key ("
    )
    assert said.count("\n") == 1


# Nobody there


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


@pytest.mark.parametrize("banner", [b"SSH-2.0-OpenSSH_9.2p1\r\n", b"HTTP/1.1 400 Bad\r\n\r\n"])
def test_what_speaks_another_language_is_no_scheduler(league: League, banner: bytes) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        run = league.start("run", "--cluster", f"tcp://127.0.0.1:{server.getsockname()[1]}")
        caller, _ = server.accept()
        with caller:
            caller.sendall(banner)
            said = league.finish(run, 1).stderr
    assert re.fullmatch("arena: what answers at tcp://127.* is not a Dask scheduler, .*\n", said), (
        said
    )
    assert_only_ours(said)
    assert "EiB" not in said


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A scheduler without Dask workers."""
    with DaskCluster(tmp_path_factory.mktemp("empty")) as cluster:
        yield cluster


def test_ctrl_c_ends_the_wait_for_an_empty_cluster(league: League, empty: DaskCluster) -> None:
    run = league.start("run", "--cluster", empty.address)
    assert run.stderr is not None
    next(line for line in run.stderr if "no workers yet; waiting for some" in line)
    run.send_signal(signal.SIGINT)
    said = league.finish(run, 1).stderr
    assert said.endswith("arena: stopped; 4 matches are missing. Run again to go on.\n")
    assert_only_ours(said)
    assert league.is_left_clean()


@pytest.mark.slow
def test_a_league_that_is_whole_needs_no_cluster(league: League) -> None:
    league.call("run")
    again = league.call("run", "--cluster", "tcp://127.0.0.1:1")
    assert again.stderr == "Nothing is missing.\n"
    assert "4 matches of guerra" in again.stdout


# What is said


@pytest.mark.quick(1)
@pytest.mark.parametrize("words", [{}, {"NO_COLOR": "1"}], ids=["piped", "without colour"])
def test_a_run_tells_who_plays_and_nothing_of_dask(league: League, cluster, words) -> None:
    said = league.call("run", "--cluster", cluster.address, env={**os.environ, **words})
    lines = said.stderr.splitlines()
    assert lines[0].startswith("4 matches to play; one core would need about ")
    assert lines[1] == UNPROTECTED.strip()
    usual = "can play: [12] at once, [12] in all.$"  # whether or not both are ready together
    odd = [line for line in lines[2:-1] if not re.search(usual, line)]
    assert not odd
    assert lines[-1].startswith("4 of 4 matches, ")
    assert_only_ours(said.stderr)
    assert "4 matches of guerra in 2 whole deals" in said.stdout


def test_the_table_can_be_read_by_programs(league: League, cluster) -> None:
    words = ("--cluster", cluster.address, "--format", "json")
    found = json.loads(league.call("run", *words).stdout)
    assert found


def test_help_fits_a_terminal(arena: Arena) -> None:
    text = arena("run", "--help", env={"COLUMNS": "80"}).stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "--cluster ADDRESS" in text
    assert "arena run cup --cluster tcp://scheduler:8786" in text


# Without Dask


def imported(*words: str) -> set[str]:
    """Return the packages that a command of its own process imports."""
    code = "import sys, runpy; runpy.run_module('arena', run_name='__main__')"
    process = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    lines = [line for line in process.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


@pytest.mark.quick(1)
@pytest.mark.parametrize("command", ["--help", "run --help", "rank", "run", "doctor"])
def test_nothing_of_dask_is_imported_without_a_cluster(league: League, command: str) -> None:
    league.call("run")
    words = command.split()
    if command in ("rank", "run"):
        (league.folder / "league.toml").write_text(TEXT.replace("deals = 2", "deals = 3"))
        words.append(str(league.folder))
    found = imported(*words)
    assert "click" in found
    assert found.isdisjoint({"dask", "distributed", "tornado", "cloudpickle"})


def test_without_dask_its_installation_is_told(league: League, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    for name in ("dask", "distributed"):
        lines = f"raise ModuleNotFoundError('No module named {name}', name={name!r})\n"
        (hidden / f"{name}.py").write_text(lines)
    env = {**os.environ, "PYTHONPATH": str(hidden)}
    said = league.call("run", "--cluster", "tcp://127.0.0.1:1", code=2, env=env).stderr
    assert re.fullmatch(
        r"arena: --cluster needs Dask \((dask|distributed) is missing\): "
        r"pip install 'bot-arena\[cluster\]', or '\.\[cluster\]' in a clone\.\n",
        said,
    )
    assert league.call("run", env=env).stdout  # what is played here does without it


# At the end, as it takes a while


@pytest.mark.parametrize("who", ["nobody", "silent"])
def test_where_no_scheduler_is_the_run_ends(unanswered: dict[str, Search], who: str) -> None:
    """Also where something listens that says nothing."""
    league, run = unanswered[who]
    said = league.finish(run, 1).stderr
    assert re.fullmatch("arena: no Dask scheduler answers at tcp://127.*\n", said), said
    assert_only_ours(said)
    assert league.count() == 0
