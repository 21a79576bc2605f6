"""Steps about who decides, and that every play comes to an end with places."""

from collections.abc import Callable
from random import Random

from referee.rules.game import Game
from referee.testing.flaw import Flaw
from referee.testing.trial import Choose, GameTrial, defaulting, mixing, random, sampling

_LEAVING = 0.04
"""How likely each seat is withdrawn in a step."""


def deciders(trial: GameTrial) -> str:
    """Check that distinct seats decide until there is a reason."""
    for case in trial.cases:
        game = trial.new(case)
        _check_deciders(game)
        for _ in trial.moments(game, sampling()):
            _check_deciders(game)
        _check_deciders(game)
    return ""


def _check_deciders(game: Game) -> None:
    seats = [*game.deciders()]
    if any(type(seat) is not int or not 0 <= seat < game.seats for seat in seats):
        raise Flaw(f"deciders() returns {seats}, and there are {game.seats} seats")
    if len({*seats}) != len(seats):
        raise Flaw(f"deciders() names a seat twice: {seats}")
    if seats and game.reason:
        raise Flaw(f"seats {seats} are to decide although there is the reason {game.reason!r}")
    if not seats and not game.reason:
        raise Flaw(
            "nobody is to decide, and reason is empty",
            "set reason to a word where the game ends; before, somebody decides",
        )
    if [*game.deciders()] != seats:
        raise Flaw(f"deciders() returns {seats}, and asked again {[*game.deciders()]}")


def _ends(choosing: Callable[[], Choose]) -> Callable[[GameTrial], str]:
    def step(trial: GameTrial) -> str:
        most = 0
        for case in trial.cases:
            game = trial.new(case)
            most = max(most, trial.finish(game, choosing()))
            _check_end(game)
        return f"at most {most} decisions"

    return step


ends_random = _ends(sampling)
ends_mixed = _ends(mixing)
ends_default = _ends(lambda: defaulting)


def _check_end(game: Game) -> None:
    """Raise Flaw unless `game` is over, with a reason and places."""
    if not isinstance(game.reason, str) or not game.reason:
        raise Flaw(f"the game is over with the reason {game.reason!r}; it is to be a word")
    places = game.places()
    if type(places) is not list or any(type(place) is not int for place in places):
        raise Flaw(f"places() returns {places!r}; it is to be a list of whole numbers")
    if len(places) != game.seats:
        raise Flaw(f"places() returns {places} for {game.seats} seats")
    right = [1 + sum(other < place for other in places) for place in places]
    if places != right:
        raise Flaw(
            f"places() returns {places}; in that order they are {right}",
            "a place is 1 + the number of seats before it: use referee.rules.game.ranked",
        )
    if game.places() != places:
        raise Flaw(f"places() returns {places}, and asked again {game.places()}")


def places(trial: GameTrial) -> str:
    """Check that there is a place for each seat, and gaps behind those that are shared."""
    found = set[tuple[int, ...]]()
    for number in range(3):
        for case in trial.cases:
            game = trial.new(case, f"{trial.seed} {number}")
            trial.finish(game, sampling(number))
            _check_end(game)
            found.add((*game.places(),))
    return f"{len(found)} different rankings"


def ends_withdrawn(trial: GameTrial) -> str:
    """Check that plays end when seats are taken out between asking and applying."""
    for case in trial.cases:
        for number in range(3):
            _withdraw_some(trial, trial.new(case, f"{trial.seed} {number}"), random(trial, number))
    return ""


def _withdraw_some(trial: GameTrial, game: Game, dice: Random) -> None:
    out: set[int] = set()
    choose, taken = sampling(dice.random()), 0
    while seats := game.deciders():
        leaving = {seat for seat in range(game.seats) if dice.random() < _LEAVING} - out
        if len(out | leaving) == game.seats:
            leaving = set()  # with the last but one, a match is over
        out |= leaving
        moves = {}
        for seat in seats:
            trial.at(game, taken, seat)
            moves[seat] = (defaulting if seat in out else choose)(game, seat)
        trial.at(game, taken, None)
        for seat in leaving:
            game.withdraw(seat)
        game.apply(moves)
        taken += len(moves)
        if taken > trial.most_decisions:
            gone = ", ".join(map(str, sorted(out)))
            raise Flaw(f"with seats {gone} withdrawn, a play is not over after {taken} decisions")
    _check_end(game)


def ends_empty(trial: GameTrial) -> str:
    """Check that plays end when every seat is withdrawn before the first decision."""
    for case in trial.cases:
        game = trial.new(case)
        for seat in range(game.seats):
            game.withdraw(seat)
        trial.finish(game, defaulting)
        _check_end(game)
    return ""
