"""The table by seat: what everybody and every bot scored in each."""

import csv
import io
import json
import random

import pytest

from arena.stats.outcomes import Result
from arena.stats.ratings import fit
from arena.tables.by_seat import KEYS, by_seat
from arena.tables.field import Field
from arena.tables.table import Table, render
from protocol.errors import ArenaError
from referee.catalog.finding import Source
from referee.catalog.identity import facts_of
from referee.games import GAMES
from tests.arena.tables.fields import field
from tests.golden import Golden


def duels(edge: float, *, deals: int = 60, better: float = 0.0) -> list[tuple[str, Result]]:
    """Mirrored deals of A and B: seat 0 has an edge, and A is better."""
    chance = random.Random(1)
    played = []
    for deal in range(deals):
        for bots in (("A", "B"), ("B", "A")):
            lead = chance.gauss(edge + (better if bots[0] == "A" else -better), 1)
            played.append((f"deal {deal}", Result(bots, (1, 2) if lead > 0 else (2, 1))))
    return played


def turned(seats: int) -> list[tuple[str, Result]]:
    """Mirrored deals of as many equal bots as there are seats; the first seat wins by chance."""
    chance = random.Random(2)
    bots = tuple(f"bot {number}" for number in range(seats))
    return [
        (f"deal {deal}", Result(bots[seat:] + bots[:seat], tuple(chance.sample(places, seats))))
        for places in [range(1, seats + 1)]
        for deal in range(40)
        for seat in range(seats)
    ]


def table(of: Field) -> Table:
    return by_seat(of, fit(of.deals, bots=of.bots))


def text(of: Field) -> str:
    return render(table(of), "simple")


def cells(of: Field) -> dict[str, list[str]]:
    """What stands in each line of a table that is not split."""
    lines = text(of).partition("\n\n")[0].splitlines()[2:]
    split = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines]
    return {bot: values for bot, *values in split}


EDGE = field(duels(1.0))
EQUAL = field(duels(0.0, better=0.7))


def test_a_seat_that_is_surely_better_or_worse_is_marked_and_coloured_on_request() -> None:
    marks = {bot: [cell[-1] for cell in both] for bot, both in cells(EDGE).items()}
    assert marks == {"(everybody)": ["+", "-"], "A": ["+", "-"], "B": ["+", "-"]}
    shown = render(table(EDGE), "simple", color=True)
    assert (shown.count("\x1b[32m"), shown.count("\x1b[31m")) == (3, 3)
    # of equal seats none is, however unequal the bots
    assert not any(cell[-1] in "+-" for both in cells(EQUAL).values() for cell in both)


def test_a_single_deal_has_no_error_and_no_match_no_points() -> None:
    found = cells(field(duels(0.0, deals=1), bots="idle"))
    assert found.pop("idle") == ["-", "-"]
    assert {cell for both in found.values() for cell in both} == {"100.0 %", "0.0 %"}


def test_everybody_comes_first_and_last_what_mirroring_is_worth(golden: Golden) -> None:
    golden(text(field(duels(0.3, better=-1.0), bots="idle")))
    row = table(EQUAL).rows[2]
    assert (row["bot"], row["seat"]) == ("A", 0)  # with two standard errors
    assert cells(EQUAL)["A"][0] == f"{100 * row['points']:.1f} % ± {200 * row['error']:.1f}"
    gain = table(EQUAL).facts["mirror_gain"]
    assert f"A mirrored deal is worth {gain:.1f} ± " in text(EQUAL)
    few = " ".join(text(field(duels(0.0, deals=10))).split())
    assert "What mirroring is worth cannot be measured from these deals." in few


def test_mirroring_may_take_out_all_luck() -> None:
    dealt = [
        (str(deal), Result(bots, (1, 2) if deal % 2 else (2, 1)))
        for deal in range(40)
        for bots in (("A", "B"), ("B", "A"))
    ]
    assert "Mirroring removes all luck here" in text(field(dealt))
    assert table(field(dealt)).facts["mirror_gain"] is None


def test_json_and_csv_have_a_row_for_every_bot_and_seat() -> None:
    facts = facts_of(GAMES["war"], Source("war", "bundled"))
    found = json.loads(render(table(field(turned(3), game=facts)), "json"))
    assert (found["game"], found["matches"], found["deals"]) == ("war", 120, 40)
    where = [(row["bot"], row["seat"]) for row in found["seats"]]
    assert where[:4] == [*((None, seat) for seat in range(3)), (where[3][0], 0)]
    assert len(where) == 12
    for row in found["seats"]:
        assert tuple(row) == KEYS
        assert row["matches"] == row["wins"] + row["draws"] + row["losses"]
    for played in (duels(0.0), []):
        header, *rows = csv.reader(io.StringIO(render(table(field(played)), "csv")))
        assert tuple(header) == KEYS
        assert len(rows) == (6 if played else 0)


def test_a_results_file_does_not_say_who_sat_where() -> None:
    with pytest.raises(
        ArenaError, match=r"^cup is a file of results, which does not say who sat where"
    ):
        table(field(duels(0.0), by_seat=False))
