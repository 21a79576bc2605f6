"""Steps about what a game shows: plain, stable, narrow, enough, and not too much."""

from hashlib import sha256
from random import Random
from typing import Any
from unittest import SkipTest

import msgspec

from referee.rules.drawing import WIDTH
from referee.rules.game import Game, Move, plain, twin
from referee.rules.scene import Area, Card, Group, Row, Token
from referee.rules.words import width
from referee.testing.flaw import Dice, Flaw, short
from referee.testing.schema import mutant, not_plain, snapshot, spoil
from referee.testing.trial import (
    Case,
    GameTrial,
    Shown,
    answered,
    difference,
    everything,
    judge,
    known,
    looks_of,
    random,
    sampling,
    seen,
)

_MOMENTS = 10
"""So many of the first moments of a play are looked at closely, and then a fifth."""
_PROBES, _PAST = 5, 10
_MOST_MOMENTS = 300
"""Decisions of one case at which views are compared with each other."""
_FEW_CASES, _STARTS, _FOLLOWED = 2, 60, 60
"""Cases of which many deals are begun, how many, and for how many steps twins are followed."""
_PLAYS, _DEALS = 60, 3
"""Plays of one case, while they are short, and among how many deals."""


def json(trial: GameTrial) -> str:
    """Check that views are plain JSON and say what is asked."""
    most = 0
    for case in trial.cases:
        game = trial.new(case)
        for seat, _ in trial.moments(game, sampling()):
            view = _checked_view(game, seat)
            most = max(most, len(snapshot(view)))
            name = game.decision(seat).name
            if view.get("decision") != name:
                raise Flaw(
                    f"the view of seat {seat} says the decision {view.get('decision')!r}, and"
                    f" {name!r} is asked"
                )
        for seat in range(game.seats):
            view = _checked_view(game, seat)
            if view.get("decision", "") is not None:
                raise Flaw(
                    f"the game is over, and the view of seat {seat} says the decision"
                    f" {view.get('decision')!r}; it is to be None"
                )
    return f"views of at most {most} bytes"


def _checked_view(game: Game, seat: int) -> dict[str, Any]:
    raw = game.view(seat)
    if found := not_plain(raw, "the view", structs=True):
        raise Flaw(found)
    view = plain(raw)
    if found := not_plain(view, "the view"):
        raise Flaw(found)
    if (view.get("game"), view.get("seat")) != (game.name, seat):
        raise Flaw(
            f"the view of seat {seat} says game {view.get('game')!r} and seat {view.get('seat')!r}"
        )
    return view


def look(game: Game) -> None:
    """Call whatever should change nothing."""
    for seat in (*range(game.seats), None):
        looks_of(game, seat)
    for seat in range(game.seats):
        plain(game.view(seat))
    game.table()
    for seat in game.deciders():
        game.decision(seat)
        judge(game, seat, {})
        judge(game, seat, game.sample(seat, Dice("looking")))
        game.describe(seat, game.default(seat))


def stable(trial: GameTrial) -> str:
    """Check that looking changes nothing."""
    for case in trial.cases:
        sampled = sampling()

        def choose(game: Game, seat: int, sampled: Any = sampled) -> Move:
            look(game)
            move: Move = sampled(game, seat)
            return move

        undisturbed = trial.record(trial.new(case), sampling())
        for at, (one, other) in enumerate(
            zip(undisturbed, trial.record(trial.new(case), choose), strict=False)
        ):
            if one != other:
                found = difference(one[0], other[0]) or f"the moves {one[1]} and {other[1]}"
                raise Flaw(f"after {at} steps it is another game if it was looked at: {found}")
    return ""


def handed(trial: GameTrial) -> str:
    """Check that what is handed out or in can be changed without harm."""
    for case in trial.cases:
        undisturbed = trial.record(trial.new(case), sampling())
        game, choose, taken = trial.new(case), sampling(), 0
        for shown, _ in undisturbed:
            _spoil_all(game)
            if found := difference(shown, everything(game)):
                raise Flaw(f"what was handed out was changed, and with it the game: {found}")
            moves = {}
            for seat in game.deciders():
                moves[seat] = choose(game, seat)
                trial.at(game, taken, seat, moves[seat])
                judge(game, seat, moves[seat])
            if moves:
                before = snapshot([*moves.items()])
                taken = trial.carry_out(game, taken, moves)
                if snapshot([*moves.items()]) != before:
                    raise Flaw(f"apply has changed the moves {before}")
                spoil(moves)
    return ""


def _spoil_all(game: Game) -> None:
    """Ask for all that `game` hands out, and change it."""
    dice = Dice("spoil")
    for seat in game.deciders():
        decision = game.decision(seat)
        spoil([decision.legal, decision.limits, game.default(seat), game.sample(seat, dice)])
    spoil([[plain(game.view(seat)) for seat in range(game.seats)], game.table()])
    if not game.deciders():
        spoil(game.places())


def text(trial: GameTrial) -> str:
    """Check that the text fits 80 columns, for every seat."""
    widest = 0
    for number in range(2):
        for case in trial.cases:
            game = trial.new(case, f"{trial.seed} {number}")
            for at, _ in enumerate(trial.moments(game, sampling(number))):
                if number == 0 or at % 5 == 0:
                    widest = max(widest, _width(game))
            widest = max(widest, _width(game))
    return f"at most {widest} columns"


def _width(game: Game) -> int:
    widest = 0
    for seat in (*range(game.seats), None):
        text = game.text(seat)
        whose = "with all cards open" if seat is None else f"for seat {seat}"
        if not isinstance(text, str) or not text.strip():
            raise Flaw(f"the text {whose} is {text!r}; it is to show the table")
        for line in text.splitlines():
            if (columns := width(line)) > WIDTH:
                raise Flaw(f"the text {whose} has a line of {columns} columns: {line}")
            if not line.isprintable():
                raise Flaw(f"the text {whose} holds what a terminal does not print: {line!r}")
            widest = max(widest, columns)
    return widest


def scene(trial: GameTrial) -> str:
    """Check that the scene is made of areas, for every seat."""
    for game, _, _ in trial.plays(sampling):
        for seat in (*range(game.seats), None):
            for at, area in enumerate(game.scene(seat)):
                _check_area(area, f"scene({seat})[{at}]")
    return ""


def _check_area(area: Any, where: str) -> None:
    """Raise Flaw unless `area` is one, and all in it of the right types."""
    if not isinstance(area, Area):
        raise Flaw(f"{where} is {short(area)}, and no area of referee.rules.scene")
    if isinstance(area, Group):
        for at, inner in enumerate(area.areas):
            _check_area(inner, f"{where}.areas[{at}]")
        return
    items = area.items if isinstance(area, Row) else ()
    for item in items:
        if not isinstance(item, Card | Token):
            raise Flaw(f"{where} holds {short(item)}, and no Card or Token")
    plain_area = msgspec.structs.replace(area, items=()) if isinstance(area, Row) else area
    kind = _Bare if isinstance(area, Row) else type(area)
    for part, of in ((plain_area, kind), *((item, type(item)) for item in items)):
        try:
            msgspec.convert(msgspec.to_builtins(part), of)
        except msgspec.ValidationError as error:
            raise Flaw(f"{where}: {error}") from None


class _Bare(msgspec.Struct, tag="row", tag_field="t"):
    """A row without its items."""

    label: str
    seat: int | None = None
    note: str = ""
    most: int = 0
    items: list[None] = []


def enough(trial: GameTrial) -> str:
    """Check that the same view: the same question, answers and text.

    A text may also say what the seat was shown before: it follows from all views so far.
    """
    compared = 0
    for case in trial.cases:
        memory = _Memory()
        dice, moments = random(trial), 0
        for number in range(_PLAYS):
            game = trial.new(case, f"{trial.seed} {number % _DEALS}")
            pasts, course = [b""] * game.seats, b""
            for seat, move in trial.moments(game, sampling(number)):
                moments += 1
                views = [snapshot(plain(game.view(each))).encode() for each in range(game.seats)]
                course = sha256(b"".join([course, *views, snapshot(move).encode()])).digest()
                for each in range(game.seats):
                    pasts[each] = sha256(pasts[each] + views[each]).digest()
                for each in {seat, dice.randrange(game.seats)}:
                    compared += memory.compare(game, each, move, pasts[each])
            memory.compare_places(game, course)
            if moments > _MOST_MOMENTS:
                break
        if case in trial.cases[:_FEW_CASES]:
            for number in range(_STARTS):
                _compare_start(trial, case, number, memory)
                _follow_twins(trial, case, number)
    return f"{compared} times the same view"


def _compare_start(trial: GameTrial, case: Case, number: int, memory: "_Memory") -> None:
    """Compare what seats are shown at first: of many deals, some are the same to a seat."""
    game = trial.new(case, f"{trial.seed} {number}")
    for seat in range(game.seats):
        first = snapshot(plain(game.view(seat))).encode()
        memory.compare(game, seat, None, sha256(first).digest())


def _follow_twins(trial: GameTrial, case: Case, number: int) -> None:
    """Let chance fall otherwise once where no view shows it: then no place may depend on it."""
    dice = random(trial, number)
    game, at = trial.new(case, f"{trial.seed} {number}"), dice.randrange(_MOMENTS)
    for _ in range(at):
        if game.deciders():
            game.apply({seat: game.sample(seat, dice) for seat in game.deciders()})
    one, other = twin(game), twin(game, dice)
    for step in range(_FOLLOWED):
        trial.at(one, at + step, None)
        if not one.deciders():
            if one.places() != other.places():
                raise _untold_places(one.places(), other.places())
            return
        moves = {seat: one.sample(seat, dice) for seat in one.deciders()}
        for each in (one, other):
            each.apply({seat: {**move} for seat, move in moves.items()})
        if step == 0:
            vars(other.chance).update(vars(game.chance))
        if _views(one) != _views(other) or [*one.deciders()] != [*other.deciders()]:
            return


def _untold_places(one: list[int], other: list[int]) -> Flaw:
    return Flaw(
        f"two plays have the same moves and views to the end, and the places {one} and {other}:"
        " the views lack what decides them"
    )


def _views(game: Game) -> str:
    return snapshot([plain(game.view(seat)) for seat in range(game.seats)])


class _Memory:
    """What seats could find out with each view that they had."""

    def __init__(self) -> None:
        self.probes: dict[str, list[Move]] = {}
        self.seen: dict[tuple[int, Any], Shown] = {}
        self.endings: dict[bytes, list[int]] = {}

    def compare(self, game: Game, seat: int, move: Move | None, past: bytes) -> int:
        """Hold what a seat can find out against the last time that it had this view."""
        tried: list[Move] = []
        if seat in game.deciders():
            tried = self.probes.setdefault(game.decision(seat).name, [])
            if move is not None and len(tried) < _PROBES and move not in tried:
                tried.append(move)
        facts = answered(game, seat, tried)
        return self._hold(seat, facts["its view"], facts) + self._hold(seat, past, seen(game, seat))

    def _hold(self, seat: int, view: Any, facts: Shown) -> int:
        before = self.seen.setdefault((seat, view), facts)
        both = before.keys() & facts.keys()
        one, other = ({what: each[what] for what in sorted(both)} for each in (before, facts))
        if found := difference(one, other):
            raise Flaw(f"seat {seat} is shown the same twice, and something else differs: {found}")
        return before is not facts

    def compare_places(self, game: Game, course: bytes) -> None:
        """Raise Flaw if plays of the same views and moves have different places."""
        whole = sha256(course + _views(game).encode()).digest()
        places = self.endings.setdefault(whole, game.places())
        if places != game.places():
            raise _untold_places(places, game.places())


def resample(trial: GameTrial) -> str:
    """Check that resample makes another sound state."""
    tried = 0
    for case in trial.cases:
        last = trial.record(trial.new(case), sampling())[-1][0]
        (game, chance), dice = trial.recorded(case), random(trial)
        for at, _ in enumerate(trial.moments(game, sampling())):
            if at >= _MOMENTS and dice.random() >= 0.1:
                continue
            seat = dice.randrange(game.seats)
            before, drawn = everything(game), len(chance.events)
            other = _resampled(game, seat, dice)
            tried += 1
            if found := difference(before, everything(game)):
                raise Flaw(f"resample has changed the game that it was called of: {found}")
            if len(chance.events) != drawn:
                raise Flaw("resample draws on the chance of the game; draw from its own dice")
            if (seat in other.deciders()) != (seat in game.deciders()):
                raise Flaw(f"seat {seat} decides in only one of the two states")
            _play_on(trial, other, dice)
        if found := difference(last, everything(game)):
            raise Flaw(f"after calls of resample the game has gone another way: {found}")
    if not tried:
        raise SkipTest("nothing is ever asked")
    return f"{tried} states"


def _resampled(game: Game, seat: int, dice: Random) -> Game:
    state = dice.getstate()
    other = game.resample(seat, dice)
    if other is None:
        raise SkipTest("the game has no resample: it does not say what is hidden")
    if type(other) is not type(game) or other is game:
        raise Flaw(f"resample returns {other!r}; it is to be another game of the same class")
    if other.chance is game.chance or other.chance.seed == game.chance.seed:
        raise Flaw(
            "the other state has the same chance: whoever searches in it sees the dice to come",
            "copy with twin(self, rng), which gives the copy a chance of its own",
        )
    again = Dice()
    again.setstate(state)
    same = game.resample(seat, again)
    if same is None or difference(everything(other), everything(same)):
        raise Flaw("resample does something else with the same dice")
    return other


def _play_on(trial: GameTrial, other: Game, dice: Random) -> None:
    """Raise Flaw unless a state can be played to its end, each decision being a choice."""
    for taken in range(trial.most_decisions):
        seats = other.deciders()
        moves = {}
        for seat in seats:
            trial.at(other, taken, seat)
            decision = other.decision(seat)
            if decision.legal is not None and len(decision.legal) < 2:
                raise Flaw(
                    f"in the other state, {decision.name} of seat {seat} is no choice:"
                    f" {short(decision.legal)}",
                    "deal anew until those who are asked have a choice: referee.rules.game.redealt",
                )
            moves[seat] = other.sample(seat, dice)
        if not seats:
            return
        other.apply(moves)
    raise Flaw("the other state does not come to an end")


def hidden(trial: GameTrial) -> str:
    """Check that nothing shown depends on what a seat may not know."""
    noticed = compared = 0
    for case in trial.cases:
        game, dice, looked = trial.new(case), random(trial), 0
        tried = _some_of_all(game, dice)
        for _, move in trial.moments(game, sampling()):
            if looked >= _MOMENTS and dice.random() >= 0.2:
                continue
            looked += 1
            before = everything(game)
            tried = [*tried[-_PAST:], move]
            probes = [*tried, *_listed(game), *(mutant(move, dice) for _ in range(_PROBES))]
            for seat in range(game.seats):
                other = game.resample(seat, dice)
                if other is None:
                    raise SkipTest(
                        "the game has no resample, which says what is hidden: only that texts,"
                        " questions and refusals follow from the view was tried (step enough)"
                    )
                compared += 1
                noticed += everything(other) != before
                trial.beats += 1
                if found := difference(known(game, seat, probes), known(other, seat, probes)):
                    raise Flaw(
                        f"seat {seat} is shown what depends on what it may not know: {found}"
                    )
    if not compared:
        raise SkipTest("nothing is ever asked")
    if not noticed:
        return f"{compared} states, none of which shows anybody anything else: nothing is hidden"
    return f"{compared} states, {noticed} of which show somebody something else"


def _some_of_all(game: Game, dice: Random) -> list[Move]:
    """Return a few of the moves that the game could ever list, if it says them."""
    moves = [move for _, each in game.all_moves() for move in each]
    return dice.sample(moves, min(_PAST, len(moves)))


def _listed(game: Game) -> list[Move]:
    """Return moves that anybody could make now, to be tried by everybody."""
    moves: list[Move] = []
    for seat in game.deciders():
        moves += [*(game.decision(seat).legal or ())[:_PROBES], game.default(seat)]
    return moves
