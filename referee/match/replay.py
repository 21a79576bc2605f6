"""The replay of a match, enough to play it again without the bots."""

from collections.abc import Iterator
from typing import Any

import msgspec

from protocol.errors import ArenaError
from referee.match.opening import Opening, begun, in_words
from referee.match.scoring import Number
from referee.rules.game import Game, Move
from referee.rules.options import new_game, read_options
from referee.turn.answer import STANDING, Fault


class Entry(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """One decision: the move that was played, and the fault it stands in for, if any.

    Without a move, the seat was withdrawn before it could be asked anything.
    """

    seat: int
    move: Move | None
    fault: Fault | None = None
    note: str | None = None


class Replay(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was dealt, what was decided, and how it ended; results follow from it alone.

    The other part of the record is its evidence.
    """

    game: str
    rules: int
    """The version of the game's rules it was played by."""
    seats: int
    options: dict[str, Any]
    seed: str
    """The seed of the deal."""
    entries: list[Entry]
    places: list[int]
    reason: str
    scores: list[Number] | None = None
    """By seat; None where the game has none, a seat forfeited, or none were kept yet."""
    numbers: dict[str, Number] | None = None
    """The match's own, by the names of the game's `measures`; None likewise."""
    opening: Opening | None = None
    """What came before the first entry, if its deals have openings."""


def game_of(replay: Replay, kind: type[Game]) -> Game:
    """Return the replay's game, of which `kind` is the class, as it was before the first entry.

    Raises ArenaError if it was of another game, or played by other rules.
    """
    _check_kind(replay, kind)
    options = read_options(kind, replay.options)
    return begun(kind, replay.seats, options, replay.seed, replay.opening)


def opening_in_words(replay: Replay, kind: type[Game]) -> list[tuple[int, str]]:
    """Return the moves of a replay's opening in words, each with its seat.

    Raises ArenaError as `game_of` does.
    """
    _check_kind(replay, kind)
    if replay.opening is None:
        return []
    game = new_game(kind, replay.seats, read_options(kind, replay.options), replay.seed)
    return in_words(game, replay.opening)


def _check_kind(replay: Replay, kind: type[Game]) -> None:
    """Raise ArenaError unless `kind` is the game by whose rules it was played."""
    if kind.name != replay.game:
        raise ArenaError(f"this replay is of {replay.game}, and not of {kind.name}.")
    if kind.rules_version != replay.rules:
        raise ArenaError(
            f"this replay was played by version {replay.rules} of the rules of {replay.game}; "
            f"here is version {kind.rules_version}. Use the release that played it."
        )


def withdrawn(replay: Replay) -> int:
    """Return how many entries say that a seat was out before it could be asked anything.

    They come first, and have no move.
    """
    moves = (number for number, entry in enumerate(replay.entries) if entry.move is not None)
    return next(moves, len(replay.entries))


def steps(replay: Replay, kind: type[Game]) -> Iterator[tuple[Game, list[Entry]]]:
    """Play a replay: yield the game before each step, with the entries that decide it.

    `kind` is the class of the game. Raises ArenaError where the record does not fit the rules.
    """
    game = game_of(replay, kind)
    entries = replay.entries
    done = withdrawn(replay)
    for entry in entries[:done]:
        game.withdraw(entry.seat)
    out = {entry.seat for entry in entries[:done]}
    while done < len(entries):
        deciders = list(game.deciders())
        step = entries[done : done + len(deciders)]
        fits = bool(step) and [entry.seat for entry in step] == deciders
        if not fits or not all(_is_possible(game, entry, out) for entry in step):
            raise ArenaError(f"decision {done + 1} of the replay is not what the rules ask for.")
        yield game, step
        done += len(step)
        _apply(game, step, out)
    yield game, []


def _is_possible(game: Game, entry: Entry, out: set[int]) -> bool:
    """Return whether a match could record this now; `out` are the seats that have forfeited."""
    if entry.move is None:
        return False
    has_default = entry.fault is not None and entry.fault.kind not in STANDING
    if has_default or entry.seat in out:
        return entry.move == game.default(entry.seat)
    return game.read(entry.seat, entry.move) == entry.move


def _apply(game: Game, step: list[Entry], out: set[int]) -> None:
    for entry in step:
        if entry.fault is not None and entry.fault.forfeit:
            out.add(entry.seat)
            game.withdraw(entry.seat)
    game.apply({entry.seat: entry.move for entry in step if entry.move is not None})
