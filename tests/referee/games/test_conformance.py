"""What every game must keep, whatever its rules: a new game passes this as it stands."""

import json
import random
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from referee.game import Game, Move, plain
from referee.games import GAMES
from tests.referee.games.conformance import (
    Case,
    Choose,
    RecordedChance,
    alternatives,
    cases_of,
    defaulting,
    everything,
    finish,
    is_plain,
    known,
    misnumbered,
    mixing,
    moments,
    mutant,
    option_schemas,
    sampling,
    snapshot,
    spoil,
    spots,
    twin,
    validator,
)
from tests.referee.games.scrambles import SCRAMBLES, nothing_is_hidden

every_case = pytest.mark.parametrize(
    "case",
    [  # `make test` tries a third of each game's
        pytest.param(case, id=str(case), marks=[pytest.mark.slow] if at % 3 else [])
        for name in GAMES
        for at, case in enumerate(cases_of(name))
    ],
)
every_game = pytest.mark.parametrize("name", GAMES)


@every_game
def test_a_game_introduces_itself(name: str) -> None:
    game = GAMES[name]
    assert game.name == name
    assert game.title.endswith(".")
    assert len(game.seat_counts) > 0
    assert game.typical_decisions >= 0
    assert is_plain(Case(name, game.seat_counts[0]).new().table())


@every_game
def test_every_option_is_described_and_has_another_value(name: str) -> None:
    for option, schema in option_schemas(GAMES[name]).items():
        assert schema.get("description"), f"{option} lacks msgspec.Meta(description=...)"
        assert alternatives(schema), f"{option} has only one value"


@every_game
def test_every_field_of_a_decision_is_described(name: str) -> None:
    for schema in GAMES[name].schemas().values():
        Draft202012Validator.check_schema(schema)
        assert json.loads(json.dumps(schema)) == schema
        for container, key in spots(schema):
            if key == "properties":
                for field, described in container[key].items():
                    assert described is False or "description" in described, field


@every_game
def test_every_declared_decision_comes_up(name: str) -> None:
    asked: set[str] = set()
    for seed, case in enumerate(cases_of(name) * 3):
        game = case.new(str(seed))
        asked.update(game.decision(seat).name for seat, _ in moments(game, sampling(seed)))
    assert asked == set(GAMES[name].decisions)


@every_case
def test_deciders_are_distinct_seats(case: Case) -> None:
    game = case.new()
    for seat, _ in moments(game, sampling()):
        seats = list(game.deciders())
        assert seat in seats
        assert len(set(seats)) == len(seats)
        assert set(seats) <= set(range(game.seats))


@every_case
def test_sampled_moves_are_legal(case: Case) -> None:
    game = case.new()
    for seat, move in moments(game, sampling()):
        assert game.refusal(seat, move) is None
        assert is_plain(move)
        validator(case.game, game.decision(seat).name).validate(move)


@every_case
def test_a_decision_offers_a_choice(case: Case) -> None:
    game = case.new()
    for seat, move in moments(game, sampling()):
        decision = game.decision(seat)
        assert (decision.legal is None) != (decision.limits is None)
        if decision.legal is not None:
            assert len(set(map(snapshot, decision.legal))) == len(decision.legal) >= 2
            assert move in decision.legal


@every_case
def test_every_listed_move_is_legal(case: Case) -> None:
    game = case.new()
    for seat, _ in moments(game, sampling()):
        decision = game.decision(seat)
        for move in decision.legal or ():
            assert snapshot(game.read(seat, move)) == snapshot(move)
        for move in (decision.legal or ())[:3]:
            validator(case.game, decision.name).validate(move)


def assert_well_ended(game: Game) -> None:
    """Assert that `game` is over, with a reason and places."""
    places = game.places()
    assert game.reason
    assert not game.deciders()
    assert len(places) == game.seats
    assert [1 + sum(other < place for other in places) for place in places] == places


@every_case
@pytest.mark.parametrize(
    "choosing", [sampling, mixing, lambda: defaulting], ids=["random", "mixed", "default"]
)
def test_every_play_ends(case: Case, choosing: Callable[[], Choose]) -> None:
    game = case.new()
    assert bool(game.reason) != bool(game.deciders())
    finish(game, choosing())
    assert_well_ended(game)


@every_case
@pytest.mark.parametrize("seed", range(3))
def test_play_ends_without_those_who_are_withdrawn(case: Case, seed: int) -> None:
    game, rng, choose = case.new(str(seed)), Random(seed), sampling(seed)
    out: set[int] = set()
    while seats := game.deciders():
        leaving = {seat for seat in range(game.seats) if rng.random() < 0.02} - out
        out |= leaving
        moves = {seat: (defaulting if seat in out else choose)(game, seat) for seat in seats}
        for seat in leaving:
            game.withdraw(seat)
        game.apply(moves)
    assert_well_ended(game)


@every_case
def test_play_ends_with_every_seat_withdrawn(case: Case) -> None:
    game = case.new()
    for seat in range(game.seats):
        game.withdraw(seat)
    finish(game, defaulting)
    assert_well_ended(game)


def record(game: Game, choose: Choose) -> list[tuple[str, str]]:
    """Play `game`; return what it shows before each step, with the moves of the step."""
    steps = []
    while seats := game.deciders():
        moves = {seat: choose(game, seat) for seat in seats}
        steps.append((everything(game), json.dumps(list(moves.items()))))
        game.apply(moves)
    return [*steps, (everything(game), "")]


@every_case
def test_a_replay_reproduces_the_game(case: Case) -> None:
    played = record(case.new(), mixing())
    again = case.new()
    for shown, moves in played:
        assert everything(again) == shown
        if moves:
            again.apply(dict(json.loads(moves)))
    assert not again.deciders()


@every_case
def test_a_canonical_move_plays_the_same_and_carries_nothing_else(case: Case) -> None:
    played = record(case.new(), sampling())
    again = case.new()
    for shown, moves in played:
        assert everything(again) == shown
        if moves:
            again.apply({seat: canonical(again, seat, move) for seat, move in json.loads(moves)})


def canonical(game: Game, seat: int, move: Move) -> Move:
    """Return the canonical form of a move, the same whatever was added to it."""
    found = game.read(seat, move)
    assert not isinstance(found, str)
    assert game.read(seat, found) == found
    fields = {name for kind in game.schemas().values() for name in named(kind)}
    for field in sorted(fields | {"unknown"}):
        more = {field: "x" * 1000, **move}
        if game.refusal(seat, more) is None:
            assert game.read(seat, more) == found
    return found


def named(schema: Any) -> set[str]:
    """Return all property names in a JSON Schema, at any depth."""
    if isinstance(schema, list):
        return {name for each in schema for name in named(each)}
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("properties", ())) | named(list(schema.values()))


@every_case
def test_the_same_seed_gives_the_same_game(case: Case) -> None:
    assert record(case.new("7"), sampling(7)) == record(case.new("7"), sampling(7))


@every_case
def test_nothing_is_shared_between_games(case: Case) -> None:
    dealt, drawn = everything(case.new("7")), random.getstate()
    finish(case.new("8"), sampling())
    assert everything(case.new("7")) == dealt
    assert random.getstate() == drawn, "a game may not use the generator of the whole program"


@every_case
def test_views_are_plain_json_and_texts_narrow(case: Case) -> None:
    game = case.new()
    for seat, _ in moments(game, sampling()):
        view = plain(game.view(seat))
        assert is_plain(view)
        assert msgspec.json.decode(msgspec.json.encode(view)) == view
        assert (view["game"], view["seat"]) == (case.game, seat)
        assert view["decision"] == game.decision(seat).name
        assert all(len(line) <= 80 for line in game.text(seat).splitlines())
    assert all(is_plain(plain(game.view(seat))) for seat in range(game.seats))


@every_game
def test_texts_are_narrow_in_other_deals(name: str) -> None:
    for seed, case in enumerate(cases_of(name)[:8]):
        game = case.new(str(seed))
        for at, _ in enumerate(moments(game, sampling(seed))):
            if at % 5 == 0:
                assert_narrow(game)
        assert_narrow(game)


def assert_narrow(game: Game) -> None:
    """Assert that everybody's text fits a terminal of 80 columns."""
    for seat in (*range(game.seats), None):
        for line in game.text(seat).splitlines():
            assert len(line) <= 80, line


@every_case
def test_decisions_are_plain_json(case: Case) -> None:
    game = case.new()
    for seat, _ in moments(game, mixing()):
        decision = game.decision(seat)
        assert is_plain(list(decision.legal or ()))
        assert is_plain(dict(decision.limits or {}))
        assert is_plain(game.default(seat))


def look_at_everything(game: Game) -> None:
    """Call whatever should change nothing."""
    for seat in (*range(game.seats), None):
        game.text(seat)
    for seat in range(game.seats):
        plain(game.view(seat))
    for seat in game.deciders():
        game.decision(seat)
        game.refusal(seat, {})
        game.describe(seat, game.default(seat))


@every_case
def test_looking_changes_nothing(case: Case) -> None:
    def choose(game: Game, seat: int) -> Move:
        look_at_everything(game)
        return sampled(game, seat)

    undisturbed = record(case.new(), sampling())
    sampled = sampling()
    assert record(case.new(), choose) == undisturbed


def hand_out_and_spoil(game: Game) -> None:
    """Ask for all that `game` hands out, and change it."""
    for seat in game.deciders():
        decision = game.decision(seat)
        spoil([decision.legal, decision.limits, game.default(seat), game.sample(seat, Random(0))])
    spoil([[plain(game.view(seat)) for seat in range(game.seats)], game.places(), game.table()])


@every_case
def test_what_is_handed_out_or_in_can_be_changed_without_harm(case: Case) -> None:
    undisturbed = record(case.new(), sampling())
    game, choose = case.new(), sampling()
    for shown, _ in undisturbed:
        hand_out_and_spoil(game)
        assert everything(game) == shown
        moves = {seat: choose(game, seat) for seat in game.deciders()}
        assert all(game.refusal(seat, move) is None for seat, move in moves.items())
        if moves:
            game.apply(moves)
        spoil(moves)


@every_game
def test_a_game_says_how_to_scramble_its_secrets(name: str) -> None:
    assert name in SCRAMBLES, f"scrambles.SCRAMBLES needs an entry for {name}"


@every_case
def test_nothing_shown_depends_on_another_seats_secret(case: Case) -> None:
    scramble = SCRAMBLES[case.game]
    game, rng, looked, noticed = case.new(), Random(1), 0, 0
    for _, move in moments(game, sampling()):
        if looked < 10 or rng.random() < 0.2:
            looked += 1
            probes = [move, *(mutant(move, rng) for _ in range(5))]
            for seat in range(game.seats):
                other = twin(game)
                scramble(other, seat, rng)
                assert known(other, seat, probes) == known(game, seat, probes)
                noticed += everything(other) != everything(game)
    idle = scramble is nothing_is_hidden or looked < 10
    assert noticed or idle, "the scramble changed nothing"


@every_case
def test_no_two_events_of_chance_share_a_name(case: Case) -> None:
    game = case.new(chance=RecordedChance)
    finish(game, sampling())
    assert isinstance(game.chance, RecordedChance)
    events = game.chance.events
    assert len(set(events)) == len(events)


@every_case
def test_only_a_move_draws_on_chance(case: Case) -> None:
    game = case.new(chance=RecordedChance)
    assert isinstance(game.chance, RecordedChance)
    for _ in moments(game, sampling()):
        drawn = len(game.chance.events)
        look_at_everything(game)
        assert len(game.chance.events) == drawn


@every_game
def test_the_seed_matters_where_there_is_chance(name: str) -> None:
    case = cases_of(name)[0]
    games = [case.new(str(seed), chance=RecordedChance) for seed in range(3)]
    records = {str(record(game, sampling())) for game in games}
    assert any(game.chance.events for game in games) == (len(records) > 1)


@every_case
def test_mutilated_moves_are_judged(case: Case) -> None:
    game, rng = case.new(), Random(1)
    for seat, move in moments(game, sampling()):
        if rng.random() < 0.5:
            for wrong in (game.default(seat), *(mutant(move, rng) for _ in range(4))):
                assert_judged(game, seat, wrong)


def assert_judged(game: Game, seat: int, move: Any) -> None:
    """Assert that `move` is either refused with a reason, or fits its schema and can be made."""
    before = repr(move)
    found = game.read(seat, move)
    assert repr(move) == before
    if isinstance(found, str):
        assert json.loads(snapshot(found))
    else:
        validator(game.name, game.decision(seat).name).validate(move)
        other = twin(game)
        assert other.describe(seat, found)
        other.apply({s: found if s == seat else other.default(s) for s in game.deciders()})
        assert is_plain(json.loads(everything(other)))


@every_case
def test_floats_and_booleans_are_no_numbers(case: Case) -> None:
    game = case.new()
    for seat, move in moments(game, sampling()):
        for wrong in misnumbered(move):
            assert game.refusal(seat, wrong) is not None


@cache
def one_moment_of_each_decision(name: str) -> list[tuple[Game, int]]:
    """Return a game at the third time of each decision, or at the last before it."""
    found: dict[str, list[tuple[Game, int]]] = {}
    for case in cases_of(name):
        game = case.new()
        for seat, _ in moments(game, sampling()):
            of_this_name = found.setdefault(game.decision(seat).name, [])
            if len(of_this_name) < 3:
                of_this_name.append((twin(game), seat))
    return [games[-1] for games in found.values()]


def words_of(name: str) -> list[str]:
    """Return the words that occur in the moves and views of a game."""
    words: set[str] = set()
    for game, seat in one_moment_of_each_decision(name):
        shown = [plain(game.view(seat)), game.default(seat), game.sample(seat, Random(1))]
        for container, key in spots([*shown, GAMES[name].schemas()]):
            words.update(word for word in (key, container[key]) if isinstance(word, str))
    return sorted(word for word in words if len(word) < 20)


def objects(words: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for JSON objects that often use `words`."""
    text = st.sampled_from(words) | st.text(max_size=3)
    leaves = st.none() | st.booleans() | st.integers() | st.integers(-3, 12) | st.floats() | text
    values = st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=5) | st.dictionaries(text, inner, max_size=4),
        max_leaves=8,
    )
    return st.dictionaries(text, values, max_size=5)


@every_game
def test_any_json_object_is_judged(name: str) -> None:
    situations = one_moment_of_each_decision(name)

    @given(move=objects(words_of(name)))
    @settings(max_examples=150, deadline=None, derandomize=True)
    def judge(move: dict[str, Any]) -> None:
        for game, seat in situations:
            assert_judged(game, seat, move)

    if situations:
        judge()
