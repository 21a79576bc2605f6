"""What of a league's store makes a table: whole deals, of these bots, each told once."""

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest
from msgspec import structs

from arena.league.plan import LeaguePlan
from arena.store.opening import read_league
from arena.store.result import PlayedMatch, Record
from arena.store.store import Store
from arena.tables.facets import TIMES
from arena.tables.sources import field_of, read_field
from protocol.errors import ArenaError
from tests.arena.conftest import Arena
from tests.benchmarks.ready_worker import ready

FILE = """\
game = "{game}"
seats = {seats}
seed = 2
deals = 5
"""


class Book:
    """A league on disk, into whose store matches are written by hand."""

    def __init__(self, folder: Path, game: str, bots: str) -> None:
        entries = [f'[[bot]]\nname = "{bot}"\nshipped = "random"\n' for bot in bots]
        folder.mkdir()
        seats = 4 if game == "cold_war" else 2
        (folder / "league.toml").write_text(FILE.format(game=game, seats=seats) + "".join(entries))
        self.folder = folder

    @property
    def league(self) -> LeaguePlan:
        return read_league(self.folder)

    def orders(self, deals: int) -> set[object]:
        """Return the orders round the table in which the first deals are played."""
        schedule = self.league.schedule
        return {
            frozenset(schedule.seating(deal, rotation) for rotation in range(4))
            for deal in islice(self.league.asked.plan(), deals)
        }

    def play(
        self,
        number: int,
        *rotations: int,
        moves: int = 0,
        clock: int = 5,
        scores: Sequence[Sequence[float] | None] = (),
        numbers: dict[str, float] | None = None,
    ) -> None:
        """Store some rotations of a deal of the first line-up; the first bot always wins.

        `scores` are those of each of the rotations, by bot.
        """
        league = self.league
        schedule = league.schedule
        deal = next(deal for deal in league.asked.plan() if deal.number == number)
        with Store(league.database, create=True) as store:
            store.settings.keep(league.conditions())
            ids = store.bots.rows(league.bots)
            for at, rotation in enumerate(rotations):
                bots = schedule.seating(deal, rotation)
                own = scores[at] if scores else None
                result = structs.replace(
                    ready(schedule, deal, rotation).result,
                    bots=bots,
                    places=tuple(1 if bot == min(bots) else 2 for bot in bots),
                    decisions=3,
                    faults=tuple({"late": 1} if bot == max(bots) else {} for bot in bots),
                    forfeits=(bots.index(max(bots)),) if number == 0 else (),
                    moves=moves + int("".join(map(str, bots))),
                    clock=str([[2, clock * (bot + 1), clock, 3 * clock] for bot in bots]),
                    scores=own and tuple(own[bot] for bot in bots),
                    numbers=numbers,
                )
                played = PlayedMatch(result, Record(b"", b"", 0.1))
                store.add([played], ids, played_at="")


@pytest.fixture
def duels(tmp_path: Path) -> Book:
    return Book(tmp_path / "duels", "guerra", "AB")


@pytest.fixture
def chanceless(tmp_path: Path) -> Book:
    return Book(tmp_path / "chanceless", "cold_war", "ABCD")


def test_only_whole_deals_count(duels: Book) -> None:
    duels.play(0, 0, 1)
    duels.play(1, 1)
    field = read_field(duels.folder)
    assert (field.matches, field.deal_count, field.missing, field.waiting) == (2, 1, 7, 1)
    assert "1 more match counts only when the rest of the deal is played." in field.remarks


def test_without_chance_deals_that_were_played_alike_count_once(chanceless: Book) -> None:
    for number in range(4):
        chanceless.play(number, 0, 1, 2, 3)
    orders = chanceless.orders(4)
    assert 1 < len(orders) < 4
    field = read_field(chanceless.folder, forfeits=True)
    assert field.deal_count == len(orders)
    assert field.repeats == 4 * (4 - len(orders))
    assert field.missing == 4
    assert any(remark.startswith(f"{field.repeats} more matches") for remark in field.remarks)
    assert field.unforfeited is not None
    assert 1 <= sum(field.unforfeited.values()) <= field.deal_count
    (chanceless.folder / "league.db").unlink()
    for number in range(4):  # otherwise
        chanceless.play(number, 0, 1, 2, 3, moves=10_000 * number)
    field = read_field(chanceless.folder)
    assert (field.deal_count, field.repeats) == (4, 0)


def test_a_file_knows_no_forfeits_and_no_clocks(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text('{"places": {"A": 1, "B": 2}}\n')
    result = arena("rank", path, "--without-forfeits")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "only leagues know forfeits" in result.stderr
    with pytest.raises(ArenaError, match="only leagues know times"):
        read_field(path, [TIMES])


def test_ratings_without_forfeits_stand_beside_the_others(duels: Book, arena: Arena) -> None:
    duels.play(0, 0, 1)  # B forfeits both
    text = arena("rank", duels.folder, "--without-forfeits").stdout
    assert "No such deals: A, B." in " ".join(text.split())
    for number in (1, 2):
        duels.play(number, 0, 1)
    assert read_field(duels.folder).unforfeited is None
    table = json.loads(arena("rank", duels.folder, "--without-forfeits", "--format", "json").stdout)
    assert table["forfeited_deals"] == 1
    first, second = table["standings"]
    assert first["rating"] > first["rating_unforfeited"] > 25 > second["rating_unforfeited"]
    assert (first["deals"], first["deals_unforfeited"]) == (3, 2)
    text = " ".join(arena("rank", duels.folder, "--without-forfeits").stdout.split())
    assert "1 deal of 3 is left out, in which somebody forfeited;" in text
    refused = arena("rank", duels.folder, "--pairs", "--without-forfeits")
    assert "--without-forfeits does not go with --pairs" in refused.stderr


def test_deals_beyond_those_asked_for_count_and_are_not_missing(duels: Book) -> None:
    for number in range(5):
        duels.play(number, 0, 1)
    file = duels.folder / "league.toml"
    text = file.read_text()
    file.write_text(text.replace("deals = 5", "deals = 2"))
    field = read_field(duels.folder)
    assert (field.deal_count, field.missing) == (5, 0)
    file.write_text(text.replace("deals = 5", "deals = 40\nshare = 0.5"))
    asked = {deal.number for deal in duels.league.asked.plan()}
    assert read_field(duels.folder).missing == 2 * len(asked - set(range(5)))


def test_faults_forfeits_and_clocks_are_summed_by_bot(duels: Book) -> None:
    duels.play(0, 0, 1, clock=5)
    duels.play(1, 0, clock=9)
    league = duels.league
    with Store(league.database) as store:
        field = field_of(league, store, [TIMES])
    assert field.faults == {"B": {"late": 3}}
    assert field.forfeits == {"B": 2}
    found = field.optional[0].row("B")
    assert (found["decisions"], found["longest_cpu"]) == (6, 9 / 1e6)
    assert found["cpu_per_decision"] == pytest.approx((2 * 10 + 18) / 6e6, abs=1e-9)
    assert found["wall_per_decision"] == pytest.approx((2 * 15 + 27) / 6e6, abs=1e-9)
