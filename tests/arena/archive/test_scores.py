"""Scores and numbers in exports: compared where a match is known, and found where none may be."""

from copy import deepcopy
from pathlib import Path

import pytest

from tests.arena.archive.test_export import Line, lines_of, merge, write
from tests.arena.archive.test_verify import found
from tests.arena.conftest import League, naughty
from tests.arena.store.test_store import refused

pytestmark = pytest.mark.usefixtures("inline")


def war(league: League, head: str, more: str = "") -> tuple[Line, list[Line]]:
    limits = 'seed = 5\nlimits = { sandbox = "none", startup = 30.0 }\n'
    bots = "".join(f'[[bot]]\nname = "{name}"\nshipped = "random"\n' for name in ("one", "two"))
    league.write(f'game = "war"\n{head}\n{limits}{bots}{more}')
    league.call("run")
    return lines_of(league.folder)


def test_scores_and_numbers_of_a_known_match_are_compared(league: League, tmp_path: Path) -> None:
    header, lines = war(league, "deals = 1")
    for key, value in {"scores": [26, 26], "numbers": {"battles": 1}}.items():
        forged = deepcopy(lines)
        for line in (forged[0], forged[0]["replay"]):
            line[key] = value
        file = write(tmp_path / "forged.jsonl", header, *forged)
        assert f"and {key!r} differs" in refused(lambda file=file: merge(league.folder, file))


def test_scores_in_spite_of_a_forfeit_are_found(league: League, tmp_path: Path) -> None:
    head = 'seats = 3\nrotations = "one"\ndeals = 2'
    header, (line, other) = war(league, head, naughty("crash_mid_match"))
    assert line["reason"] == other["reason"] == "all_cards"
    assert line["forfeits"]
    assert line.keys().isdisjoint({"scores", "numbers"})
    for each in (line, line["replay"]):
        each["scores"] = [52, 0, 0]
    file = write(tmp_path / "forged.jsonl", header, line, other)
    (league.folder / "league.db").unlink()
    merge(league.folder, file)
    told = "its replay's scores: [52, 0, 0] is stored, and it should be nothing."
    assert found(league.folder) == [(line["match"], told)]
