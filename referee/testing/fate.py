"""Steps about chance and time: the same seed gives the same game, whatever else happens."""

import json
import os
import random as generators
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from unittest import SkipTest

from referee.catalog.finding import Source, find_source
from referee.catalog.folder import module_of
from referee.catalog.loading import FROM_FILE, load
from referee.program.file import GAME_FILE
from referee.rules.chance import Key
from referee.rules.game import Game, Move
from referee.testing.flaw import Dice, Flaw, WorldWatch
from referee.testing.schema import snapshot
from referee.testing.showing import look
from referee.testing.trial import (
    Case,
    GameTrial,
    Shown,
    difference,
    everything,
    looks_of,
    mixing,
    sampling,
)


def environment(**others: str) -> dict[str, str]:
    """Return the variables of another process, which finds us and nothing else before it is told.

    Python executes modules of some names as it starts, wherever it finds them: one that lies beside
    a game is none of its files.
    """
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **others}


def whereabouts(kind: type[Game]) -> dict[str, str]:
    """Return by what another process finds a class: the arguments of `imported`."""
    return {
        "path": os.pathsep.join(sys.path),
        "module": kind.__module__,
        "file": str(module_of(kind)),
        "name": kind.__qualname__,
        "game": kind.name,
    }


def imported(path: str, module: str, file: str, name: str, game: str) -> type[Game]:
    """Return a class by its module, or by its file where no module of that name is found.

    Modules are looked for along `path` from now on.

    A game of a family is found by its own name: its class may stand in no module.
    """
    from importlib import import_module
    from importlib.util import module_from_spec, spec_from_file_location

    sys.path[:] = path.split(os.pathsep)
    if ":" in game:
        return load(find_source(game))
    if Path(file).name == GAME_FILE:
        return load(find_source(str(Path(file).parent)))
    if module.startswith(FROM_FILE):  # it was named by its file, or by the folder of that
        is_folder = "." in module or Path(file).stem == "__init__"
        place = str(Path(file).parent if is_folder else file)
        return load(Source(place, "file", path=place, class_name=name))
    try:
        found: Any = import_module(module) if module != "__main__" else None
    except ModuleNotFoundError:
        found = None
    if found is None:
        spec = spec_from_file_location(Path(file).stem, file)
        assert spec is not None
        assert spec.loader is not None
        found = module_from_spec(spec)
        sys.modules[spec.name] = found
        spec.loader.exec_module(found)
    for part in name.split("."):
        found = getattr(found, part)
    kind: type[Game] = found
    return kind


_Record = list[tuple[Shown, str]]
_DEALS = 6
_FEW_CASES = 4
_MINUTE = 60


def _compare(one: _Record, other: _Record, what: str) -> None:
    """Raise Flaw if two records are not the same; `what` begins the sentence."""
    for at, (before, after) in enumerate(zip(one, other, strict=False)):
        if found := difference(before[0], after[0]):
            raise Flaw(f"{what}: after {at} steps, {found}")
        if before[1] != after[1]:
            raise Flaw(f"{what}: after {at} steps the samples are {before[1]} and {after[1]}")
    if len(one) != len(other):
        raise Flaw(f"{what}: one play has {len(one) - 1} steps, the other {len(other) - 1}")


def replayed(trial: GameTrial) -> str:
    """Check that recorded moves reproduce the game."""
    for case in trial.cases:
        played = trial.record(trial.new(case), mixing())
        again = trial.new(case)
        taken = 0
        for shown, moves in played:
            if found := difference(shown, everything(again)):
                raise Flaw(f"a replay comes to something else: {found}")
            if moves:
                step = {seat: move for seat, move in json.loads(moves)}  # noqa: C416 - keys are numbers
                taken = trial.carry_out(again, taken, step)
        if again.deciders():
            raise Flaw("a replay goes on after the last recorded move")
    return ""


def alone(trial: GameTrial) -> str:
    """Check that the same deal is the same game, whatever was played before it."""
    for case in trial.cases:
        dealt = everything(trial.new(case))
        state = generators.getstate()
        undisturbed = trial.record(trial.new(case), sampling(7))
        trial.finish(trial.new(case, f"{trial.seed} another"), sampling())
        if generators.getstate() != state:
            raise Flaw(
                "a play uses the generator of the whole program, random.random and its like",
                "draw on self.chance, by the name of the event; in sample, from the rng given",
            )
        if found := difference(dealt, everything(trial.new(case))):
            raise Flaw(f"after another game, the same deal is another: {found}")
        beside = trial.new(case, f"{trial.seed} beside")
        steps = trial.moments(beside, sampling())
        usual = sampling(7)

        def choose(game: Game, seat: int, usual: Any = usual, steps: Any = steps) -> Move:
            next(steps, None)
            move: Move = usual(game, seat)
            return move

        game = trial.new(case)
        _compare(undisturbed, trial.record(game, choose), "with another game played beside it")
    return ""


def world(trial: GameTrial) -> str:
    """Check that no clock, and no generator but chance."""
    if trial.kind.program is not None:
        raise SkipTest("it is a program, whose calls are not seen; step processes compares plays")
    watch = WorldWatch()
    for case in trial.cases:
        with watch.watching():
            game = trial.new(case)
            for seat, _ in trial.moments(game, mixing()):
                game.view(seat)
                looks_of(game, seat)
                game.read(seat, game.default(seat))
                game.describe(seat, game.default(seat))
        if watch.found:
            raise Flaw(watch.found)
    return ""


def processes(trial: GameTrial) -> str:
    """Check that processes with other hash seeds play the same."""
    kind = trial.kind
    if "<locals>" in kind.__qualname__:
        raise SkipTest(f"{kind.__qualname__} is made inside a function: no process can import it")
    cases = [*trial.cases[:: max(1, len(trial.cases) // _FEW_CASES)]][:_FEW_CASES]
    jobs = [
        {"seats": case.seats, "changed": dict(case.changed), "seed": f"{trial.seed} {at}"}
        for at, case in enumerate(cases)
    ]
    work = {"kind": whereabouts(kind), "most": trial.most_decisions, "jobs": jobs}
    found = [_elsewhere(trial, work, hash_seed) for hash_seed in ("1", "2")]
    for at, case in enumerate(cases):
        seed = f"{trial.seed} {at}"
        here = trial.record(trial.new(case, seed), sampling(seed))
        for other, hash_seed in zip(found, "12", strict=True):
            _compare(
                here,
                other[at],
                f"a process with PYTHONHASHSEED={hash_seed} plays the deal otherwise",
            )
    return f"2 other processes, {len(cases)} cases"


def _elsewhere(trial: GameTrial, work: dict[str, Any], hash_seed: str) -> list[_Record]:
    """Return what another process plays: for each job, its record."""
    env = environment(PYTHONHASHSEED=hash_seed)
    command = [sys.executable, "-P", "-c", f"from {__name__} import play_here; play_here()"]
    with subprocess.Popen(
        command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        data: bytes | None = json.dumps(work).encode()
        for _ in range(10 * _MINUTE):
            try:
                out, err = process.communicate(data, timeout=0.1)
                break
            except subprocess.TimeoutExpired:
                data = None
                trial.beats += 1
        else:
            process.kill()
            raise Flaw(f"another process has not played the same deals within {_MINUTE} seconds")
    if process.returncode:
        last = err.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        raise Flaw(
            f"another process cannot play {work['kind']['name']}: {last[-1]}",
            "let the class be imported by its module or file, without anything done before",
        )
    played: list[_Record] = json.loads(out)
    return played


def events(trial: GameTrial) -> str:
    """Check that no two events of chance have one name."""
    _skip_unseen(trial)
    count = 0
    for case in trial.cases:
        game, chance = trial.recorded(case)
        trial.finish(game, sampling())
        if double := [name for name, times in Counter(chance.events).items() if times > 1]:
            raise Flaw(f"two events of chance have the name {double[0]}: they fall the same")
        count = max(count, len(chance.events))
    return f"at most {count} events"


def _skip_unseen(trial: GameTrial) -> None:
    """Raise SkipTest if the chance of a game is drawn where nobody sees it."""
    if trial.kind.program is not None:
        raise SkipTest("it is a program, which draws on chance by itself")


def draws(trial: GameTrial) -> str:
    """Check that only a move draws on chance."""
    _skip_unseen(trial)
    for case in trial.cases:
        game, chance = trial.recorded(case)
        for _ in trial.moments(game, sampling()):
            drawn = len(chance.events)
            look(game)
            if len(chance.events) != drawn:
                raise Flaw(f"to look at the game has drawn {chance.events[drawn]}")
    return ""


def seeds(trial: GameTrial) -> str:
    """Check that the seed matters if the game has chance."""
    drawn = 0
    records = set[str]()
    for number in range(4):
        for case in trial.cases[:_FEW_CASES] if number else trial.cases:
            game, chance = trial.recorded(case, f"{trial.seed} {number}")
            record = trial.record(game, sampling())
            drawn += len(chance.events)
            if case in trial.cases[:1]:
                records.add(snapshot(record))
    if trial.kind.program is not None:
        return _seeds_of_program(trial.kind, len(records))
    if trial.kind.has_chance and not drawn:
        raise Flaw("has_chance is True, and no play draws on chance")
    if not trial.kind.has_chance and drawn:
        raise Flaw(f"has_chance is False, and {drawn} events were drawn")
    if not drawn and len(records) > 1:
        raise Flaw("nothing is drawn on chance, and plays with other seeds differ")
    return f"{drawn} events" if drawn else "no chance"


def _seeds_of_program(kind: type[Game], courses: int) -> str:
    """Return whether a program has chance, of which only its plays with other seeds show."""
    if kind.has_chance and courses == 1:
        raise Flaw("has_chance is true, and plays with four seeds are the same")
    if not kind.has_chance and courses > 1:
        raise Flaw("has_chance is false, and plays with other seeds differ")
    return "plays with other seeds differ" if kind.has_chance else "no chance"


class _Play:
    """One play of a deal, with what was drawn and who had moved."""

    def __init__(
        self, trial: GameTrial, case: Case, seed: str, choose: Callable[..., Move]
    ) -> None:
        game, chance = trial.recorded(case, seed)
        self.movers: list[tuple[int, ...]] = []
        self.steps: list[int] = []
        """The step in which each decision was made."""
        while seats := [*game.deciders()]:
            chance.step += 1
            self.movers.append((*seats,))
            first = len(self.steps)
            self.steps += [chance.step] * len(seats)
            if first > trial.most_decisions:
                break
            moves = {seat: choose(game, seat, first + at) for at, seat in enumerate(seats)}
            trial.carry_out(game, first, moves)
        self.drawn = chance.drawn


def keyed(trial: GameTrial) -> str:
    """Check that events are named by their place, not counted."""
    _skip_unseen(trial)
    compared = 0
    for case in trial.cases:
        moved: dict[Key, list[bool]] = {}
        counted: dict[Key, bool] = {}
        for number in range(_DEALS):
            seed = f"{trial.seed} {number}"
            one = _Play(trial, case, seed, _steady)
            if not one.drawn or not one.steps:
                continue
            for what, is_counted in _counted(one).items():
                counted[what] = counted.get(what, True) and is_counted
            for at in {0, len(one.steps) // 4, len(one.steps) // 2}:
                other = _Play(trial, case, seed, _otherwise(at))
                compared += _hold(one, other, one.steps[at], moved)
        for what, seats in moved.items():
            if counted.get(what) and seats.count(False) > len(seats) / 5:
                raise Flaw(
                    f"the events {what!r} are numbered in the order in which they are drawn: after"
                    f" another choice, {seats.count(False)} of {len(seats)} belong to another seat"
                )
    return f"{compared} events in pairs of plays"


def _steady(game: Game, seat: int, number: int) -> Move:
    return game.sample(seat, Dice(f"steady {number}"))


def _otherwise(at: int) -> Callable[[Game, int, int], Move]:
    """Return the steady chooser that chooses otherwise at one decision."""

    def choose(game: Game, seat: int, number: int) -> Move:
        usual = _steady(game, seat, number)
        if number == at:
            for attempt in range(20):
                other = game.sample(seat, Dice(f"other {attempt}"))
                if snapshot(other) != snapshot(usual):
                    return other
        return usual

    return choose


def _counted(play: _Play) -> dict[Key, bool]:
    """Return which dice are named by a running number and nothing else."""
    numbers: dict[Key, list[tuple[tuple[Key, ...], Key]]] = {}
    for event, (step, how, _) in play.drawn.items():
        if step >= 0 and how == "die":
            numbers.setdefault(event[0], []).append((event[1:-1], event[-1]))
    return {
        what: all(rest == found[0][0] for rest, _ in found)
        and all(
            isinstance(last, int) and isinstance(found[0][1], int) and last == found[0][1] + at
            for at, (_, last) in enumerate(found)
        )
        for what, found in numbers.items()
    }


def _hold(one: _Play, other: _Play, parted: int, moved: dict[Key, list[bool]]) -> int:
    """Compare the events that two plays have in common after they have parted."""
    compared = 0
    for event, (step, how, question) in one.drawn.items():
        if step < parted or event not in other.drawn:
            continue
        compared += 1
        there, other_how, other_question = other.drawn[event]
        if how != other_how:
            raise Flaw(f"the event {event} is a {how}, and after another choice a {other_how}")
        if how == "shuffle" and question != other_question:
            raise Flaw(
                f"the event {event} shuffles other things after another choice: one card more or"
                " less moves all others",
                "order all cards there are: chance.arranged(pile, ALL_CARDS, ...)",
            )
        if how == "die" and there >= 0:
            same = one.movers[step] == other.movers[there]
            moved.setdefault(event[0], []).append(same)
    return compared


def play_here() -> None:
    """Play the deals that standard input tells, and write the records to standard output."""
    work = json.load(sys.stdin)
    with redirect_stdout(sys.stderr):
        kind = imported(**work["kind"])
        trial = GameTrial(kind, [], most_decisions=work["most"])
        played = []
        for job in work["jobs"]:
            game = trial.new(Case(kind, job["seats"], job["changed"]), job["seed"])
            played.append(trial.record(game, sampling(job["seed"])))
    json.dump(played, sys.stdout)
