"""A person at the table: `human` in `arena play`, with real bots beside."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from arena.roster import SHIPPED
from referee.games import GAMES

Arena = Callable[..., Result]

UNWALLED = ("--sandbox", "none")


@pytest.mark.parametrize("game", GAMES)
def test_a_person_plays_every_game_to_its_end(arena: Arena, game: str) -> None:
    bots = ["random"] * (GAMES[game].seat_counts[0] - 1)
    result = arena("play", game, *bots, "human", "--seed", "3", *UNWALLED, typed="random\n" * 9000)
    assert result.exit_code == 0, result.output[-300:]
    assert "Ended: " in result.stdout
    assert "FAULT" not in result.stdout


def test_a_person_sees_the_table_the_choices_and_what_is_wrong(arena: Arena) -> None:
    typed = "?\nnonsense\nfly 4\nshift 0 9 9 9\nattack 1\n"
    result = arena(
        *("play", "cold_war", "human", "sensible", "random", "echo", "--seed", "1", *UNWALLED),
        typed=typed,
    )
    assert "human (seat 0): play" in result.stdout
    assert "  add_max: 4" in result.stdout
    assert "> arm ADD ..." in result.stdout
    assert "add: Missiles added to the marker" in result.stdout
    assert "That is not understood. Try ?." in result.stdout
    assert 'Not possible: the entries of "move" add up to 27, not to 0.' in result.stdout
    assert "South attacks with West" in result.stdout
    assert all(len(line) <= 82 for line in result.stdout.splitlines())


@pytest.mark.parametrize("typed", ["", "quit\n"])
def test_leaving_ends_the_match_without_a_result(arena: Arena, typed: str) -> None:
    result = arena("play", "guerra", "human", "random", *UNWALLED, typed=typed)
    assert result.exit_code == 1
    assert "the match was left before its end" in result.stderr
    assert "Ended" not in result.stdout


def test_what_others_do_is_not_told_but_by_the_table(arena: Arena) -> None:
    result = arena("play", "guerra", "human", "random", *UNWALLED, typed="random\n" * 20)
    assert "[random]" not in result.stdout


def test_faults_are_told_after_the_end_for_they_may_tell_what_a_bot_held(
    arena: Arena, public: Path
) -> None:
    bot = public / "bot.py"
    bot.write_text(f"#!{sys.executable}\nimport kit\nkit.run(lambda ask: {{}})\n")
    bot.chmod(0o755)
    (public / "kit.py").write_text((SHIPPED / "kit.py").read_text())
    result = arena("play", "guerra", "human", bot, *UNWALLED, typed="random\n" * 9)
    shown, _, after = result.stdout.partition("Ended: forfeit")
    *before, last = shown.split("human (seat 0): ")
    assert not any("FAULT" in screen for screen in before)
    assert last.count("FAULT: illegal") == 3
    assert "2. bot (seat 1)" in after


def test_two_people_may_share_a_terminal(arena: Arena) -> None:
    result = arena("play", "guerra", "human", "human", "--seed", "1", typed="random\n" * 900)
    assert result.exit_code == 0
    assert "human#0 (seat 0)" in result.stdout
    assert "human#1 (seat 1)" in result.stdout


def test_a_league_has_no_people(arena: Arena) -> None:
    result = arena("init", "cup", "--game", "guerra", "human", "random")
    assert result.exit_code == 2
    assert "a human cannot play in a league" in result.stderr
