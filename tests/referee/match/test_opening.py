"""Openings: the same in every rotation, open by the measure, and read from books as they are."""

import re
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import ArenaError
from referee.catalog.loading import find_game
from referee.games import GAMES
from referee.match import opening as openings
from referee.match.book import read_book
from referee.match.match import Match, bot_seeds, starts
from referee.match.opening import (
    BookLine,
    FoundOpening,
    Opening,
    OpeningTerms,
    begun,
    check_terms,
    opening_of,
    opening_of_line,
)
from referee.match.replay import Replay, game_of, opening_in_words, steps
from referee.match.seat import FunctionSeat
from referee.match.seat import play_match as drive
from referee.rules.game import Game, Options, plain
from referee.rules.options import new_game, read_options
from tests.referee.games_for_tests import AtOnce, Countdown, RoundsOptions
from tests.referee.scripted import CONTROL

ELSEWHERE = ("connect_four", "goofspiel", "hearts", "chess", "backgammon", "leduc_poker")
SEEDS = st.text("0123456789abcdef", min_size=16, max_size=16)


def found(kind: type[Game], seed: str, **terms: Any) -> FoundOpening:
    """Return the opening of a deal of a game with its usual options."""
    openings._drawn.cache_clear()
    seats, options = kind.seat_counts[0], read_options(kind, {})
    asked = OpeningTerms(**terms)
    return opening_of(kind, seats, options, asked, key="k", number=0, seed=seed)


def played_by_chance(kind: type[Game], seed: str, opening: Opening) -> Replay:
    """Play a match after an opening, with random moves."""
    seats, rng = kind.seat_counts[0], Random(seed)
    game = begun(kind, seats, read_options(kind, {}), seed, opening)
    holders = [
        FunctionSeat(lambda decision, view, seat=seat: game.sample(seat, rng))
        for seat in range(seats)
    ]
    told = starts(game, "m", CONTROL, bot_seeds(game))
    return drive(Match(game, 2, opening), holders, told).replay


def of_any_game(name: str) -> type[Game]:
    if name not in GAMES:
        pytest.importorskip("pyspiel", reason="OPENSPIEL IS NOT TESTED HERE: it is missing")
        return find_game(f"openspiel:{name}")
    return GAMES[name]


@pytest.mark.parametrize("name", [*GAMES, *ELSEWHERE])
def test_a_replay_plays_its_opening_again_whatever_the_game(name: str) -> None:
    kind = of_any_game(name)
    if not kind.decisions:
        with pytest.raises(ArenaError, match="ask for fewer plies"):
            found(kind, "1", plies=1)
        return

    @settings(max_examples=2)
    @given(SEEDS)
    def holds(seed: str) -> None:
        opening = found(kind, seed, plies=2, open=1.0).opening
        assert found(kind, seed, plies=2, open=1.0).opening == opening
        assert found(kind, f"{seed}0", plies=2, open=1.0).opening.moves != [] != opening.moves
        replay = played_by_chance(kind, seed, opening)
        stored = msgspec.json.decode(msgspec.json.encode(replay), type=Replay)
        assert stored == replay
        assert len(opening_in_words(stored, kind)) == len(opening.moves)
        *_, (game, step) = steps(stored, kind)
        assert not step
        assert game.places() == replay.places
        one, other = (
            game_of(stored, kind),
            begun(kind, stored.seats, read_options(kind, {}), seed, opening),
        )
        assert [plain(one.view(seat)) for seat in range(one.seats)] == [
            plain(other.view(seat)) for seat in range(one.seats)
        ]

    holds()


def test_all_who_move_at_once_move_in_a_step() -> None:
    options = RoundsOptions(rounds=5)
    terms = OpeningTerms(plies=2, open=1)
    opening = opening_of(AtOnce, 3, options, terms, key="k", number=0, seed="s").opening
    assert [seat for seat, _ in opening.moves] == [0, 1, 2, 0, 1, 2]
    game = begun(AtOnce, 3, options, "s", opening)
    assert [len(taken) for taken in game.view(0)["taken"]] == [2, 2, 2]


@pytest.mark.parametrize(
    ("moves", "says"),
    [
        ([(1, {"take": 1})], "move 1 of the opening is not by who is asked"),
        ([(0, {"take": 9})], "move 1 of the opening is not legal"),
        ([(0, {"take": 1}), (1, {})], "move 2 of the opening is not legal"),
        ([(seat, {"take": 1}) for seat in (0, 1) * 4], "move 7 of the opening is not by"),
    ],
)
def test_what_the_rules_do_not_allow_is_no_opening(moves: list[tuple[int, Any]], says: str) -> None:
    with pytest.raises(ArenaError, match=says):
        begun(Countdown, 2, RoundsOptions(), "1", Opening(moves=moves))


def drawn(options: Options, seed: int, most: float) -> tuple[int, FoundOpening]:
    """Return by how much a seat is ahead after the drawn first round, and the opening."""
    terms = OpeningTerms(plies=2, open=most)
    each = opening_of(Countdown, 2, options, terms, key="k", number=0, seed=str(seed))
    (_, one), (_, other) = each.opening.moves
    return abs(one["take"] - other["take"]), each


def test_an_opening_that_nearly_decides_the_match_is_not_drawn() -> None:
    """After 3 against 1, with a round to go, a seat wins 17 of 18 random matches.

    Where no opening is open, the first one is played, and that is said.
    """
    options = RoundsOptions(rounds=2)
    every = {seed: drawn(options, seed, 1) for seed in range(40)}
    assert {ahead for ahead, _ in every.values()} == {0, 1, 2}
    some = [drawn(options, seed, 0.75) for seed in every]
    assert {ahead for ahead, _ in some} <= {0, 1}
    assert all(each.is_open for _, each in some)
    even = {seed: drawn(options, seed, 0.5)[1] for seed in range(20)}
    uneven = [seed for seed, each in even.items() if not each.is_open]
    assert uneven
    assert all(even[seed].opening == every[seed][1].opening for seed in uneven)


def test_an_opening_leaves_something_to_decide() -> None:
    with pytest.raises(ArenaError, match="no opening of 4 plies was found for countdown"):
        check_terms(Countdown, 2, RoundsOptions(rounds=2), OpeningTerms(plies=4))
    with pytest.raises(ArenaError, match=r"open cannot be 0\.4 with 2 seats"):
        check_terms(Countdown, 2, RoundsOptions(rounds=2), OpeningTerms(plies=1, open=0.4))


def test_all_lines_of_a_book_are_met_once_before_any_is_met_twice() -> None:
    book = tuple(
        BookLine(n, "", tuple(f'{{"take":{d}}}' for d in w))
        for n, w in enumerate(("1", "2", "3", "11", "12", "13", "21"), 1)
    )

    def met(key: str, numbers: range, seed: str) -> list[Opening]:
        terms, options = OpeningTerms(book=book), RoundsOptions()
        return [
            opening_of(Countdown, 2, options, terms, key=key, number=n, seed=seed).opening
            for n in numbers
        ]

    first = met("k", range(7), "a")
    assert len({str(each) for each in first}) == 7
    assert met("k", range(7, 14), "b") == first
    assert met("other", range(7), "a") != first


def written(folder: Path, name: str, text: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


MOVES = '# mine\n\n{"take":1} {"a":"}\\""},{"b":{}}\ne4 e5\nB a1; W b 2 ;\n'
POSITIONS = "\ufeffa w - - bm Qf7; id 3;\nb w KQ e3 1 7\nc b - - 0 1 x\r\nd w - - hmvc 1;\n"
PGN = r"""[Event "a \" ] quoted"]
[Result "1-0"]

1. e4 {best (by "test"} e5 2.Nf3 $14 (2. f4 exf4 (2... d5) 3. Nf3) 2... Nc6 !? 3. Bb5! a6?
; the rest ( of this line
% and [this
4. O-O-O+ 1-0

[Event "empty"]
*
[Event "no result"] 1... e5
[FEN "r3k2r/8/8/8/8/8/8/R3K2R  w KQkq - 0 1"]
[SetUp "1"] *
"""


BOOKS: dict[str, tuple[str, list[tuple[int, str, str]]]] = {
    "moves.txt": (
        MOVES,
        [(3, "", '{"take":1}|{"a":"}\\""}|{"b":{}}'), (4, "", "e4|e5"), (5, "", "B a1|W b 2")],
    ),
    "positions.EPD": (
        POSITIONS,
        [
            (number, at, "")
            for number, at in enumerate(
                ("a w - - 0 1", "b w KQ e3 1 7", "c b - - 0 1", "d w - - 0 1"), 1
            )
        ],
    ),
    "games.pgn": (
        PGN,
        [
            (1, "", "e4|e5|Nf3|Nc6|Bb5|a6|O-O-O+"),
            (11, "", "e5"),
            (12, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ""),
        ],
    ),
}


@pytest.mark.parametrize("name", BOOKS)
def test_a_book_is_read_to_its_end_or_so_many_plies_of_each_line(tmp_path: Path, name: str) -> None:
    text, expected = BOOKS[name]
    lines = [BookLine(at, where, (*filter(None, m.split("|")),)) for at, where, m in expected]
    file = written(tmp_path, name, text)
    assert read_book(file) == (*lines,)
    assert [line.moves for line in read_book(file, 1)] == [line.moves[:1] for line in lines]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("b.txt", "", "holds no openings"),
        ("b.pgn", '[Event "x"]\n*\n', "holds no openings"),
        ("b.txt", b"\xff\xfe\x00", "is no text in UTF-8"),
        ("b.txt", 'e4\n{"take":1} {"take":\n', "b.txt:2: not a move in JSON"),
        ("b.txt", '{"take":1}}\n', "b.txt:1: not a move in JSON"),
        ("b.txt", '{"a":' * 5000 + "1" + "}" * 5000, "b.txt:1: not a move in JSON"),
        ("b.epd", "x w -\n", "b.epd:1: a position has at least four fields"),
        ("b.pgn", "1. e4 (1. d4\n", "a variation, from '\\(' on, does not end"),
        ("b.pgn", "1. e4\n) e5 *\n", "b.pgn:2: '\\)' has no counterpart"),
        ("b.pgn", "1. e4 {never\nends", "b.pgn:1: '{' has no counterpart"),
        ("b.txt", b"\n" * (1 << 24) + b"e", "holds no openings"),
        ("b.pgn", "[" * 1_000_000, "'\\[' has no counterpart"),
        ("b.pgn", '["' + "\\" * 1_000_001, "'\\[' has no counterpart"),
        ("b.txt", '{"a":1}' * 300_000, "more than 10000 moves"),
        ("b.txt", "a " * 300_000, "more than 10000 moves"),
        (".", "", "cannot be read"),
        ("none.epd", "", r"none\.epd cannot be read"),
    ],
    ids=range(17),
)
def test_what_is_no_book_is_refused_and_soon_however_long(
    tmp_path: Path, name: str, text: str | bytes, says: str
) -> None:
    file = written(tmp_path, name, text) if name.startswith("b.") else tmp_path / name
    with pytest.raises(ArenaError, match=says):
        read_book(file)


@pytest.mark.parametrize(
    ("name", "opening", "count"),
    [
        ("b.epd", "position{:07} w - - bm e4;\n", 40_000),
        ("b.txt", "m{:07}\n", 40_000),
        ("b.txt", "m{:07} some more moves that follow\n", 40_000),
        ("b.pgn", '[Event "x"]\n[Round "{0}"]\n\n1. m{0:07} {{and\nso on}} e5 *\n\n', 30_000),
    ],
)
def test_a_large_book_is_drawn_from_at_even_distances(
    tmp_path: Path, name: str, opening: str, count: int
) -> None:
    text = "# of many\n" * (name == "b.txt") + "".join(map(opening.format, range(count)))
    drawn = read_book(written(tmp_path, name, text))
    numbers = [int(re.search("[0-9]{7}", line.position or line.moves[0])[0]) for line in drawn]  # type: ignore[index]
    assert len(drawn) > 9_990
    assert numbers == sorted(set(numbers))
    assert max(later - each for each, later in pairwise(numbers)) <= count // 10_000 + 1
    assert numbers[-1] >= 0.999 * count
    lines = text.splitlines()
    for line, number in zip(drawn, numbers, strict=True):
        assert f"{number}" in lines[line.where - 1] + lines[min(line.where, len(lines) - 1)]
    assert drawn == read_book(tmp_path / name)


def test_any_text_is_a_book_or_refused_in_words(tmp_path: Path) -> None:
    @settings(max_examples=100)
    @given(st.text() | st.text('{}()[];%$"\\\n 1.e4-O*FEN'), st.sampled_from(("pgn", "epd", "txt")))
    def holds(text: str, ending: str) -> None:
        file = written(tmp_path, f"b.{ending}", text.encode(errors="surrogatepass"))
        try:
            is_fine = bool(read_book(file))
        except ArenaError as error:
            is_fine = str(file) in str(error)
        assert is_fine

    holds()


TAKE = '{"take":1}'


@pytest.mark.parametrize(
    ("kind", "line", "says"),
    [
        (Countdown, (TAKE, '{"take":4}'), "move 2, '{\"take\":4}', is not legal there"),
        (Countdown, ("take 1",), "move 1, 'take 1', is not legal"),
        (Countdown, (TAKE,) * 6, "the match is over after it"),
        (Countdown, (TAKE,) * 7, "the match is over before move 7"),
        (AtOnce, (TAKE,), "more seats move at once"),
        (Countdown, None, "countdown cannot begin from a position: give moves"),
    ],
)
def test_a_line_that_is_no_opening_is_refused(
    kind: type[Game], line: tuple[str, ...] | None, says: str
) -> None:
    game = new_game(kind, 2, RoundsOptions(), "1")
    with pytest.raises(ArenaError, match=says):
        opening_of_line(game, BookLine(1, "", line) if line else BookLine(1, "x w - - 0 1"))
