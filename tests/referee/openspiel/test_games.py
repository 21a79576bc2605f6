"""The games of OpenSpiel as games of the arena: chance, secrets, moves, options, boards."""

import json
import subprocess
import sys
from collections import Counter
from importlib import metadata
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from arena.cli import main
from protocol.errors import ArenaError
from referee.catalog.identity import code_of
from referee.catalog.loading import find_game
from referee.openspiel import library
from referee.openspiel.kind import surveys
from referee.openspiel.trial import check_survives
from referee.rules.chance import Chance
from referee.rules.game import Game, plain, twin
from referee.rules.options import new_game, read_options
from referee.rules.scene import Grid
from referee.testing import check_game
from referee.testing.trial import Case
from tests.arena.conftest import ROOT
from tests.benchmarks.openspiel_table import verify

pytest.importorskip("pyspiel", reason="OPENSPIEL IS NOT TESTED HERE: it is missing")

DOZEN = (
    *("connect_four", "leduc_poker", "goofspiel", "hearts", "chess", "liars_dice", "backgammon"),
    *("python_tic_tac_toe", "repeated_rock_paper_scissors", "no_limit_holdem", "phantom_ttt"),
    "go(board_size=5)",
)


def game_of(name: str, seed: str = "1", **options: Any) -> Game:
    kind = find_game(f"openspiel:{name}")
    return new_game(kind, kind.seat_counts[0], read_options(kind, options), seed)


LONG = 40
"""Decisions of a match of which one deal is enough here."""


def play_on(game: Game, moves: int, seed: int = 1) -> Game:
    rng = Random(seed)
    for _ in range(moves):
        if game.deciders():
            game.apply({seat: game.sample(seat, rng) for seat in game.deciders()})
    return game


@pytest.mark.slow
@pytest.mark.parametrize("name", DOZEN)
def test_a_game_keeps_the_contract(name: str) -> None:
    """And its league is verified. Of long matches one deal is tried; `openspiel_table` has all."""
    kind = find_game(f"openspiel:{name}")
    one = [Case(kind, kind.seat_counts[0])]
    check_game(kind, cases=one if kind.typical_decisions > LONG else None)
    verify(f"openspiel:{name}", kind)


@pytest.mark.slow
def test_a_hundred_games_can_be_played_and_each_other_one_has_a_reason() -> None:
    result = CliRunner().invoke(main, ["games", "openspiel", "--format", "json"])
    assert result.exit_code == 0, result.output
    rows = {row["game"].partition(":")[2]: row for row in json.loads(result.stdout)["games"]}
    played = {name for name, row in rows.items() if not row["refusal"]}
    assert len(played) >= 100
    assert played == surveys().keys()
    assert all(rows[name]["seats"] and rows[name]["seats"][0] >= 2 for name in played)
    for name, reason in {
        "2048": "it is for one player",
        "tarok": "its chance is inside",
        "hanabi": "all its players win or lose together",
        "mfg_garnet": "it is a mean-field game",
        "misere": "it is made of another game",
    }.items():
        assert rows[name]["refusal"].startswith(reason)
    *lines, last = CliRunner().invoke(main, ["games", "openspiel"]).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert last == f"{len(played)} games can be played, {len(rows) - len(played)} cannot."


@pytest.mark.slow
def test_every_game_begins_as_openspiel_begins_it_and_prints_nothing(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """OpenSpiel says wrongly of some what their defaults are: it does not name first positions."""
    for name in surveys():
        game = game_of(name)
        state = game._state  # type: ignore[attr-defined]
        fresh = game.recipe.made({}, game.seats).new_initial_state()  # type: ignore[attr-defined]
        for action in state.history():
            fresh.apply_action(action)
        for seat in range(game.seats):
            assert game.view(seat).get("observation", "") == (
                fresh.observation_string(seat) if "observation" in game.view(seat) else ""
            )
    assert capfd.readouterr() == ("", "")


def test_an_outcome_falls_as_often_as_it_is_likely() -> None:
    outcomes = [(0, 0.5), (3, 0.25), (7, 0.25), (8, 0.0)]
    fell = Counter(Chance(str(seed)).weighted(outcomes, "roll") for seed in range(4000))
    assert fell.keys() == {0, 3, 7}
    for number, likely in outcomes[:3]:
        assert abs(fell[number] / 4000 - likely) < 4 * (likely * (1 - likely) / 4000) ** 0.5
    drawn = [Chance("a seed").weighted([*enumerate([1 / 52] * 52)], "chance", n) for n in range(8)]
    assert drawn == [6, 15, 48, 20, 20, 49, 19, 5], "what was drawn stays what it is"


@pytest.mark.parametrize("weights", [[1 / 6] * 6, [0.3, 0.25, 0.2, 0.1, 0.1, 0.05]])
def test_an_outcome_that_is_gone_changes_the_choice_only_if_it_was_the_choice(
    weights: list[float],
) -> None:
    outcomes = [*enumerate(weights)]
    for seed in range(300):
        chance = Chance(str(seed))
        chosen = chance.weighted(outcomes, "draw", 4)
        for gone in range(6):
            left = [each for each in outcomes if each[0] != gone]
            total = sum(likely for _, likely in left)
            again = chance.weighted([(at, likely / total) for at, likely in left], "draw", 4)
            assert (again == chosen) == (gone != chosen)


def test_the_texts_of_actions_are_those_of_the_state_that_is_asked_about() -> None:
    """They are kept while a seat is asked, and no longer, in copies neither."""
    game = game_of("tic_tac_toe")
    first = game.view(0)["texts"]
    other = twin(game)
    other.apply({0: {"action": 0}})
    assert other.view(1)["texts"] == [text.replace("x", "o") for text in first[1:]]
    assert other.read(1, {"text": "o(2,2)"}) == {"action": 8}
    other.apply({1: {"action": 1}})
    assert other.view(0)["texts"] == first[2:]
    assert game.view(0)["texts"] == first
    assert game.read(0, {"text": "x(2,2)"}) == {"action": 8}


def test_a_view_of_a_game_with_secrets_never_holds_the_state() -> None:
    for name in ("leduc_poker", "gin_rummy", "hearts", "no_limit_holdem"):
        game = play_on(game_of(name), 5)
        state = game._state  # type: ignore[attr-defined]
        for seat in range(game.seats):
            view = json.dumps(plain(game.view(seat)))
            assert "history" not in game.view(seat)
            assert json.dumps(str(state))[1:-1] not in view
            assert json.dumps(state.serialize())[1:-1] not in view
            assert str(state) not in game.text(seat)


def test_a_move_is_sent_by_its_number_or_its_text() -> None:
    game = game_of("tic_tac_toe")
    assert game.decision(0).legal == [{"action": at} for at in range(9)]
    assert game.view(0)["texts"][4] == "x(1,1)"
    for sent in ({"action": 4}, {"text": "x(1,1)"}, {"action": 4, "text": "x(1,1)"}):
        assert game.read(0, sent) == {"action": 4}
    refused: dict[str, dict[str, Any]] = {
        "action 9 is not legal now: send the number of one of the legal actions, or": {"action": 9},
        "no legal action is called 'x(9,9)': send the number": {"text": "x(9,9)"},
        "action 3 is not the one called 'x(1,1)'": {"action": 3, "text": "x(1,1)"},
        "send the number": {},
        "must be": {"action": "4"},
    }
    for told, sent in refused.items():
        assert told in str(game.read(0, sent))


def test_a_text_that_two_actions_share_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of("tic_tac_toe")

    class Same:
        def __init__(self, state: Any) -> None:
            self._state = state

        def __getattr__(self, name: str) -> Any:
            return getattr(self._state, name)

        def action_to_string(self, seat: int, action: int) -> str:
            return "anywhere" if action < 2 else "elsewhere"

    monkeypatch.setattr(game, "_state", Same(game._state))  # type: ignore[attr-defined]
    assert game.read(0, {"text": "anywhere"}) == (
        "the actions [0, 1] are all called 'anywhere': send the number of one"
    )
    assert game.read(0, {"action": 1, "text": "anywhere"}) == {"action": 1}


def test_returns_are_scores_and_places_follow_from_them() -> None:
    game = game_of("no_limit_holdem")
    play_on(game, 100)
    scores = game.scores()
    assert scores is not None
    assert sum(scores) == 0
    assert game.view(0)["returns"] == scores
    assert sorted(game.places()) in ([1, 2], [1, 1])
    assert game.places()[scores.index(max(scores))] == 1


def refused(*words: str) -> str:
    result = CliRunner().invoke(main, [*words])
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr


@pytest.mark.parametrize(
    ("word", "option", "says"),
    [
        ("connect_for", "", "no game 'openspiel:connect_for'. Did you mean 'connect_four'"),
        ("tarok", "", "openspiel:tarok cannot be played here: its chance is inside"),
        ("connect_four", "rows=0", "'rows' of openspiel:connect_four cannot be 0: it takes"),
        ("connect_four", "rows=big", "it takes a whole number at least"),
        ("connect_four", "row=5", "Did you mean 'rows'?"),
        ("chess(foo=1)", "", "chess has no parameter 'foo'; it has: chess960."),
        ("universal_poker(numPlayers=3)", "", "numPlayers is 3, and is to be one of 2."),
        ("dark_hex_ir(board_size=2147483647)", "", "it takes a whole number at least 2 and at"),
        ("quoridor(board_size=100)", "", "parameter 'board_size' cannot be 100: it takes"),
        ("misere(game=hex(board_size=99))", "", "parameter 'board_size' cannot be 99: it"),
        ("universal_poker(blind=-1 5)", "", "blind is '-1 5', and is to be 2 whole numbers"),
        ("go(board_size=9", "", "its last character is to be the bracket that ends"),
        ("go(board_size=9))", "", "its brackets do not fit"),
        ("go(board_size=9,board_size=9)", "", "are written name=value, each once"),
        ("go(komi=x)", "", "komi is 'x', and is to be a number"),
        ("go(komi=nan)", "", "komi is 'nan', and is to be a number"),
        ("misere(game=hex)", "", "game is 'hex', and is to be a game, such as"),
        ("misere(game=hax())", "", "there is no game 'hax'"),
        ("goofspiel", "points_order=up", "OpenSpiel has no such game"),
        ("goofspiel", "num_turns=0", "num_turns cannot be 0"),
        ("go_fish", "initial_cards=0", "initial_cards cannot be 0: nobody could ask for a card"),
        ("go_fish(ranks=4)", "initial_cards=9", "a deck of 16 cards is too small: 18 are dealt"),
        ("hex(swap=true)", "num_rows=4", "swap needs a square board, and this one has 11 columns"),
        ("hex(swap=true,num_cols=11)", "board_size=4", "this one has 11 columns and 4 rows"),
        ("universal_poker(numRanks=2)", "numSuits=1", "a deck of 2 cards is too small: 3 are"),
        ("universal_poker", "stack=100 99", "a stack of 99 is to be more than a blind of 100"),
        ("universal_poker", "numBoardCards=x 1", "numBoardCards is 'x 1', and is to be 2 whole"),
        ("universal_poker", "firstPlayer=1 3", "is '1 3', and its numbers are from 1 to"),
        ("kriegspiel", "fen=x", "'x' is no position of chess in FEN: it has not six fields"),
        ("rbc(board_size=4)", "fen=k3/4/4/3Q w - - 0 1", "is no position in FEN for 4 rows"),
        ("laser_tag", "grid=", "OpenSpiel has no such game: nobody has a move at its beginning"),
        ("kriegspiel(50_move_rule=false)", "threefold_repetition=false", "a match need not end"),
        ("hearts", "", "openspiel:hearts is played by 4 seats"),
    ],
)
def test_a_game_that_cannot_be_is_refused_in_a_line(word: str, option: str, says: str) -> None:
    options = ["--option", option] if option else []
    assert says in refused("play", f"openspiel:{word}", "random", "random", *options)


@pytest.mark.parametrize(
    ("name", "seats"),
    [
        ("go( board_size = 5, komi=6 )", 2),
        ("repeated_game(stage_game=matrix_rps(),num_repetitions=9)", 2),
    ],
)
def test_a_name_may_hold_blanks_and_other_games(name: str, seats: int) -> None:
    played = play_on(game_of(name), 1000)
    assert (played.seats, bool(played.places)) == (seats, True)


def test_blanks_around_a_name_are_no_part_of_it_and_capitals_are_told() -> None:
    assert find_game("openspiel:  nim(pile_sizes=1;2;3) ").name == "openspiel:nim(pile_sizes=1;2;3)"
    with pytest.raises(ArenaError, match="Did you mean 'nim'"):
        find_game("openspiel:NIM(pile_sizes=1;2;3)")


def test_what_may_end_the_process_is_tried_in_another_one() -> None:
    check_survives("universal_poker", {"numPlayers": 2})
    with pytest.raises(ValueError, match="ends the process that plays it"):
        check_survives("universal_poker", {"numPlayers": 3, "blind": "1 1", "numHoleCards": 1})


@pytest.mark.parametrize(
    ("name", "option", "seats", "says"),
    [
        ("coin_game", "rows=2", 10, "with 10 seats, OpenSpiel has no such game: total_items"),
        ("go_fish", "suits=3", 10, "with 10 seats, a deck of 39 cards is too small: 50 are"),
        ("oh_hell", "num_tricks_fixed=8", 7, "with 7 seats, a deck of 52 cards is too small: 57"),
    ],
)
def test_options_that_are_not_for_so_many_seats_are_refused_in_a_line(
    name: str, option: str, seats: int, says: str, tmp_path: Path
) -> None:
    kind = find_game(f"openspiel:{name}")
    key, _, value = option.partition("=")
    assert read_options(kind, {key: int(value)}, kind.seat_counts[0])
    words = ["--option", option]
    assert f"openspiel:{name}: {says}" in refused(
        "play", f"openspiel:{name}", *["random"] * seats, *words
    )
    league = ["init", str(tmp_path / "cup"), "random", "--game", f"openspiel:{name}", *words]
    assert says in refused(*league, "--seats", str(seats))


def test_games_of_hidden_chess_begin_from_a_position_on_either_board() -> None:
    for size, fen in ((8, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), (4, "k3/4/4/3K w - - 0 1")):
        for name in ("dark_chess", "kriegspiel", "rbc"):
            game = game_of(name, board_size=size, fen=fen)
            assert game.state.history() == []
            assert fen.split(" ")[0] in str(game.state)


def test_options_are_allowed_that_some_number_of_seats_goes_with() -> None:
    """With three seats, seven cards each are too many for three suits of seven."""
    kind = find_game("openspiel:oh_hell")
    few = {"num_suits": 1, "num_cards_per_suit": 4}
    assert read_options(kind, few, 3) == read_options(kind, few)
    with pytest.raises(ArenaError):
        read_options(kind, {"num_suits": 1, "num_cards_per_suit": 2})


def test_a_match_of_go_fish_ends_where_nobody_asks_for_what_is_there() -> None:
    kind = find_game("openspiel:go_fish")
    game = new_game(kind, 3, read_options(kind, {}), "1")
    while deciders := game.deciders():
        game.apply({seat: game.default(seat) for seat in deciders})
    assert game.reason == "length"
    assert sum(len(game.view(seat)["actions"]) for seat in range(3)) == 10 * 3 * 52
    assert game.places() == [1, 1, 1]
    assert (game.view(1)["decision"], game.view(1)["returns"]) == (None, [0.0, 0.0, 0.0])
    other = game.resample(1, Random(1))
    assert not other.deciders()
    assert other.view(1) == game.view(1)


def test_a_match_of_go_fish_is_over_where_the_deck_runs_out_as_it_is_dealt() -> None:
    """OpenSpiel deals more to whoever is dealt a book, and of 16 cards two are left."""
    game = game_of("go_fish", "492", ranks=4)
    assert (game.reason, game.deciders(), game.places()) == ("stuck", [], [1, 1])
    assert game.view(0)["returns"] == [0.0, 0.0]
    assert not game.resample(1, Random(1)).deciders()
    assert play_on(game_of("go_fish"), 1000).reason == "end"  # by its rules, where they are found
    oware = play_on(game_of("oware", num_seeds_per_house=19), 1001)
    assert (oware.reason, oware.places()) == ("length", [1, 1])
    assert len(oware.view(0)["history"]) == 1000


def test_without_openspiel_the_remedy_is_named_and_another_release_is_other_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kind = find_game("openspiel:connect_four")
    before = code_of(kind)
    monkeypatch.setattr(kind, "library", "open_spiel 9.9")
    assert code_of(kind) != before

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    library.spiel.cache_clear()
    monkeypatch.setattr(library.metadata, "version", missing)
    with pytest.raises(ArenaError, match=r"installed: .* -m pip install 'bot-arena\[openspiel\]'"):
        library.release()
    monkeypatch.setattr(library.metadata, "version", lambda _: "1.6.15")
    with pytest.raises(ArenaError, match=r"OpenSpiel 1.6.15 is too old; 2.0 is needed"):
        library.release()


@pytest.mark.slow  # a whole command in a Python of its own
def test_nothing_is_loaded_before_a_game_of_it_is_asked_for() -> None:
    asks = (
        "import sys; from click.testing import CliRunner; from arena.cli import main;"
        "r = CliRunner().invoke(main, ['games']); assert r.exit_code == 0, r.output;"
        "print([name for name in ('pyspiel', 'numpy', 'open_spiel') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", asks], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]", done.stderr


BOARDS = {
    "tic_tac_toe": "  x",
    "chess": "  8  r n b q",
    "connect_four": "     0 1 2 3 4 5 6",
    "go(board_size=5)": "     A B C D E",
    "hex(board_size=4)": "4     . . . .",
    "dark_hex": "  3    . . .",
    "breakthrough": "  8  b b",
    "othello": "     a b c d e f g h",
}


@pytest.mark.parametrize(("name", "line"), BOARDS.items())
def test_a_board_is_a_grid(name: str, line: str) -> None:
    game = game_of(name)
    assert isinstance(game.scene()[0], Grid)
    text = play_on(game, 1).text()
    assert any(line.strip() in each for each in text.splitlines()), text


def test_a_person_types_a_move_by_its_text() -> None:
    words = ["play", "openspiel:chess", "random", "human", "--seed", "1", "--sandbox", "none"]
    said = CliRunner().invoke(main, words, input="e2e4\nNc3\nNf9\nquit\n").stdout
    assert "4  . . . . P . . ." in said
    assert "That is not understood. Try a number." in said
    assert "3426  e4" not in said
    assert "2426  e4" in said
