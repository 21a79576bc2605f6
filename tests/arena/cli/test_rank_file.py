"""`arena rank FILE`: the acceptance vectors, any order of results, and what docs/ says of it."""

import csv
import io
import json
import random
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.cli import main
from tests.arena.cli.test_rank import refused
from tests.arena.conftest import Arena

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "results-file.md").read_text()
VECTORS = ROOT / "tests" / "vectors"
PUBLISHED = json.loads((VECTORS / "trueskill_published.json").read_text())
SINGLE = [vector for vector in PUBLISHED if set(vector["sizes"]) == {1} and "priors" not in vector]

Places = dict[str, int]
Rank = Callable[..., str]


@dataclass
class Match:
    """A match as both forms can write it."""

    name: str
    places: Places
    deal: str = ""


def as_json(matches: list[Match], chance: random.Random) -> str:
    """JSON lines in any order, with the bots of each in any order."""
    lines = []
    for match in chance.sample(matches, len(matches)):
        bots = chance.sample(sorted(match.places), len(match.places))
        line = {"match": match.name, "places": {bot: match.places[bot] for bot in bots}}
        lines.append(json.dumps(line | ({"deal": match.deal} if match.deal else {})))
    return "\n".join(lines)


def as_csv(matches: list[Match], chance: random.Random) -> str:
    """Rows and columns in any order."""
    rows = [
        {"match": match.name, "deal": match.deal, "bot": bot, "place": place}
        for match in matches
        for bot, place in match.places.items()
    ]
    chance.shuffle(rows)
    file = io.StringIO()
    writer = csv.DictWriter(file, chance.sample(list(rows[0]), 4))
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


FORMS = (as_json, as_csv)


@pytest.fixture(scope="session")
def rank(tmp_path_factory: pytest.TempPathFactory) -> Rank:
    """What `arena rank FILE` prints of a results file, which has always the same name."""
    file = tmp_path_factory.mktemp("rank") / "results"

    def printed(text: str, *words: str) -> str:
        file.write_text(text, newline="")
        result = CliRunner().invoke(main, ["rank", str(file), *words], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    return printed


def only(printed: Iterator[str]) -> str:
    """The one text that was printed again and again."""
    (text,) = set(printed)
    return text


def ratings(printed: str) -> dict[str, tuple[float, float]]:
    rows = json.loads(printed)["standings"]
    return {row["bot"]: (row["rating"], row["error"]) for row in rows}


def test_published_vectors_from_a_file(rank: Rank) -> None:
    """The package compares neighbours; in a match that all tied, those are neighbours by name."""
    assert {"1v1 draw", "8 players, all drawn", "16 players"} <= {each["case"] for each in SINGLE}
    options = ("--draw-probability", "0.1", "--ties", "draws", "--format", "json")
    for vector in SINGLE:
        bots = dict(zip(string.ascii_uppercase, vector["ranks"], strict=False))
        match = Match("m", {bot: 1 + place for bot, place in bots.items()})
        printed = only(rank(write([match], random.Random(1)), *options) for write in FORMS)
        got = ratings(printed)
        for bot, expected in zip(bots, vector["expected"], strict=True):
            assert got[bot] == pytest.approx(expected, abs=0.002), vector["case"]
        if len(set(bots.values())) > 1:  # without ties there is nothing to be read in two ways
            assert rank(as_csv([match], random.Random(2)), *options[:2], *options[4:]) == printed


# --- any order, any form

table = st.integers(2, 4).flatmap(
    lambda seats: st.tuples(
        st.permutations("ABCDE").map(lambda bots: bots[:seats]),
        st.lists(st.integers(1, 3), min_size=seats, max_size=seats),
        st.sampled_from(["", "d1", "d2"]),
    )
)


def match_of(number: int, bots: list[str], scores: list[int], deal: str) -> Match:
    ranked = [1 + sum(other < score for other in scores) for score in scores]
    return Match(f"m{number}", dict(zip(bots, ranked, strict=True)), deal)


matches = st.lists(table, min_size=1, max_size=10).map(
    lambda tables: [match_of(number, *each) for number, each in enumerate(tables)]
)


@settings(max_examples=6)
@given(matches, st.randoms(use_true_random=False), st.sampled_from(["json", "simple"]))
def test_a_shuffled_file_of_either_form_gives_the_same_bytes(
    rank: Rank, results: list[Match], chance: random.Random, form: str
) -> None:
    only(rank(write(results, chance), "--format", form) for write in (*FORMS, as_json))


# --- what a table of a file holds


def test_a_file_comes_through_a_pipe_too(arena: Arena, rank: Rank) -> None:
    text = as_csv([Match("m", {"A": 1, "B": 2})], random.Random(0))
    result = arena("rank", "-", "--format", "json", typed=text)
    assert result.exit_code == 0, result.output
    assert ratings(result.stdout) == ratings(rank(text, "--format", "json"))


def test_a_mistake_in_a_file_is_told_on_one_line(arena: Arena, tmp_path: Path) -> None:
    file = tmp_path / "results"
    for text, says in (
        ('{"places": {"A": 1, "B": 2}}\n{"places": {"A": 1}}\n', ":2: a match of one bot"),
        ("match,bot,place\nm1,A,1\nm1,B,30\n", ":2: the place of 'B' is 30 among 2 bots"),
        ("", " is empty"),
    ):
        file.write_text(text)
        assert refused(arena("rank", file)).startswith(f"arena: {file}{says}")


def test_what_is_neither_a_league_nor_a_file_is_told(arena: Arena, tmp_path: Path) -> None:
    for path, says in ((tmp_path, "is not a league"), (tmp_path / "none", "there is no league")):
        assert says in refused(arena("rank", path))


# --- the page


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_shows_what_its_example_prints(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = blocks("json")
    (console,) = blocks("console")
    Path("results.jsonl").write_text(example)
    command, _, printed = console.partition("\n")
    assert command == "$ arena rank results.jsonl"
    assert arena("rank", "results.jsonl").stdout == printed


def test_the_page_shows_one_example_in_both_forms(rank: Rank) -> None:
    (example,), (rows,) = blocks("json"), blocks("csv")
    said = [json.loads(rank(text, "--format", "json")) for text in (example, rows)]
    assert said[0] == said[1]
