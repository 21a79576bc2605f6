"""Openings: what comes before the first decision of a match, drawn by chance or taken from a book.

An opening is a position, or moves, or both. It is the same in all rotations of a deal.
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any

import msgspec

from protocol.errors import ArenaError
from referee.rules.chance import Chance
from referee.rules.game import Game, Move, Options
from referee.rules.options import new_game

PLAYOUTS = 32
"""Random matches that are played from a drawn opening, to see how open it is."""
DRAWS = 20
"""How many openings are drawn for a deal until one is open."""
USUAL_MOST = 0.75
"""The share of first places that a seat may have in the random matches, if nothing is said."""

_LONG = 10  # times as many decisions as is typical: a random match is given up as drawn


class Opening(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came before the first decision of a match: a position, then moves."""

    position: str = ""
    """As its game writes positions; empty for the usual beginning."""
    moves: list[tuple[int, Move]] = []
    """Each with its seat; those of one step in the order of its deciders."""


class BookLine(msgspec.Struct, frozen=True, array_like=True):
    """One opening of a book, as the book writes it."""

    where: int
    """The number of the line in its file."""
    position: str = ""
    moves: tuple[str, ...] = ()
    """Words that the game knows, or JSON objects."""


class FixedOpening(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a league keeps of its openings: what they follow from."""

    plies: int | None = None
    open: float | None = None
    book: str = ""
    """The hash of the lines of its book, if it has one."""


class OpeningTerms(msgspec.Struct, frozen=True, kw_only=True):
    """What the openings of a league are made from: all that a worker must know of them."""

    plies: int | None = None
    """How many steps are drawn, in each of which every decider makes a random move."""
    open: float = USUAL_MOST
    """The share of first places that no seat may exceed in random matches from there; 1 is any."""
    book: tuple[BookLine, ...] = ()
    """The openings to choose from, if they are not drawn."""
    file: str = ""
    """Where the book was read, for errors."""

    def fixed(self) -> FixedOpening:
        """Return what may not change once a match was played; numbers of lines do not matter."""
        if not self.book:
            return FixedOpening(plies=self.plies, open=self.open)
        lines = [(line.position, line.moves) for line in self.book]
        digest = hashlib.blake2b(msgspec.json.encode(lines), digest_size=16)
        return FixedOpening(book=digest.hexdigest())


class FoundOpening(msgspec.Struct, frozen=True):
    """The opening of a deal."""

    opening: Opening
    is_open: bool = True
    """Whether it is one of those asked for; else it is the first that was drawn."""


# --- played


def begun(
    kind: type[Game], seats: int, options: Options, seed: str, opening: Opening | None
) -> Game:
    """Return a match dealt from `seed` in which `opening` has been played.

    Raises ArenaError if the rules do not allow it.
    """
    game = new_game(kind, seats, options, seed)
    if opening is not None:
        for _ in opening_steps(game, opening):
            pass
    return game


def opening_steps(game: Game, opening: Opening) -> Iterator[Sequence[tuple[int, Move]]]:
    """Play an opening in a match that was just dealt: yield each step before it is carried out.

    A step is the moves of its deciders, each with its seat. Raises ArenaError where the rules do
    not allow it.
    """
    if opening.position:
        game.set_up(opening.position)
    done = 0
    while done < len(opening.moves):
        deciders = [*game.deciders()]
        step = opening.moves[done : done + len(deciders)]
        if not step or [seat for seat, _ in step] != deciders:
            raise ArenaError(f"move {done + 1} of the opening is not by who is asked.")
        for number, (seat, move) in enumerate(step, done + 1):
            if game.read(seat, move) != move:
                raise ArenaError(f"move {number} of the opening is not legal.")
        yield step
        done += len(step)
        game.apply(dict(step))


def in_words(game: Game, opening: Opening) -> list[tuple[int, str]]:
    """Return the moves of an opening in words, each with its seat; `game` was just dealt."""
    steps = opening_steps(game, opening)
    return [(seat, game.describe(seat, move)) for step in steps for seat, move in step]


# --- found


def opening_of(
    kind: type[Game],
    seats: int,
    options: Options,
    terms: OpeningTerms,
    *,
    key: str,
    number: int,
    seed: str,
) -> FoundOpening:
    """Return the opening of a deal: `number` is the deal's, `seed` too, and `key` the league's.

    A drawn one follows from the seed. The lines of a book are taken by the deal's number, in an
    order drawn from the key, so that all line-ups meet the same ones; again from the first when
    all were taken. Raises ArenaError if there is none.
    """
    if terms.book:
        line = terms.book[_order(key, len(terms.book))[number % len(terms.book)]]
        return FoundOpening(opening_of_line(new_game(kind, seats, options, seed), line))
    assert terms.plies is not None
    return _drawn(kind, seats, msgspec.json.encode(options), seed, terms.plies, terms.open)


@lru_cache(maxsize=4)
def _order(key: str, count: int) -> list[int]:
    return Chance(key).shuffled(range(count), "openings")


@lru_cache(maxsize=8)
def _drawn(
    kind: type[Game], seats: int, options: bytes, seed: str, plies: int, most: float
) -> FoundOpening:
    """Return the first opening drawn that is open, or else the first one."""
    chosen = msgspec.json.decode(options, type=kind.options_type)
    drawn: list[Opening] = []
    for draw in range(DRAWS):
        game = new_game(kind, seats, chosen, seed)
        opening = _random_opening(game, plies, _dice("opening", seed, draw))
        if opening is None or opening in drawn:
            continue
        drawn.append(opening)
        if most == 1 or _is_open(kind, seats, chosen, seed, opening, most):
            return FoundOpening(opening)
    if not drawn:
        raise ArenaError(
            f"no opening of {plies} plies was found for {kind.name} in {DRAWS} draws, as every "
            f"match was over before: ask for fewer plies."
        )
    return FoundOpening(drawn[0], is_open=False)


def _random_opening(game: Game, plies: int, rng: Random) -> Opening | None:
    """Return a random opening of so many steps; None if the match is over then."""
    moves: list[tuple[int, Move]] = []
    for _ in range(plies):
        step = _random_step(game, rng)
        if not step:
            return None
        moves += step.items()
    return Opening(moves=moves) if game.deciders() else None


def _random_step(game: Game, rng: Random) -> dict[int, Move]:
    """Play one step by chance and return it; nothing if the match is over."""
    moves = {seat: _sampled(game, seat, rng) for seat in game.deciders()}
    if moves:
        game.apply(moves)
    return moves


def _sampled(game: Game, seat: int, rng: Random) -> Move:
    """Return a random move as it is recorded."""
    read = game.read(seat, game.sample(seat, rng))
    if isinstance(read, str):
        raise ArenaError(f"{game.name} refuses a random move of its own: {read}.")
    return read


def _is_open(
    kind: type[Game], seats: int, options: Options, seed: str, opening: Opening, most: float
) -> bool:
    """Return whether no seat comes first in more than a share of the random matches from there.

    Seats that share the first place have a part of it each. What chance brings after the opening
    is other than in the deal, unless the game is a program, whose chance is its own. It ends as
    soon as the answer is certain.
    """
    firsts = [0.0] * seats
    for number in range(PLAYOUTS):
        rng = _dice("playout", seed, number)
        for seat, share in enumerate(_random_end(begun(kind, seats, options, seed, opening), rng)):
            firsts[seat] += share
        ahead, left = max(firsts) - most * PLAYOUTS, PLAYOUTS - 1 - number
        if ahead > 0 or ahead + left <= 0:
            return ahead <= 0
    return True


def _random_end(game: Game, rng: Random) -> list[float]:
    """Play a match to its end by chance; return each seat's part of the first place."""
    game.chance = Chance(f"{rng.getrandbits(64):x}")
    for _ in range(_LONG * game.typical_decisions):
        if not _random_step(game, rng):
            places = game.places()
            return [(place == 1) / places.count(1) for place in places]
    return [1 / game.seats] * game.seats


def _dice(*words: Any) -> Random:
    key = "\0".join(map(str, words)).encode()
    return Random(int.from_bytes(hashlib.shake_128(key).digest(16)))  # noqa: S311 - not a secret


# --- lines of books


def opening_of_line(game: Game, line: BookLine) -> Opening:
    """Return the opening that a line means in a match that was just dealt, and play it there.

    Raises ArenaError if it is no opening of this game.
    """
    if line.position:
        game.set_up(line.position)
    moves: list[tuple[int, Move]] = []
    step: dict[int, Move] = {}
    for number, word in enumerate(line.moves, 1):
        deciders = [*game.deciders()]
        if not deciders:
            raise ArenaError(f"the match is over before move {number}, {word!r}.")
        seat = deciders[len(step)]
        move = _meant(game, seat, word)
        if move is None:
            if not step and game.has_played(word):
                continue
            raise ArenaError(f"move {number}, {word!r}, is not legal there.")
        step[seat] = move
        moves.append((seat, move))
        if len(step) == len(deciders):
            game.apply(step)
            step = {}
    if step:
        raise ArenaError(f"after move {len(line.moves)} more seats move at once: add their moves.")
    if not game.deciders():
        raise ArenaError("the match is over after it.")
    return Opening(position=line.position, moves=moves)


def _meant(game: Game, seat: int, word: str) -> Move | None:
    """Return the legal move that a word of a book means; None if there is none."""
    if not word.startswith("{"):
        return game.named(seat, word)
    read = game.read(seat, msgspec.json.decode(word))
    return read if isinstance(read, dict) else None


def check_terms(kind: type[Game], seats: int, options: Options, terms: OpeningTerms) -> None:
    """Raise ArenaError if matches of the game cannot begin so: in a book, all lines are tried."""
    if not terms.book:
        assert terms.plies is not None
        if terms.open * seats < 1:
            raise ArenaError(
                f"open cannot be {terms.open:g} with {seats} seats: one of them has at least "
                f"{1 / seats:.3g} of the first places."
            )
        _drawn(kind, seats, msgspec.json.encode(options), "", terms.plies, 1)
    elif kind.has_chance and not all(line.position for line in terms.book):
        raise ArenaError(
            f"in {kind.name} something is left to chance, so that a line of a book would not be "
            f"legal in all deals: give plies, or a book of positions if it can begin from one."
        )
    for line in terms.book:
        try:
            opening_of_line(new_game(kind, seats, options, ""), line)
        except ArenaError as error:
            raise ArenaError(f"{terms.file}:{line.where}: {error}") from None
