"""Ways to be absent at the right moment, of bots that are losing: none keeps a match from counting.

Here is what a bot may do when its match goes on after an interruption, and a list of all other ways
that were thought of, each with the test that tries it.
"""

import ast
import json
import os
import shutil
import signal
from pathlib import Path

import pytest

from arena.store.under_way import under_way
from tests.arena.conftest import League
from tests.referee.process_watch import until

TESTS = Path(__file__).parents[3]
_DOORS, _OUTAGES = "arena/play/slow/test_doors.py", "referee/door/test_outages.py"
_SLOW, _PLAYER = "arena/play/slow/test_slow_matches.py", "arena/serve/test_player.py"
_REMOTE, _HOME = "arena/serve/test_remote.py", "arena/home/test_bots_at_home.py"
ELSEWHERE = {
    "ends, hangs, floods, is late, closes its output, stops its clock": (
        "arena/cli/test_naughty_everywhere.py",
        "test_a_league_of_all_of_them_is_played_to_its_end",
    ),
    "ends when a service is stopped, or does not": (
        "arena/play/test_worker.py",
        "test_a_match_during_which_all_were_told_to_end_is_not_reported",
    ),
    "ends so in a slow league": (
        _SLOW,
        "test_a_stopped_service_charges_nobody_and_loses_nothing",
    ),
    "answers otherwise when it is asked again": (
        _SLOW,
        "test_a_bot_that_answers_otherwise_than_before_has_a_fault_and_what_it_answered_stands",
    ),
    "kills what plays its match, twice": (
        _SLOW,
        "test_a_game_that_kills_the_process_costs_its_matches_alone",
    ),
    "has its provider answer 500": (
        _DOORS,
        "test_nobody_calls_off_a_match_by_asking_for_what_fails",
    ),
    "has its provider answer without end": (_OUTAGES, "test_an_endless_answer_is_an_outage"),
    "has its provider not listen": (
        _OUTAGES,
        "test_a_provider_that_does_not_listen_is_waited_for",
    ),
    "has its provider refuse the key": (
        _OUTAGES,
        "test_a_key_that_is_refused_is_an_outage_and_a_mistake_of_the_bot_is_answered",
    ),
    "asks for much that fails at once, to be held for longer": (
        _OUTAGES,
        "test_a_bot_has_so_much_time_for_outages_in_a_match_and_those_at_once_count_once",
    ),
    "has only its own requests to a shared provider fail": (
        _OUTAGES,
        "test_what_fails_while_our_own_request_is_answered_is_the_bots",
    ),
    "spends all that it may": (
        _DOORS,
        "test_a_bot_that_has_spent_all_is_told_so_and_its_matches_go_on",
    ),
    "thinks while a request is held that fails": (
        _DOORS,
        "test_nobody_gains_time_by_asking_for_what_fails",
    ),
    "thinks while the rates hold it": (
        _OUTAGES,
        "test_rates_stop_a_clock_for_so_long_in_a_match_and_no_longer",
    ),
    "uses up the rates of others": (_OUTAGES, "test_no_bot_uses_up_the_rate_of_another"),
    "begins its session anew": (
        _REMOTE,
        "test_nobody_calls_off_matches_by_a_session_that_he_knows_and_begins_anew",
    ),
    "goes silent": (_REMOTE, "test_a_connection_that_passes_nothing_is_broken_after_a_while"),
    "has other files connected in its place": (
        _REMOTE,
        "test_what_was_replaced_stays_connected_until_it_has_finished",
    ),
    "hands in a new version": (
        "arena/play/slow/test_absences.py",
        "test_a_new_version_does_not_call_off_what_the_old_one_has_begun",
    ),
    "ends its copy at home": (_HOME, "test_a_copy_that_ends_is_told_with_its_words"),
    "does not come back after the server was away": (
        _PLAYER,
        "test_who_stays_away_from_a_match_that_has_begun_does_not_keep_it_from_counting",
    ),
    "does not come to the final, or does not start there": (
        _PLAYER,
        "test_what_bots_do_not_play_after_the_closing_they_have_lost",
    ),
}
"""What a bot or its author may do, and the file and the name of the test that tries it."""

ASKED_AGAIN = """
import os, sys, time, kit, guerra_random
again = os.path.exists({marker!r})
def choose(ask):
    if again:
        {when_asked}
    time.sleep(0.03)
    return guerra_random.choose(ask)
if again:
    {at_start}
kit.run(choose)
"""
WAYS = {
    "does not start": ("pass", "sys.exit(1)", {"startup"}),
    "never gets ready": ("pass", "time.sleep(60)", {"startup"}),
    "ends when it is asked": ("sys.exit(1)", "pass", {"changed", "crash"}),
    "says that a signal has ended it": ("os.kill(os.getpid(), 15)", "pass", {"changed", "crash"}),
    "stops itself": ("os.kill(os.getpid(), 19)", "pass", {"changed", "late"}),
    "does not answer": ("time.sleep(60)", "pass", {"changed", "late"}),
    "says nothing that can be read": ("return {}", "pass", {"changed", "illegal"}),
}
"""What it does when it is asked again, and when it starts again, and the faults that it has."""


HONEST = ASKED_AGAIN.format(marker="/no/marker", when_asked="pass", at_start="pass")


def interrupted(league: League, bob: str = HONEST, matches: int = 4, more: str = "") -> set[str]:
    """Play a league of ada and bob until its first matches have begun; return their ids."""
    entries = league.bot("ada", HONEST) + league.bot("bob", bob)
    league.write(
        f'game = "guerra"\nseed = 1\ndeals = 2\noptions.max_turns = 40\n{more}'
        'limits = { sandbox = "none", pace = "slow", move_time = 0.5, startup = 2, '
        f"faults_allowed = 2 }}\n{entries}"
    )
    run = league.start("run")
    until(lambda: len(kept := under_way(league.folder)) == matches and min(kept.values()) > 4, 20)
    os.kill(run.pid, signal.SIGINT)
    league.finish(run, 1)
    begun = under_way(league.folder)
    assert len(begun) == matches
    return {*begun}


def test_each_other_way_is_tried_where_it_is_said_to_be() -> None:
    for file, name in ELSEWHERE.values():
        found = ast.walk(ast.parse((TESTS / file).read_text()))
        assert name in {node.name for node in found if isinstance(node, ast.FunctionDef)}
    assert len(ELSEWHERE) + len(WAYS) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_who_is_absent_when_his_match_goes_on_has_lost_it(league: League, way: str) -> None:
    when_asked, at_start, kinds = WAYS[way]
    marker = league.home / "again"
    text = ASKED_AGAIN.format(marker=str(marker), when_asked=when_asked, at_start=at_start)
    begun = interrupted(league, text)
    marker.touch()
    league.call("run")
    rows = league.exported()
    assert {row["match"] for row in rows} == begun
    for row in rows:
        seat = [bot["name"] for bot in row["bots"]].index("bob")
        assert row["forfeits"] == [seat]
        assert row["faults"][seat].keys() == kinds
        assert row["faults"][1 - seat] == {}


def replace_bob(league: League) -> None:
    """Let bob be another version from now on, in a folder of its own."""
    league.bot("bob, mended", f"{HONEST}# mended")
    text = (league.folder / "league.toml").read_text()
    league.write(text.replace('"../bob"', '"../bob, mended"'))


@pytest.mark.slow
def test_a_new_version_does_not_call_off_what_the_old_one_has_begun(league: League) -> None:
    begun = interrupted(league)
    replace_bob(league)
    ended = league.call("run")
    assert (
        "4 matches are left of deals that had begun before bob had another version." in ended.stderr
    )
    rows = league.exported()
    assert (len(rows), {row["match"] for row in rows} & begun) == (8, begun)
    assert all(seat == {} for row in rows for seat in row["faults"])
    versions = {bot["version"] for row in rows for bot in row["bots"] if bot["name"] == "bob"}
    assert len(versions) == 2
    assert not (league.folder / "slow.db").exists()
    assert "none differs" in league.call("verify").stdout


@pytest.mark.slow
def test_a_replaced_version_finishes_the_deals_that_it_has_begun(league: League) -> None:
    """Else who has lost the first match of a mirrored deal could keep the whole deal from counting.

    The rotations of such a deal are played one after another.
    """
    begun = interrupted(league, matches=2, more="mirror = true\n")
    replace_bob(league)
    ended = league.call("run")
    assert "4 matches are left of deals that had begun" in ended.stderr
    rows = league.exported()
    assert len(rows) == 8
    assert begun < {row["match"] for row in rows}
    table = json.loads(league.call("rank", "--versions", "--format", "json").stdout)
    assert sorted(row["matches"] for row in table["standings"]) == [4, 4, 8]
    assert "none differs" in league.call("verify").stdout


@pytest.mark.slow
@pytest.mark.parametrize("form", ["knockout", "settled"])
def test_a_round_that_has_begun_binds(league: League, form: str) -> None:
    """Else a new version would play a first round anew that the old one was losing."""
    begun = interrupted(league, more=f'tournament = "{form}"\n')
    replace_bob(league)
    ended = league.call("run")
    stored = {row["match"] for row in league.exported()}
    if form == "settled":
        assert begun < stored
    else:
        assert stored == set()
        assert "4 matches are over that had begun" in ended.stderr
        assert "ada" in league.call("rank").stdout.split("Champion")[-1]
    assert "differs" in (verified := league.call("verify").stdout) or "no matches" in verified


@pytest.mark.slow
def test_a_match_that_is_stored_is_not_finished_again(league: League) -> None:
    """As after a kill between the two files."""
    interrupted(league)
    shutil.copytree(league.folder, league.home / "copy")
    league.call("run")
    shutil.copy(league.home / "copy" / "slow.db", league.folder)
    replace_bob(league)
    ended = league.call("run")
    assert "left of deals" not in ended.stderr
    assert league.count() == 8


@pytest.mark.slow
def test_who_plays_another_part_leaves_the_matches_of_this_one(league: League) -> None:
    begun = interrupted(league)
    number = next(n for n in "12" if league.call("run", "--part", f"{n}/2") and league.count())
    stored = {row["match"] for row in league.exported()}
    assert begun - stored == {*under_way(league.folder)}
    league.call("run", "--part", f"{3 - int(number)}/2")
    assert league.count() == 4


@pytest.mark.slow
@pytest.mark.parametrize("way", ["changed where it is", "removed", "taken out"])
def test_what_nobody_could_finish_is_told_and_over(league: League, way: str) -> None:
    begun = interrupted(league)
    if way == "taken out":
        text = (league.folder / "league.toml").read_text()
        carl = league.bot("carl", HONEST)
        league.write(text[: text.rindex("\n[[bot]]")] + carl)
    elif way == "removed":
        replace_bob(league)
        shutil.rmtree(league.home / "bob")
    else:
        with (league.home / "bob" / "bot.py").open("a") as file:
            file.write("# another version\n")
    ended = league.call("run")
    assert "4 matches are over that had begun" in ended.stderr
    rows = league.exported()
    assert (len(rows), {row["match"] for row in rows} & begun) == (4, set())
    assert not (league.folder / "slow.db").exists()
