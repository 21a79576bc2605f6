"""A person at the table: `human` in `arena play`, with real bots beside."""

import re
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.league.finding import KIT
from arena.person.question import Question
from referee.games import GAMES
from referee.rules.game import plain
from referee.rules.options import new_game, read_options
from tests.arena.conftest import Arena
from tests.arena.terminal import at_terminal, bots_of
from tests.golden import Golden
from tests.referee.process_watch import until

UNSANDBOXED = ("--sandbox", "none")
HAND = f"{0xA9:016x}"
"""A seed by which the first seat of guerra begins with 12B, 1C and 3E."""


@pytest.mark.quick(1)
@pytest.mark.parametrize("game", [*GAMES][::-1])  # the last are shorter
def test_a_person_plays_every_game_to_its_end(arena: Arena, game: str) -> None:
    bots = ["random"] * (GAMES[game].seat_counts[0] - 1)
    result = arena(
        "play", game, *bots, "human", "--seed", "3", *UNSANDBOXED, typed="random\n" * 9000
    )
    assert result.exit_code == 0, result.output[-300:]
    assert "Ended: " in result.stdout
    assert "FAULT" not in result.stdout
    assert "[random]" not in result.stdout, "what others do is told by the table alone"


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        (
            "cold_war human sensible random echo",
            "?\nshift 0 9 9 9\narm 1\natack 1\nattack 1\n",
        ),
        ("cold_war human echo echo echo --option talk=true", "Peace, West?\nattack 1\n\nquit\n"),
        ("guerra human random", "12B 1C\n12B 1C 9X\nquit\n"),
        ("casino_war human random", ",\nquit\n"),
    ],
    ids=["a secret move", "talk", "cards", "a number"],
)
def test_a_person_sees_the_table_the_choices_and_what_is_wrong(
    arena: Arena, golden: Golden, words: str, typed: str
) -> None:
    shown = arena("play", *words.split(), "--seed", HAND, *UNSANDBOXED, typed=typed).stdout
    assert shown.startswith(words.split()[0])
    golden(shown)
    assert all(len(line) <= 82 for line in shown.splitlines())


def test_leaving_ends_the_match_without_a_result(arena: Arena) -> None:
    for typed in ("", "quit\n"):
        result = arena("play", "guerra", "human", "random", *UNSANDBOXED, typed=typed)
        assert result.exit_code == 1
        assert "the match was stopped before its end" in result.stderr
        assert "Ended" not in result.stdout
    league = arena("init", "cup", "--game", "guerra", "human", "random")
    assert league.exit_code == 2
    assert "a human cannot play in a league" in league.stderr


def test_faults_are_told_after_the_end_for_they_may_tell_what_a_bot_held(
    arena: Arena, public: Path
) -> None:
    bot = public / "bot.py"
    bot.write_text(f"#!{sys.executable}\nimport kit\nkit.run(lambda ask: {{}})\n")
    bot.chmod(0o755)
    (public / "kit.py").write_text(KIT.read_text())
    result = arena("play", "guerra", "human", bot, *UNSANDBOXED, typed="random\n" * 9)
    shown, _, after = result.stdout.partition("Ended: forfeit")
    *before, last = shown.split("human (seat 0): ")
    assert not any("FAULT" in screen for screen in before)
    assert last.count("FAULT: illegal") == 3
    assert "2. bot (seat 1)" in after


# --- what is offered


def test_every_order_that_is_possible_is_offered_and_none_that_an_option_rules_out() -> None:
    def prompt(name: str, decision: str, **options: Any) -> tuple[str, str]:
        kind, rng = GAMES[name], Random(1)
        game = new_game(kind, kind.seat_counts[0], read_options(kind, options), "a deal")
        while deciders := game.deciders():
            for seat in deciders:
                if (found := game.decision(seat)).name == decision:
                    question = Question(game, seat, found, plain(game.view(seat)))
                    return question.choices(), question.help()
            game.apply({seat: game.sample(seat, rng) for seat in deciders})
        raise AssertionError(decision)

    choices, _ = prompt("guerra", "orders")
    assert re.findall(r"  > (\w+)", choices) == ["attack", "incorporate", "mass_transfer"]
    for mode, fields in (("order", "FROM TO DICE ROLLS STOP_AT"), ("single", "FROM TO DICE")):
        choices, help_ = prompt("world_war", "attack", attack_mode=mode)
        assert re.findall("> attack (.*)", choices) == [fields]
        assert "  > stop" in choices
        assert "Not possible now: attack FROM TO DICE" in help_


def test_new_cards_are_pointed_out(arena: Arena) -> None:
    typed = "random\nrandom\nincorporate 3E centre\nquit\n"
    words = ("play", "guerra", "human", "random", "--seed", HAND, *UNSANDBOXED)
    screens = arena(*words, typed=typed).stdout.split("-" * 80)[1:]
    tables = [screen.partition("A (you): reserve")[2] for screen in screens]
    hands = [re.findall(r"[*]?(\d+[OCEB])\b", own.partition("; ")[0]) for own in tables]
    for before, now, screen in zip(hands, hands[1:], screens[1:], strict=False):
        new = re.findall("New in your hand: (.*)", screen)
        assert sorted(" ".join(new).split()) == sorted(set(now) - set(before))


# --- at a terminal


DUEL = ("play", "duel", "human", "turtle", "--seed", f"{0x3C:016x}")
"""A match in which the first seat rolls 3 and 2."""


def test_a_move_is_told_and_waits_for_enter_so_that_a_slip_can_be_mended() -> None:
    with at_terminal(*DUEL, PAGER="cat") as terminal:
        terminal.until("\n> ")
        terminal.type("table\n")  # it and the rules can be seen at any time
        assert "  Dice  3, 2\n" in terminal.until("A chooses 2, Big\n> ")
        terminal.type("rules\n")
        assert "# Duel" in terminal.until("\n> ")
        terminal.type("3\n")
        assert "  = A chooses 3, Quick\n" in terminal.until("another move > ")
        terminal.type("big\n")
        assert "  = A chooses 2, Big\n" in terminal.until("another move > ")
        terminal.type("9\n")
        assert "Choose one of the numbers 3, 2." in terminal.until("> ")
        terminal.type("2\n")
        terminal.until("another move > ")
        terminal.type("\n")
        assert "  Trait: Big, maximum stamina +3\n" in terminal.until("(seat 0): action")


def test_while_a_person_thinks_the_bots_are_frozen() -> None:
    with at_terminal("play", "guerra", "human", "random") as terminal:
        terminal.until("(? for help)")
        until(lambda: list(bots_of(terminal).values()) == ["T"])
        terminal.type("random\n")
        terminal.until("(? for help)")
        until(lambda: list(bots_of(terminal).values()) == ["T"])
    assert "waiting for random, " in terminal.shown
    assert "waiting for human" not in terminal.shown


@pytest.mark.quick(1)
@pytest.mark.parametrize("settings", [{"TERM": "xterm"}, {"TERM": "xterm", "NO_COLOR": "1"}])
def test_quick_plays_at_once_and_a_question_is_bold_where_that_is_wanted(
    settings: dict[str, str],
) -> None:
    with at_terminal(*DUEL, **settings) as terminal:
        terminal.until("\n> ")
        assert ("\x1b[1mhuman (seat 0)" in terminal.shown) == ("NO_COLOR" not in settings)
        terminal.type("quick\n")
        terminal.until("Moves are played at once.\n> ")
        terminal.type("3\n")
        assert "another move" not in terminal.until("(seat 0): action")


@pytest.mark.parametrize(
    ("bots", "words", "said"),
    [
        ("human human", "--browser", "--browser is for one person, and 2 seats are 'human'."),
        ("random random", "--browser", "`arena report LEAGUE -o FILE` makes a page"),
        ("human random", "--no-open", "--no-open is for --browser: nothing else is opened."),
    ],
)
def test_a_page_is_for_one_person(arena: Arena, bots: str, words: str, said: str) -> None:
    result = arena("play", "guerra", *bots.split(), words, *UNSANDBOXED)
    assert result.exit_code == 2
    assert said in result.stderr
