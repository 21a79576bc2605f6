"""Slow matches: many in one process, left and killed, and gone on with."""

import json
import os
import random
import resource
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import msgspec
import pytest

from referee.match.kept import KeptAnswer
from tests.arena.conftest import League
from tests.outside.sources import NIM
from tests.referee.process_watch import until

SLEEPER = """
import time, kit, guerra_random
def choose(ask):
    time.sleep({pause})
    return guerra_random.choose(ask)
kit.run(choose)
"""
FICKLE = """
import os, time, kit, guerra_random
def choose(ask):
    time.sleep(0.05)
    for _ in range(os.getpid() % 50):
        guerra_random.choose(ask)
    return guerra_random.choose(ask)
kit.run(choose)
"""
"""A bot that plays otherwise in each process."""


def write(league: League, *, pause: float = 0.03, pace: str = "slow", deals: int = 3) -> None:
    """Write a league of two bots that sleep."""
    entries = "".join(
        league.bot(name, SLEEPER.format(pause=pause))
        for name in ("ada", "bob")
        if not (league.home / name).exists()
    )
    file = league.folder / "league.toml"
    if not entries:
        text = file.read_text()
        entries = text[text.index("\n[[bot]]") :]
    league.write(
        f'game = "guerra"\nseed = 1\ndeals = {deals}\noptions.max_turns = 20\n'
        f'limits = {{ sandbox = "none", pace = "{pace}", move_time = 30, slots = 20 }}\n{entries}'
    )


def results(league: League) -> list[object]:
    """Return all that was played, without what was measured."""
    found = ((match.id, match.places, replay.entries) for match, replay in league.stored())
    return sorted(found, key=lambda played: played[0])


def kept(league: League) -> int:
    """Return how many answers of matches on their way are kept."""
    file = league.folder / "slow.db"
    if not file.exists():
        return 0
    with closing(sqlite3.connect(file, timeout=30)) as db:
        try:
            (count,) = db.execute("SELECT count(*) FROM answer").fetchone()
        except sqlite3.OperationalError:  # it is just being made
            return 0
    return int(count)


@pytest.fixture
def reference(league: League) -> list[object]:
    """What the league comes to when nothing disturbs it, with a core for each match."""
    write(league, pace="fast")
    league.call("run", "--workers", "2")
    found = results(league)
    (league.folder / "league.db").unlink()
    write(league)
    return found


@pytest.mark.slow
def test_slow_matches_come_to_what_fast_ones_come_to(
    league: League, reference: list[object]
) -> None:
    ended = league.call("run")
    assert "with 6 slots" in ended.stderr
    assert results(league) == reference
    league.call("verify")
    assert league.is_left_clean()


@pytest.mark.slow
def test_matches_on_their_way_go_on_after_each_kill(
    league: League, reference: list[object]
) -> None:
    rng = random.Random(7)
    for _ in range(3):  # so that the matches are not over before the last
        before = kept(league)
        run = league.start("run")
        until(lambda: kept(league) >= before + 20 or run.poll() is not None, 20)  # noqa: B023
        time.sleep(rng.random() * 0.1)
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        assert kept(league) > before, "a kill has lost what was answered"
    ended = league.call("run")
    assert "anew" not in ended.stderr
    assert results(league) == reference
    assert league.is_left_clean()


@pytest.mark.slow
def test_another_process_goes_on_where_one_was_killed(
    league: League, reference: list[object]
) -> None:
    run = league.start("run")
    until(lambda: kept(league) > 30, 20)
    (process,) = league.workers()
    os.kill(process, signal.SIGKILL)
    ended = league.finish(run)
    assert "was killed by SIGKILL" in ended.stderr
    assert "another goes on with its matches" in " ".join(ended.stderr.split())
    assert results(league) == reference
    assert league.is_left_clean()


@pytest.mark.slow
def test_an_interruption_leaves_the_matches_at_once(
    league: League, reference: list[object]
) -> None:
    run = league.start("run")
    until(lambda: kept(league) > 30, 20)
    os.kill(run.pid, signal.SIGINT)
    asked = time.monotonic()
    ended = league.finish(run, 1)
    assert time.monotonic() - asked < 3
    assert "Leaving the matches on their way" in ended.stderr
    assert "stopped; 6 matches are missing (6 have begun and will go on)" in ended.stderr
    assert kept(league) > 30
    until(lambda: not league.processes(), 5)
    league.call("run")
    assert results(league) == reference
    assert league.is_left_clean()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_stopped_service_charges_nobody_and_loses_nothing(
    league: League, reference: list[object], seed: int
) -> None:
    """Every process gets SIGTERM, in any order, and bots end by it."""
    run = league.start("run")
    until(lambda: kept(league) > 30, 20)
    processes = [run.pid, *league.processes()]
    random.Random(seed).shuffle(processes)
    for pid in processes:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    league.finish(run, 1)
    assert not [answer for answer in answers(league).values() if answer.fault]
    league.call("run")
    assert results(league) == reference
    assert league.is_left_clean()


def answers(league: League) -> dict[tuple[int, ...], KeptAnswer]:
    """Return what is kept of matches on their way, by match, seat and number."""
    with closing(sqlite3.connect(league.folder / "slow.db", timeout=30)) as db:
        rows = db.execute("SELECT match, seat, number, said FROM answer")
        return {tuple(at): msgspec.msgpack.decode(said, type=KeptAnswer) for *at, said in rows}


@pytest.mark.slow
def test_a_bot_that_answers_otherwise_than_before_has_a_fault_and_what_it_answered_stands(
    league: League,
) -> None:
    entries = league.bot("ada", SLEEPER.format(pause=0.03)) + league.bot("bob", FICKLE)
    league.write(
        'game = "guerra"\nseed = 1\ndeals = 1\noptions.max_turns = 60\n'
        'limits = { sandbox = "none", pace = "slow", move_time = 30, faults_allowed = 9 }\n'
        f"{entries}"
    )
    run = league.start("run")
    until(lambda: kept(league) > 30, 20)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    before = answers(league)
    for _ in range(2):  # what was a fault once stays one
        run = league.start("run")
        until(lambda: kept(league) > len(before) + 10 or run.poll() is not None, 20)  # noqa: B023
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        now = answers(league)
        assert {key: now[key].move for key in before} == {key: before[key].move for key in before}
    assert {each.fault for each in now.values()} == {None, "changed"}
    league.call("run")
    assert league.count() == 2
    for match, _ in league.stored():
        for bot, faults in zip(match.bots, match.faults, strict=True):
            assert set(faults) == ({"changed"} if bot.name == "bob" else set())
    assert "none differs" in league.call("verify").stdout


@pytest.mark.slow
def test_what_a_changed_bot_answered_is_forgotten(league: League) -> None:
    write(league)
    run = league.start("run")
    until(lambda: kept(league) > 30, 20)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    with (league.home / "bob" / "bot.py").open("a") as bot:
        bot.write("# another version\n")
    ended = league.call("run")
    assert "anew" not in ended.stderr  # it is another bot, and was not asked again
    assert league.count() == 6
    assert league.is_left_clean()


def game(league: League, instead: str) -> None:
    """Write a league of a game that does something else at one decision of one match."""
    source = NIM.replace(
        "    def apply(self, moves):\n",
        "    def apply(self, moves):\n"
        f"        if self.chance.seed == 'SEED' and self.heap < 8:\n            {instead}\n",
    )
    (league.home / "nim.py").write_text(source)
    entries = league.bot("ada", ANY) + league.bot("bob", ANY)
    league.write(
        f'game = "../nim.py"\nseed = 1\ndeals = 4\nmirror = true\n'
        f'limits = {{ sandbox = "none", pace = "slow", move_time = 30 }}\n{entries}'
    )
    league.call("run", "--trust", env=environment(league))
    exported = league.call("export", "--trust", env=environment(league)).stdout.splitlines()
    seed = json.loads(exported[1])["replay"]["seed"]
    (league.folder / "league.db").unlink()
    (league.home / "nim.py").write_text(source.replace("SEED", seed))


ANY = """
import time, kit
def choose(ask):
    time.sleep(0.02)
    return ask.legal[0]
kit.run(choose)
"""


def environment(league: League) -> dict[str, str]:
    """Return an environment in which consents are kept in the league's home."""
    return {**os.environ, "XDG_STATE_HOME": str(league.home)}


@pytest.mark.slow
def test_a_game_that_kills_the_process_costs_its_matches_alone(league: League) -> None:
    game(league, "__import__('os')._exit(7)")
    ended = league.call("run", "--trust", code=1, env=environment(league))
    said = " ".join(ended.stderr.split())
    assert "deal 0 of ada, bob twice killed its worker, which ended with code 7" in said
    assert league.count() == 6
    assert "2 matches are missing" in said
    until(lambda: not league.processes(), 5)
    assert "slow.db" in league.files()  # with the answers of the two


def longest_wall(league: League, bot: str) -> float:
    """Return the longest turn of a bot, as it was held against it, in seconds."""
    words = ("export", "--trust")
    rows = map(json.loads, league.call(*words, env=environment(league)).stdout.splitlines()[1:])
    walls = [
        wall
        for row in rows
        for entry, wall in zip(row["replay"]["entries"], row["evidence"]["wall"], strict=True)
        if row["bots"][entry[0]]["name"] == bot
    ]
    return max(walls) * 1e-6


@pytest.mark.slow
def test_time_in_which_another_match_worked_is_held_against_nobody(league: League) -> None:
    game(league, "__import__('time').sleep(0.8)")
    league.call("run", "--trust", env=environment(league))
    assert league.count() == 8
    assert longest_wall(league, "ada") < 0.5


@pytest.mark.soak
def test_a_game_that_does_not_come_back_costs_its_matches_alone(league: League) -> None:
    game(league, "while True: pass")
    run = league.start("run", "--trust", env=environment(league))
    out, err = run.communicate(timeout=240)
    assert run.returncode == 1, out
    assert "the game has used 20 s of CPU time: an endless loop?" in err
    assert league.count() == 6


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--workers", "2"), "--workers does not go with a slow league"),
        (("--cluster", "tcp://127.0.0.1:1"), "--cluster does not go with a slow league"),
    ],
)
def test_a_slow_league_has_slots_alone(league: League, words: tuple[str, str], said: str) -> None:
    write(league)
    ended = league.call("run", *words, code=2)
    assert said in " ".join(ended.stderr.split())


def bounded(limit: int, most: int) -> Callable[[], None]:
    """Return what bounds a process before it begins."""
    return lambda: resource.setrlimit(limit, (most, most))


@pytest.mark.slow
def test_too_many_slots_are_refused_with_the_number_that_fits(league: League) -> None:
    write(league, deals=100)
    text = (league.folder / "league.toml").read_text().replace("slots = 20", "slots = 150")
    league.write(text)
    ended = league.call("run", code=2, preexec_fn=bounded(resource.RLIMIT_NOFILE, 1000))
    said = " ".join(ended.stderr.split())
    assert "slots = 150 may need 1,700 open files, and there can be 1,000 (ulimit -Hn) here" in said
    assert "have slots = 80 or fewer" in said
    assert not (league.folder / "slow.db").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="who is not root runs all bots as one user")
def test_too_many_slots_for_the_users_of_root_are_refused(league: League) -> None:
    write(league, deals=3000)
    text = (league.folder / "league.toml").read_text().replace("slots = 20", "slots = 2500")
    league.write(text.replace('sandbox = "none"', 'sandbox = "landlock"'))
    ended = league.call("run", code=2)
    said = " ".join(ended.stderr.split())
    assert "slots = 2500 may need 5,000 users that root runs bots as, and there can be 4" in said
    assert "have slots = 2048 or fewer" in said


@pytest.mark.slow
def test_a_file_of_answers_that_is_none_stops_the_run_with_the_remedy(league: League) -> None:
    write(league)
    Path(league.folder / "slow.db").write_text("no database, but long enough to be one")
    ended = league.call("run", code=1)
    said = " ".join(ended.stderr.split())
    assert "slow.db is damaged" in said
    assert "Remove it: the matches that were under way begin anew, but for those" in said
    assert "Traceback" not in said


@pytest.mark.slow
def test_answers_that_cannot_be_read_stop_the_run_with_the_remedy(league: League) -> None:
    write(league)
    run = league.start("run")
    until(lambda: kept(league) > 10, 20)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    with closing(sqlite3.connect(league.folder / "slow.db")) as db, db:
        db.execute("UPDATE answer SET said = x'ff00'")
    said = " ".join(league.call("run", code=1).stderr.split())
    assert "slow.db is damaged: what is kept cannot be read: " in said
    assert "Remove it: the matches that were under way begin anew" in said
    assert "Traceback" not in said
