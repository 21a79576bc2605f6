"""Cold War's diplomat: what it does in a given position, and what it is worth."""

from collections.abc import Sequence
from typing import Any

from tests.bots.driver import Match, called

ARM = {"play": "arm", "add": [1, 1, 1, 1]}
OPTIONS = {"talk": False, "max_rounds": 200, "cap_result": "draw"}
LEVEL = [[0, 20, 20, 20], [20, 0, 20, 20], [20, 20, 0, 20], [20, 20, 20, 0]]


def asked(markers: list[list[int]], *rounds: Sequence[Any], **view: Any) -> Any:
    """Return what seat 0 plays after some rounds, all with the same markers on the table."""
    options = {name: view.pop(name, value) for name, value in OPTIONS.items()}
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


def test_it_repels_a_pair_that_is_ahead_and_about_to_attack() -> None:
    markers = with_markers((1, 0, 24))
    assert lead(markers, {}, 1, 2) == 4
    move = asked(markers, *[[ARM, attack(2), attack(1), ARM]] * 3)
    assert lead(markers, move, 1, 2) <= 0


def test_it_attacks_with_a_seat_that_seeks_it_and_a_lead_nobody_can_cross() -> None:
    markers = with_markers((0, 1, 60), (1, 2, 0), (2, 1, 0))
    assert lead(markers, {}, 0, 3) > 24
    assert asked(markers, *[[ARM, ARM, ARM, attack(0)]] * 3) == attack(3)


def test_it_does_not_attack_in_vain() -> None:
    assert asked(LEVEL, *[[ARM, ARM, ARM, attack(0)]] * 3)["play"] != "attack"


def test_it_sees_to_its_own_safety_before_it_attacks() -> None:
    markers = with_markers((1, 2, 26), (3, 0, 22))
    assert (lead(markers, {}, 0, 1), lead(markers, {}, 1, 3)) == (4, 8)
    move = asked(markers, *[[ARM, attack(3), ARM, attack(1)]] * 3)
    assert move["play"] != "attack"
    assert lead(markers, move, 1, 3) < 8


def test_in_the_last_round_it_takes_the_lead_where_leads_are_counted() -> None:
    markers = with_markers((1, 0, 22))
    move = asked(markers, round=200, cap_result="lead")
    ours = max(lead(markers, move, 0, ally) for ally in (1, 2, 3))
    theirs = max(-lead(markers, move, 0, ally) for ally in (1, 2, 3))
    assert ours > theirs


def test_it_is_silent_and_hears_nothing_where_there_is_talk() -> None:
    four = called("cold_war", "diplomat", "random", "random", "sensible")
    match = Match("cold_war", four, 1, talk=True, max_rounds=10)
    match.play()
    said = [
        reply["move"] for ask, reply in match.transcripts[0] if reply and ask["decision"] == "talk"
    ]
    assert said
    assert all(move == {"say": ""} for move in said)


def test_four_of_it_end_their_game_before_the_guard_does() -> None:
    programs = called("cold_war", *["diplomat"] * 4)
    for seed in range(3):
        match = Match("cold_war", programs, seed)
        match.play()
        assert match.game.reason == "attack"
