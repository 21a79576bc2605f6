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
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.cli import main
from arena.stats.ratings import FEWEST_DEALS
from tests.arena.conftest import Arena

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "results-file.md").read_text()
VECTORS = ROOT / "tests" / "vectors"
BATCH = json.loads((VECTORS / "ratings_batch.json").read_text())
PUBLISHED = json.loads((VECTORS / "trueskill_published.json").read_text())
SINGLE = [vector for vector in PUBLISHED if set(vector["sizes"]) == {1} and "priors" not in vector]
ORDERS = 3

Places = dict[str, int]
Rank = Callable[..., str]


@dataclass
class Match:
    """A match as both forms can write it."""

    name: str
    places: Places
    deal: str = ""


def by_case(vectors: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", vectors, ids=[vector["case"] for vector in vectors])


def places(text: str) -> Places:
    """`A > B = C` as places."""
    groups = [group.split(" = ") for group in text.split(" > ")]
    return {
        bot: 1 + sum(map(len, groups[:number]))
        for number, group in enumerate(groups)
        for bot in group
    }


def played(*texts: str) -> list[Match]:
    return [Match(f"m{number}", places(text)) for number, text in enumerate(texts)]


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


def shuffled(rank: Rank, matches: list[Match], *words: str) -> dict[str, tuple[float, float]]:
    """The ratings of results, the same to the last byte in every order and form."""
    return ratings(
        only(
            rank(write(matches, random.Random(seed)), *words, "--format", "json")
            for write in (as_json, as_csv)
            for seed in range(ORDERS)
        )
    )


# --- the acceptance vectors


@by_case(BATCH)
def test_batch_vectors_from_a_file(rank: Rank, vector: dict[str, Any]) -> None:
    drawn = vector.get("draw_probability")
    words = [] if drawn is None else ["--draw-probability", str(drawn)]
    got = shuffled(rank, played(*vector["results"]), *words)
    assert got.keys() == vector["expected"].keys()
    for bot, (mu, sigma) in vector["expected"].items():
        assert got[bot][0] == pytest.approx(mu, abs=0.002)
        if len(vector["results"]) < FEWEST_DEALS:  # more of them show an error of their own
            assert got[bot][1] == pytest.approx(sigma, abs=0.002)


@by_case(SINGLE)
def test_published_vectors_from_a_file(rank: Rank, vector: dict[str, Any]) -> None:
    """The package compares neighbours; in a match that all tied, those are neighbours by name."""
    bots = string.ascii_uppercase[: len(vector["ranks"])]
    match = Match("m", {bot: 1 + place for bot, place in zip(bots, vector["ranks"], strict=True)})
    got = shuffled(rank, [match], "--draw-probability", "0.1", "--ties", "draws")
    for bot, expected in zip(bots, vector["expected"], strict=True):
        assert got[bot] == pytest.approx(expected, abs=0.002)


@by_case([vector for vector in SINGLE if len(set(vector["ranks"])) > 1])
def test_published_vectors_without_ties_need_no_option(rank: Rank, vector: dict[str, Any]) -> None:
    bots = string.ascii_uppercase[: len(vector["ranks"])]
    match = Match("m", {bot: 1 + place for bot, place in zip(bots, vector["ranks"], strict=True)})
    reading = [
        rank(as_json([match], random.Random(0)), "--draw-probability", "0.1", *words)
        for words in ([], ["--ties", "unordered"], ["--ties", "draws"])
    ]
    assert len(set(reading)) == 1


def test_every_published_vector_of_single_players_is_tested() -> None:
    assert [vector["case"] for vector in SINGLE] == [
        "1v1 win",
        "1v1 draw",
        "3 players",
        "3 players, unsorted",
        "4 players",
        "5 players",
        "8 players",
        "8 players, all drawn",
        "16 players",
    ]


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


@settings(max_examples=25)
@given(matches, st.randoms(use_true_random=False), st.sampled_from(["json", "simple"]))
def test_a_shuffled_file_of_either_form_gives_the_same_bytes(
    rank: Rank, results: list[Match], chance: random.Random, form: str
) -> None:
    only(
        rank(write(results, chance), "--format", form)
        for write in (as_json, as_json, as_csv, as_csv)
    )


# --- what a table of a file holds


def test_a_file_comes_through_a_pipe_too(arena: Arena, rank: Rank) -> None:
    text = as_csv(played("A > B"), random.Random(0))
    result = arena("rank", "-", "--format", "json", typed=text)
    assert result.exit_code == 0, result.output
    assert ratings(result.stdout) == ratings(rank(text, "--format", "json"))


def test_groups_that_never_met_are_shown_as_such(rank: Rank) -> None:
    text = as_json(played("A > B", "B > C", "X > Y"), random.Random(0))
    rows = json.loads(rank(text, "--format", "json"))["standings"]
    assert [(row["group"], row["bot"], row["rank"]) for row in rows] == [
        (1, "A", [1, 3]),
        (1, "B", [1, 3]),
        (1, "C", [1, 3]),
        (2, "X", [1, 2]),
        (2, "Y", [1, 2]),
    ]
    assert "2 groups of bots never met each other" in " ".join(rank(text).split())


def test_a_named_bot_without_matches_has_no_rank(rank: Rank) -> None:
    text = '{"bots": ["A", "B", "C"]}\n{"places": {"A": 1, "B": 2}}\n'
    rows = json.loads(rank(text, "--format", "json"))["standings"]
    assert [(row["bot"], row["rank"], row["matches"]) for row in rows[2:]] == [("C", None, 0)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"places": {"A": 1, "B": 2}}\n{"places": {"A": 1}}\n', "results:2: a match of one bot"),
        ("match,bot,place\nm1,A,1\nm1,B,30\n", "results:2: the place of 'B' is 30 among 2 bots"),
        ("", "results is empty"),
    ],
)
def test_a_mistake_in_a_file_is_told_on_one_line(
    arena: Arena, tmp_path: Path, text: str, says: str
) -> None:
    (tmp_path / "results").write_text(text)
    result = arena("rank", tmp_path / "results")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("arena: ")
    assert result.stderr.count("\n") == 1
    assert says in result.stderr


def test_what_is_neither_a_league_nor_a_file_is_told(arena: Arena, tmp_path: Path) -> None:
    for path, says in ((tmp_path, "is not a league"), (tmp_path / "none", "there is no league")):
        result = arena("rank", path)
        assert result.exit_code == 2
        assert says in result.stderr


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
