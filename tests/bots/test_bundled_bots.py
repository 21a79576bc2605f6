"""What single bundled bots do in a given position, or never do in a match."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import pytest

from tests.bots.driver import Match, Message, called

ARM = {"play": "arm", "add": [1, 1, 1, 1]}

COLD_WAR = {"talk": False, "max_rounds": 200, "cap_result": "draw"}

LEVEL = [[0, 20, 20, 20], [20, 0, 20, 20], [20, 20, 0, 20], [20, 20, 20, 0]]


def diplomats_play(markers: list[list[int]], *rounds: Sequence[Any], **view: Any) -> Any:
    """Return what seat 0 plays after some rounds, all with the same markers on the table."""
    options = {name: view.pop(name, value) for name, value in COLD_WAR.items()}
    start = {"game": "cold_war", "seat": 0, "seats": 4, "options": options, "seed": 1}
    (program,) = called("cold_war", "diplomat")
    program.tell({"type": "start", **start})
    for number, last in enumerate([None, *rounds], start=1):
        seen = {"round": number, "last": last, "markers": markers, "reserve": [0] * 4}
        seen |= {"max_rounds": options["max_rounds"], **view}
        limits = {"add_max": 4, "move_max": 12, "partners": [1, 2, 3]}
        ask = {"type": "ask", "id": number, "decision": "play", "view": seen, "limits": limits}
        program.tell(ask)
        move = program.hear()["move"]
    return move


def with_markers(*changes: tuple[int, int, int]) -> list[list[int]]:
    """Return level markers, some of them set: from, to, count."""
    markers = [row.copy() for row in LEVEL]
    for one, two, count in changes:
        markers[one][two] = count
    return markers


def lead(markers: list[list[int]], move: Any, one: int, two: int) -> int:
    """Return the lead of a pair after seat 0 has moved."""
    rows = [row.copy() for row in markers]
    change = move.get("add") or move.get("move") or [0] * 4
    rows[0] = [held + more for held, more in zip(rows[0], change, strict=True)]
    foes = {0, 1, 2, 3} - {one, two}
    return sum(rows[a][b] - rows[b][a] for a in (one, two) for b in foes)


def attack(ally: int) -> dict[str, Any]:
    return {"play": "attack", "with": ally}


def test_the_diplomat_repels_a_pair_that_is_ahead_and_about_to_attack() -> None:
    markers = with_markers((1, 0, 24))
    assert lead(markers, {}, 1, 2) == 4
    move = diplomats_play(markers, *[[ARM, attack(2), attack(1), ARM]] * 3)
    assert lead(markers, move, 1, 2) <= 0


def test_the_diplomat_attacks_with_a_seat_that_seeks_it_and_a_lead_nobody_can_cross() -> None:
    markers = with_markers((0, 1, 60), (1, 2, 0), (2, 1, 0))
    assert lead(markers, {}, 0, 3) > 24
    assert diplomats_play(markers, *[[ARM, ARM, ARM, attack(0)]] * 3) == attack(3)


def test_the_diplomat_does_not_attack_in_vain() -> None:
    assert diplomats_play(LEVEL, *[[ARM, ARM, ARM, attack(0)]] * 3)["play"] != "attack"


def test_in_the_last_round_it_takes_the_lead_where_leads_are_counted() -> None:
    markers = with_markers((1, 0, 22))
    move = diplomats_play(markers, round=200, cap_result="lead")
    ours = max(lead(markers, move, 0, ally) for ally in (1, 2, 3))
    theirs = max(-lead(markers, move, 0, ally) for ally in (1, 2, 3))
    assert ours > theirs


def test_the_cautious_bot_bets_the_least_and_goes_to_war() -> None:
    match = Match("casino_war", called("casino_war", "cautious", "random"), 5)
    match.play()
    moves = [reply["move"] for _, reply in match.transcripts[0] if reply]
    assert {str(move) for move in moves} == {"{'bet': 10}", "{'action': 'war'}"}


def test_the_turtle_always_defends_if_it_can() -> None:
    match = Match("duel", called("duel", "sensible", "turtle"), 4)
    match.play()
    answers = [
        (ask["view"], reply["move"])
        for ask, reply in match.transcripts[1]
        if reply and ask["decision"] == "defend" and ask["view"]["dexterity"][1] > 2
    ]
    assert answers
    assert all(move["cards"] for _, move in answers)


def decisions_of(name: str, seeds: int) -> dict[str, list[dict[str, Any]]]:
    """Return the moves of one seat by decision, in matches of three of the same bot."""
    made: dict[str, list[dict[str, Any]]] = {}
    programs = called("khan", *[name] * 3)
    for seed in range(seeds):
        match = Match("khan", programs, seed)
        match.play()
        for message, reply in chain(*match.transcripts):
            if reply:
                made.setdefault(message["decision"], []).append(reply["move"])
    return made


def test_quiet_never_attacks() -> None:
    made = decisions_of("quiet", 3)
    assert {move["action"] for move in made["turn"]} == {"draw"}
    assert set(made) == {"turn", "discard"}


def test_sensible_attacks_now_and_then_and_uses_its_specials() -> None:
    made = decisions_of("sensible", 12)
    attacks = [move["action"] for move in made["turn"]].count("attack")
    assert 0.05 < attacks / len(made["turn"]) < 0.3
    for special in ("gunpowder", "poison", "retreat"):
        assert any(move["use"] for move in made[special])


PLAY = {"action": "play"}

STEAL = {"action": "steal", "target": 1}

PILE = {"card": "9D", "piles": [[], ["2C", "9C"]]}

AT_WAR = {"laid": [["7C", None, None, None], ["7D", None, None, None, "4C"]]}


@pytest.mark.parametrize(
    ("view", "move"),
    [
        (PILE, STEAL),
        (PILE | {"protected": [1], "up": [None, "9H"]}, PLAY),
        (AT_WAR | {"card": "3D", "piles": [[], ["3C"]], "up": [None, "4C"]}, STEAL),
        (AT_WAR | {"card": "KD", "piles": [[], ["KC"]], "up": [None, "QC"]}, PLAY),
        ({"won": ["9C", "KD"], "piles": [["9D", "9H"], []]}, {"top": "9C"}),
    ],
    ids=["steals", "protected", "low at war", "high at war", "shows what is rare"],
)
def test_what_sensible_does_in_steal_war(view: dict[str, Any], move: Message) -> None:
    rest = {"seat": 0, "in_trick": [0, 1], "up": [None, None], "laid": [[], []], "protected": []}
    decision, legal = "steal", [PLAY, STEAL]
    if "top" in move:
        decision, legal = "top", [{"top": card} for card in view["won"]]
    (program,) = called("steal_war", "sensible")
    program.tell({"type": "start", "game": "steal_war", "seat": 0, "seats": 2})
    message = {"type": "ask", "id": 1, "decision": decision, "legal": legal}
    program.tell(message | {"view": rest | {"won": [], "piles": [[], []]} | view})
    assert program.hear()["move"] == move
