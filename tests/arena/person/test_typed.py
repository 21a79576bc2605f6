"""Moves from words that a person typed: many ways to say one thing, and no way to break it."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.person import typed
from arena.person.question import Question
from arena.person.typed import MOST_WORDS, known_words, readings
from protocol.errors import ArenaError
from referee.games import GAMES
from referee.rules.game import Game, plain
from referee.testing.trial import sampling
from tests.referee.games.conformance import cases_of, moments
from tests.referee.games.guerra_positions import position

CARDS = ["5O", "6O", "7C", "2B", "4C", "7E", "11E", "vanguard", "centre", "rearguard"]

CENTRE = {"card": "7C", "zone": "centre"}
SWAP = {"card": "5O", "to": "vanguard", "swap_with": "6O"}
FORWARD = {"card": "2B", "to": "centre"}

SAID = [
    ("guerra", "orders", "attack", {"action": "attack"}),
    ("guerra", "orders", "att", {"action": "attack"}),
    ("guerra", "orders", "Incorporate 7c, centre", {"action": "incorporate", **CENTRE}),
    ("guerra", "orders", "inc zone=centre card=7C", {"action": "incorporate", **CENTRE}),
    ("guerra", "orders", "attack transfers 5o vang swap 6o 2b cent",
     {"action": "attack", "transfers": [SWAP, FORWARD]}),
    ("guerra", "orders", "mass (5O centre) (2B centre)",
     {"action": "mass_transfer", "moves": [{"card": "5O", "to": "centre"}, FORWARD]}),
    ("guerra", "attack", "5O 4C 7E", {"attackers": ["5O", "4C"], "target": "7E"}),
    ("guerra", "attack", "target 7e attackers 5o 4c", {"attackers": ["5O", "4C"], "target": "7E"}),
    ("guerra", "attack", "11e", {"attackers": ["11E"], "target": None}),
    ("guerra", "attack", "stop", {"attackers": [], "target": None}),
    ("guerra", "attack", "none", {"attackers": [], "target": None}),
    ("guerra", "deploy", "4C 7E 5O", {"rearguard": ["4C", "7E", "5O"]}),
    ("guerra", "attack", '{"attackers": [], "target": "7"}', {"attackers": [], "target": "7"}),
    ("cold_war", "play", "arm 0 2 1 1", {"play": "arm", "add": [0, 2, 1, 1]}),
    ("cold_war", "play", "SHIFT [0, -5, -7, +12]", {"play": "shift", "move": [0, -5, -7, 12]}),
    ("cold_war", "play", "attack with 1", {"play": "attack", "with": 1}),
    ("cold_war", "talk", "Arm, all of you; (please)", {"say": "Arm, all of you; (please)"}),
]  # fmt: skip


def test_a_move_may_be_said_like_this() -> None:
    for game, decision, line, meant in SAID:
        schema = GAMES[game].schemas()[decision]
        assert next(iter(readings(schema, line, CARDS))) == meant, line


def test_words_have_as_many_readings_as_meanings() -> None:
    deploy = GAMES["guerra"].schemas()["deploy"]
    assert list(readings(deploy, "5O 6O 4C", CARDS)) == [
        {"rearguard": ["5O", "6O", "4C"]},
        {"centre": ["5O", "6O"], "vanguard": ["4C"]},
    ]
    play = GAMES["cold_war"].schemas()["play"]
    for line in ("", "fly", "arm", "arm 1 2 3", "arm 1 2 3 4 5", "attack one"):
        assert not list(readings(play, line, []))
    for line in ("{", "{1}", '{"a": }'):
        with pytest.raises(ArenaError, match="not JSON"):
            readings(play, line, [])
    trade = GAMES["world_war"].schemas()["trade"]  # forms keep what stands beside them
    read = [list(readings(trade, line, [])) for line in ("peru china japan", "none", "peru china")]
    assert read == [[{"cards": ["peru", "china", "japan"]}], [{"cards": []}], []]


@pytest.mark.parametrize(("kind", "word"), [("integer", 3), ("string", "3")])
def test_a_line_as_long_as_may_be_is_read_and_a_longer_one_refused(kind: str, word: object) -> None:
    cards = {"type": "array", "items": {"type": kind}}
    form = {"properties": {"cards": cards}, "required": ["cards"]}
    assert {"cards": [word] * MOST_WORDS} in readings(form, "3 " * MOST_WORDS, ["3"])
    with pytest.raises(ArenaError, match="these are 5000 words; a move has at most 200"):
        readings(form, "3 " * 5000, ["3"])
    with pytest.raises(ArenaError, match="this is not JSON"):
        readings(form, '{"cards":' * 50_000, [])


def spelled(value: Any) -> str:
    """Return a JSON value as a person might write it."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {spelled(entry)}" for name, entry in value.items())
    if isinstance(value, list):
        return " ".join(map(spelled, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def question(game: Game, seat: int) -> Question:
    """Return what a person in `seat` is asked."""
    return Question(game, seat, game.decision(seat), plain(game.view(seat)))


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", [*GAMES][::-1])  # the last are shorter
def test_every_legal_move_can_be_said_also_in_our_words_and_the_example_is_one(name: str) -> None:
    for case in cases_of(name)[:3]:  # in which every decision comes up
        game, said = case.new(), 0
        for seat, move in moments(game, sampling()):
            if said == 25:
                break
            meant, asked = game.read(seat, move), question(game, seat)
            decision, view = game.decision(seat), plain(game.view(seat))
            known = known_words(decision.limits, decision.legal, view)
            lines = [json.dumps(move), *([] if "say" in move else [spelled(move)])]
            said += len(lines) - 1
            if found := re.search(r"^For example: (.*?)   \(", asked.choices(), re.MULTILINE):
                assert game.refusal(seat, asked.answer(found[1])) is None
            schema = game.schemas()[decision.name]
            by_us = typed.spelled(schema, meant, known)
            assert next(iter(readings(schema, by_us, known))) == meant
            if found or not decision.legal:  # where no move is listed by its number
                lines.append(by_us)
            assert [asked.answer(line) for line in lines] == [meant] * len(lines)


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", [*GAMES][::-1])  # the last are quicker
@given(line=st.text(max_size=30))
@settings(max_examples=30)
def test_whatever_is_typed_is_a_legal_move_or_an_error_in_words(name: str, line: str) -> None:
    game = cases_of(name)[0].new()
    for seat in game.deciders():
        try:
            move = question(game, seat).answer(line)
        except ArenaError:
            continue
        assert game.refusal(seat, move) is None


def test_a_listed_move_is_chosen_by_its_number_or_its_words() -> None:
    game = position("R 2B", "R 2B", hands=("4E 5E 6E 7E 1E 2E 3E 10E", ""))
    game.apply({0: {"action": "attack"}})
    game.apply({0: {"attackers": [], "target": None}})
    asked = question(game, 0)
    assert "   3  A discards 6E" in asked.choices()
    for line in ("3", "6e", "discards 6E"):
        assert asked.answer(line) == {"cards": ["6E"]}
    for line, said in (("9", "the numbers 1 to 8"), ("fly", "not understood")):
        with pytest.raises(ArenaError, match=said):
            asked.answer(line)


def test_a_move_that_is_a_number_is_chosen_by_that_number() -> None:
    game = cases_of("duel")[0].new()
    dice = plain(game.view(0))["dice"][0][-1]
    asked = question(game, 0)
    assert [line.split()[0] for line in asked.choices().splitlines()] == list(map(str, dice))
    assert asked.answer(str(dice[1])) == {"trait": dice[1]}


def test_an_illegal_move_is_refused_in_the_words_of_the_game() -> None:
    game = position("V 7O / R 5E", "V 2C")
    game.apply({0: {"action": "attack"}})
    with pytest.raises(ArenaError, match=r"Not possible: .*rearguard"):
        question(game, 0).answer("5E 2C")


def test_a_line_with_too_many_meanings_does_not_take_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(typed, "MOST_TRIES", 1000)
    schema = {
        "properties": {name: {"type": "array", "items": {"type": "string"}} for name in "abcdef"}
    }
    assert 100 < len(list(readings(schema, "x " * 60, []))) <= 1000
