"""Steps about the course of a play: who decides, which moves are taken, and that it ends."""

import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any
from unittest import SkipTest

from referee.match.scoring import places_of
from referee.rules.game import Game, Move, plain, twin
from referee.testing.flaw import Dice, Flaw, short
from referee.testing.schema import (
    any_object,
    misfit,
    misnumbered,
    mutant,
    not_plain,
    snapshot,
    spots,
)
from referee.testing.trial import (
    Choose,
    GameTrial,
    defaulting,
    difference,
    everything,
    judge,
    mixing,
    random,
    read,
    sampling,
    schemas_of,
)

_LEAVING = 0.04
"""How likely each seat is withdrawn in a step."""


def deciders(trial: GameTrial) -> str:
    """Check that who decides are distinct seats, until there is a reason."""
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


def ends_random(trial: GameTrial) -> str:
    """Check that random plays end, with a reason and places."""
    return _ends(trial, sampling)


def ends_mixed(trial: GameTrial) -> str:
    """Check that plays by random and default moves end."""
    return _ends(trial, mixing)


def ends_default(trial: GameTrial) -> str:
    """Check that plays by default moves alone end."""
    return _ends(trial, lambda: defaulting)


def _ends(trial: GameTrial, choosing: Callable[[], Choose]) -> str:
    most = 0
    for case in trial.cases:
        game = trial.new(case)
        most = max(most, trial.finish(game, choosing()))
        _check_end(game)
    return f"at most {most} decisions"


def _check_end(game: Game) -> None:
    """Raise Flaw unless `game` is over, with a reason and places."""
    if not isinstance(game.reason, str) or not game.reason:
        raise Flaw(f"the game is over with the reason {game.reason!r}; it is to be a word")
    try:
        places = places_of(game)
    except ValueError as error:
        raise Flaw(str(error), "use referee.rules.game.ranked: the least score is best") from None
    if game.places() != places:
        raise Flaw(f"places() returns {places}, and asked again {game.places()}")


def places(trial: GameTrial) -> str:
    """Check that places are well formed in other deals."""
    found = set[tuple[int, ...]]()
    for number in range(3):
        for case in trial.cases:
            game = trial.new(case, f"{trial.seed} {number}")
            trial.finish(game, sampling(number))
            _check_end(game)
            found.add((*game.places(),))
    return f"{len(found)} different rankings"


def ends_withdrawn(trial: GameTrial) -> str:
    """Check that plays end if seats are withdrawn on the way."""
    for case in trial.cases:
        for number in range(3):
            _withdraw_some(trial, trial.new(case, f"{trial.seed} {number}"), random(trial, number))
    return ""


def _withdraw_some(trial: GameTrial, game: Game, dice: Random) -> None:
    out: set[int] = set()
    sample, taken = sampling(dice.random()), 0

    def choose(game: Game, seat: int) -> Move:
        return (defaulting if seat in out else sample)(game, seat)

    while game.deciders():
        leaving = {seat for seat in range(game.seats) if dice.random() < _LEAVING} - out
        if len(out | leaving) == game.seats:
            leaving = set()  # with the last but one, a match is over
        out |= leaving
        moves = trial.chosen(game, taken, choose)
        for seat in leaving:
            game.withdraw(seat)
        taken = trial.carry_out(game, taken, moves)
        if taken > trial.most_decisions:
            gone = ", ".join(map(str, sorted(out)))
            raise Flaw(f"with seats {gone} withdrawn, a play is not over after {taken} decisions")
    _check_end(game)


def ends_empty(trial: GameTrial) -> str:
    """Check that plays end if all seats are withdrawn at once."""
    for case in trial.cases:
        game = trial.new(case)
        for seat in range(game.seats):
            game.withdraw(seat)
        trial.finish(game, defaulting)
        _check_end(game)
    return ""


_FEW = 8
"""So few legal moves that a thousand samples hold each of them."""
_SAMPLES = 1000
_OBJECTS = 60


def unfit(game: Game, seat: int, move: Any) -> str | None:
    """Return how a move does not fit the schema of the decision of `seat`; None if it does."""
    return misfit(schemas_of(type(game))[game.asks(seat)], move)


def choice(trial: GameTrial) -> str:
    """Check that a decision is a choice: two different moves, or limits."""
    for game, seat, _ in trial.plays(mixing):
        decision = game.decision(seat)
        legal = decision.legal
        if (legal is None) == (decision.limits is None):
            raise Flaw(f"{decision.name} of seat {seat} has to have either legal or limits")
        if found := not_plain(legal, "legal") or not_plain(decision.limits, "limits"):
            raise Flaw(f"{decision.name} of seat {seat}: {found}")
        if legal is None:
            continue
        if len(legal) < 2:
            raise Flaw(
                f"{decision.name} is asked of seat {seat} with {len(legal)} legal moves:"
                f" {short(legal)}",
                "ask nothing where there is no choice: play the only move in apply, and go on",
            )
        if len({*map(snapshot, legal)}) < len(legal):
            raise Flaw(f"{decision.name} of seat {seat} lists a move twice: {short(legal)}")
    return ""


def legal(trial: GameTrial) -> str:
    """Check that listed moves are accepted and fit."""
    tried = 0
    for game, seat, _ in trial.plays(sampling):
        listed = game.decision(seat).legal or ()
        for each in listed:
            tried += 1
            if reason := judge(game, seat, each):
                raise Flaw(f"seat {seat} is offered {short(each)}, which is refused: {reason}")
        for each in listed[:3]:
            if found := unfit(game, seat, each):
                raise Flaw(f"seat {seat} is offered {short(each)}; by the schema {found}")
    return f"{tried} moves"


def complete(trial: GameTrial) -> str:
    """Check that a list of moves leaves out none that is accepted."""
    seen: dict[str, dict[str, Move]] = {}
    tried = 0
    for game, seat, move in trial.plays(sampling):
        decision = game.decision(seat)
        if decision.legal is None:
            continue
        others = seen.setdefault(decision.name, {})
        listed = {snapshot(each) for each in decision.legal}
        for text, other in others.items():
            if text not in listed and judge(game, seat, other) is None:
                same = read(game, seat, other)
                if snapshot(same) not in listed:
                    raise Flaw(f"{short(other)} of seat {seat} is accepted and not listed")
            tried += 1
        for each in (move, *decision.legal):
            if len(others) < 40:
                others.setdefault(snapshot(each), each)
    if not tried:
        raise SkipTest("no decision lists its moves")
    return f"{tried} moves"


def samples(trial: GameTrial) -> str:
    """Check that samples are listed, accepted and fit; any legal move comes up."""
    for case in trial.cases:
        game = trial.new(case)
        counted = set[str]()
        for seat, move in trial.moments(game, sampling()):
            if found := not_plain(move, "the sample"):
                raise Flaw(found)
            if reason := judge(game, seat, move):
                raise Flaw(f"the sample {short(move)} of seat {seat} is refused: {reason}")
            if found := unfit(game, seat, move):
                raise Flaw(f"the sample {short(move)} of seat {seat} does not fit: {found}")
            decision = game.decision(seat)
            if decision.legal is not None and move not in decision.legal:
                raise Flaw(f"the sample {short(move)} of seat {seat} is not listed as legal")
            if decision.name not in counted and len(decision.legal or ()) in range(2, _FEW + 1):
                counted.add(decision.name)
                _check_all_come_up(trial, game, seat, decision.legal or [])
    return ""


def _check_all_come_up(trial: GameTrial, game: Game, seat: int, moves: Sequence[Move]) -> None:
    dice = random(trial, "samples")
    found = {snapshot(game.sample(seat, dice)) for _ in range(_SAMPLES)}
    for move in moves:
        if snapshot(move) not in found:
            raise Flaw(
                f"{short(move)} of seat {seat} is legal and not among {_SAMPLES} samples",
                "let sample return every legal move at times; bots that play at random need it",
            )


def defaults(trial: GameTrial) -> str:
    """Check that the default move can always be carried out."""
    for case in trial.cases:
        game = trial.new(case)
        dice = random(trial)
        for seat, _ in trial.moments(game, mixing()):
            move = game.default(seat)
            if found := not_plain(move, "the default move"):
                raise Flaw(found)
            if type(move) is not dict:
                raise Flaw(f"the default move of seat {seat} is {short(move)}, and no object")
            if dice.random() < 0.3:
                _carry_out(trial, game, seat, move, dice)
    return ""


def _carry_out(trial: GameTrial, game: Game, seat: int, move: Move, dice: Random) -> None:
    """Apply a move in a copy of `game`, and look at what it comes to."""
    other = twin(game)
    trial.beats += 1
    moves = {each: other.sample(each, dice) for each in other.deciders()}
    other.apply({**moves, seat: move})
    everything(other)


def canonical(trial: GameTrial) -> str:
    """Check that the canonical move plays the same and holds no more."""
    for case in trial.cases:
        played = trial.record(trial.new(case), sampling())
        again = trial.new(case)
        taken = 0
        for shown, moves in played:
            if found := difference(everything(again), shown):
                raise Flaw(f"after canonical moves it is not the same game: {found}")
            step = {}
            for seat, move in json.loads(moves) if moves else ():
                trial.at(again, taken, seat, move)
                step[seat] = _canonical(again, seat, move)
            if step:
                taken = trial.carry_out(again, taken, step)
    return ""


def _canonical(game: Game, seat: int, move: Move) -> Move:
    """Return the canonical form of a move, the same whatever was added to it."""
    found = read(game, seat, move)
    if reason := judge(game, seat, found):
        raise Flaw(f"the canonical form {short(found)} of {short(move)} is refused: {reason}")
    if (again := read(game, seat, found)) != found:
        raise Flaw(f"the canonical form of {short(found)} is another: {short(again)}")
    names = {name for form in schemas_of(type(game)).values() for name in _named(form)}
    for name in sorted(names | {"unknown"}):
        more = {name: "x" * 1000, **move}
        if name not in move and judge(game, seat, more) is None:
            kept = read(game, seat, more)
            if kept != found:
                raise Flaw(
                    f"{name!r}, which the rules do not read, is accepted and recorded:"
                    f" {short(kept)}"
                )
    return found


def _named(schema: Any) -> set[str]:
    """Return all property names in a JSON Schema, at any depth."""
    if isinstance(schema, list):
        return {name for each in schema for name in _named(each)}
    if not isinstance(schema, Mapping):
        return set()
    return {*schema.get("properties", ())} | _named([*schema.values()])


def mutilated(trial: GameTrial) -> str:
    """Check that mutilated moves are refused, or fit and can be made."""
    tried = 0
    for case in trial.cases:
        game, dice = trial.new(case), random(trial)
        for seat, move in trial.moments(game, sampling()):
            if dice.random() < 0.5:
                for wrong in (game.default(seat), *(mutant(move, dice) for _ in range(4))):
                    tried += 1
                    _check_judged(trial, game, seat, wrong)
    return f"{tried} moves"


def _check_judged(trial: GameTrial, game: Game, seat: int, move: Any) -> None:
    """Raise Flaw unless `move` is refused with a reason, or fits its schema and can be made."""
    if judge(game, seat, move) is not None:
        trial.beats += 1
        return
    if found := unfit(game, seat, move):
        raise Flaw(f"check accepts {short(move)} of seat {seat}; by the schema {found}")
    other = twin(game)
    taken = read(game, seat, move)
    game.describe(seat, taken)
    other.apply({each: taken if each == seat else other.default(each) for each in game.deciders()})
    everything(other)


def anything(trial: GameTrial) -> str:
    """Check that any JSON object is refused, or fits and can be made."""
    situations = _situations(trial)
    if not situations:
        raise SkipTest("nothing is ever asked")
    words, dice = _words(situations), random(trial)
    for _ in range(_OBJECTS):
        move = any_object(words, dice)
        for game, seat in situations:
            trial.at(game, 0, seat, move)
            _check_judged(trial, game, seat, move)
    return f"{_OBJECTS} objects at {len(situations)} decisions"


def _situations(trial: GameTrial) -> list[tuple[Game, int]]:
    """Return a game at the third time of each decision, or at the last before it."""
    found: dict[str, list[tuple[Game, int]]] = {}
    for game, seat, _ in trial.plays(sampling):
        of_this_name = found.setdefault(game.decision(seat).name, [])
        if len(of_this_name) < 3:
            of_this_name.append((twin(game), seat))
    return [games[-1] for games in found.values()]


def _words(situations: Sequence[tuple[Game, int]]) -> list[str]:
    """Return the words that occur in the moves and views of a game."""
    words: set[str] = set()
    for game, seat in situations:
        shown = [plain(game.view(seat)), game.default(seat), game.sample(seat, Dice("words"))]
        for container, key in spots([*shown, schemas_of(type(game))]):
            words.update(word for word in (key, container[key]) if isinstance(word, str))
    return sorted(word for word in words if len(word) < 20)


def numbers(trial: GameTrial) -> str:
    """Check that floats and booleans are no whole numbers."""
    tried = 0
    for game, seat, move in trial.plays(sampling):
        for wrong in misnumbered(move):
            tried += 1
            if judge(game, seat, wrong) is None:
                raise Flaw(f"check accepts {short(wrong)} of seat {seat} for {short(move)}")
    if not tried:
        raise SkipTest("no move holds a number")
    return f"{tried} moves"


def numbered(trial: GameTrial) -> str:
    """Check that all_moves holds every listed move."""
    if trial.kind.all_moves is Game.all_moves:
        raise SkipTest("the game has no all_moves: its moves are not numbered")
    count = 0
    for case in trial.cases:
        game = trial.new(case)
        moves = [(name, snapshot(move)) for name, each in game.all_moves() for move in each]
        for name, move in moves:
            if found := misfit(schemas_of(type(game)).get(name, False), json.loads(move)):
                raise Flaw(f"all_moves holds {move} of {name}, which does not fit: {found}")
        every = {*moves}
        count = max(count, len(every))
        for seat, _ in trial.moments(game, sampling()):
            decision = game.decision(seat)
            for each in decision.legal or ():
                if (decision.name, snapshot(each)) not in every:
                    raise Flaw(f"all_moves lacks {short(each)} of {decision.name}")
        if [(name, snapshot(move)) for name, each in game.all_moves() for move in each] != moves:
            raise Flaw("all_moves has changed in the course of a play")
    return f"at most {count} moves"


def described(trial: GameTrial) -> str:
    """Check that every move is described in a few words."""
    for game, seat, move in trial.plays(mixing):
        told = game.describe(seat, move)
        if not isinstance(told, str) or not told.strip() or "\n" in told:
            raise Flaw(f"describe says {told!r} of {short(move)}; it is to be a few words")
    return ""
