"""Checks a game step by step, here, or in a process of its own, which a game may end."""

import faulthandler
import inspect
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import redirect_stdout
from time import perf_counter
from typing import IO, NamedTuple, TypedDict, Unpack
from unittest import SkipTest

import msgspec

from protocol.errors import ArenaError
from referee.catalog.folder import module_of
from referee.catalog.loading import GAME_ERRORS
from referee.process.procfs import signal_name
from referee.program.engine import ProgramError
from referee.rules.game import Game
from referee.testing import about, fate, moving, showing
from referee.testing.fate import environment, imported, whereabouts
from referee.testing.flaw import (
    Failure,
    Flaw,
    Hang,
    State,
    StepResult,
    failure_of,
    frames,
    last_calls,
    patience,
)
from referee.testing.trial import Case, GameTrial, Trace

PATIENCE = 10.0
"""Seconds that one call of a game may take."""


class GameStep(NamedTuple):
    """One thing that is checked, by a function that is named after it and says what holds."""

    run: Callable[[GameTrial], str]
    """Returns what was measured; raises Flaw, or SkipTest if the game is none for it."""
    remedy: str
    is_needed: bool

    @property
    def name(self) -> str:
        """The name by which the step is chosen."""
        return self.run.__name__.replace("_", "-")

    @property
    def title(self) -> str:
        """What holds if it is ok, in a few words: what its function checks."""
        said = inspect.getdoc(self.run) or ""
        return said.partition("\n")[0].removeprefix("Check that ").removesuffix(".")


_REMEDIES: dict[Callable[[GameTrial], str], str] = {
    about.fields: "give the class the field as referee/rules/game.py describes it",
    about.options: "write the option as Annotated[type, Meta(description=..., ge=...)] = default;"
    " for text, give Meta(examples=[...])",
    about.schemas: "describe every field; use the keywords that referee/testing/schema.py lists",
    moving.ends_random: "look at the frames above, or at what apply does in this position",
    moving.places: "return ranked(scores) of referee.rules.game, the least score best, a score for"
    " each seat",
    moving.ends_default: "let the default move bring the game on: bots that fall silent are played"
    " by it",
    moving.ends_mixed: "let apply take a default move wherever it takes a legal one",
    moving.ends_withdrawn: "let withdraw only note the seat: moves that were collected are still"
    " applied",
    moving.ends_empty: "let withdraw only note the seat: its default moves are still asked for and"
    " applied",
    moving.deciders: "return each seat that decides now once, and none once reason is set",
    about.asked: "declare in `decisions` what is asked, and nothing else; if it is too rare for"
    " these plays, give options in cases.toml that make plays short or the decision frequent",
    showing.text: "break the line or leave out what is least needed; text(seat) works for"
    " every seat and for None",
    showing.json: "show lists, dictionaries with text as keys, text, numbers, true, false and"
    ' None; and "game", "seat" and "decision"',
    fate.world: "draw on self.chance, by the name of the event; in sample, from the rng given",
    fate.alone: "make lists and dictionaries in __init__: those of the class, of a module and of a"
    " default argument are one for all games; and let no id() and no hash() decide",
    moving.choice: "return Decision(name, legal=[...]) or Decision(name, limits={...}), as plain"
    " JSON",
    moving.legal: "let decision, check and the schema follow from one rule",
    moving.complete: "list the move in decision, or let check refuse it",
    moving.samples: "draw in sample from what decision lists, or from its limits",
    moving.numbers: "ask type(x) is int: in Python, True == 1 == 1.0",
    moving.mutilated: "check types before values: type(x) is int; and let the schema say what"
    " check accepts",
    moving.anything: "check types before values, and never index or compare what was not checked",
    moving.defaults: "let apply take the default move of every seat, whatever the others do",
    moving.described: "return a few words on one line from describe",
    moving.numbered: "let all_moves yield whatever decision can list, in a fixed order",
    showing.stable: "let view, text, decision, check, sample, default and describe change nothing",
    moving.canonical: "let check refuse fields that the rules do not read, or canonical leave them"
    " out",
    fate.replayed: "let the game follow from the seed and the moves alone, and moves be plain JSON",
    about.table: "put into table() what never changes, as lists, dictionaries, text and numbers",
    showing.handed: "copy lists that are handed out, and those of moves that are kept; leave moves"
    " as they are",
    showing.scene: "build the scene of the areas of referee.rules.scene",
    fate.draws: "draw in __init__ and apply, and keep what was drawn",
    fate.events: "end the name with the place in the rules: round, seat, attack, roll",
    fate.seeds: "set has_chance to what is true",
    fate.keyed: "name the event by its place in the rules: round, seat, attack, roll; never count"
    " draws",
    showing.resample: "copy with twin(self, rng) or redealt, change the copy, and draw from rng"
    " alone",
    showing.hidden: "leave it out for this seat, in the view, its order, the text, the decision and"
    " refusals; or, if the seat may know it, let resample keep it",
    showing.enough: "put into the view what this depends on, if the seat may know it; or else let"
    " it depend on nothing that is hidden",
    fate.processes: "sort sets before their order matters: that of text changes with each process",
    about.effect: "let the rules read the option, or take it away",
    about.speed: "keep what only text needs out of apply, copy no state, and work lists out once",
    about.silent: "take the print out, or write to sys.stderr: standard output belongs to the"
    " command",
}
"""By step, what to do where the flaw does not say it itself, in the order of the steps."""
_NEEDED = (about.fields, about.options, about.schemas, moving.ends_random)
"""The steps without which those after them mean nothing."""
_OF_PROGRAMS = {
    "fields": "say it in the answer to `hello`, see docs/game-protocol.md",
    "options": "give each option a `description`, and bounds or an `enum` that allow another value"
    " than its `default`",
    "schemas": "describe every field, by the keywords that docs/game-protocol.md lists",
    "ends-random": "look at what `apply` does in this position: every play ends in a state without"
    " `asks`",
    "places": "give one place for each seat: 1 is best, and equal numbers share a place",
    "ends-withdrawn": "let a withdrawn seat change nothing: default moves still come for it",
    "ends-empty": "let a withdrawn seat change nothing: default moves still come for it",
    "deciders": "ask each seat that decides now once; ask nobody once the match is over",
    "text": "let `show` write lines of at most 80 columns, for every seat and for all together",
    "json": "let a view hold lists, objects, texts, numbers, true, false and null",
    "alone": "keep all that a match has in the match: no variable outside of it, no generator but"
    " the chance that comes from its seed, and no clock",
    "choice": "ask only what leaves a choice: list two different moves or more, or give `limits`",
    "samples": "draw in `sample` from what is legal there, by the seed that comes with it",
    "numbers": "take whole numbers alone: in JSON, 1.0 and true are none",
    "mutilated": "look at every field in `check` before it is used, and let the schema say what it"
    " accepts",
    "anything": "look at every field in `check` before it is used, and let the schema say what it"
    " accepts",
    "described": "answer `describe` by a few words on one line",
    "stable": "let `view`, `show`, `check`, `sample` and `describe` change nothing",
    "replayed": "let the game follow from the seed and the moves alone",
    "table": "put into `table` what never changes",
    "scene": "build `areas` as docs/game-protocol.md has them",
    "seeds": "set `has_chance` to what is true",
    "resample": "copy the match, deal anew what the seat has not seen, and draw on the new seed"
    " alone",
    "hidden": "leave it out for this seat, in its view, its order, the moves, `show` and refusals;"
    " or, if the seat may know it, let `resample` keep it",
    "processes": "let nothing decide but seed and moves: no order of a set that changes from run to"
    " run, no address of memory, no clock",
    "speed": "keep what only `show` needs out of `apply`; build the program with optimisation",
}
"""By step, what the author of a program is to do, where the step's remedy is for code of Python."""

STEPS = {
    step.name: step
    for step in (GameStep(run, remedy, run in _NEEDED) for run, remedy in _REMEDIES.items())
}
"""By name, everything that is checked, in its order."""


class How(TypedDict, total=False):
    """How a game is tried, where not as usual: see `check_game`."""

    seats: Sequence[int]
    seed: str
    thorough: bool
    most_decisions: int


def check_steps(
    game: type[Game],
    only: Collection[str] = (),
    *,
    seconds: float = PATIENCE,
    cases: Sequence[Case] | None = None,
    trace: Trace | None = None,
    **how: Unpack[How],
) -> Iterator[StepResult]:
    """Yield what comes of each step, in their order; see `check_game` for what may be chosen.

    In `trace` is noted where plays have come to. Raises ArenaError for a step that is not there.
    """
    for name in only:
        if name not in STEPS:
            raise ArenaError(f"there is no step {name!r}. Known: {', '.join(STEPS)}.")
    trial = GameTrial(game, cases, trace=trace, **how)
    failed = ""
    for step in STEPS.values():
        if only and step.name not in only:
            continue
        result = _untried(step, failed) if failed else _tried(step, trial, seconds)
        if step.is_needed and result.state == "failed":
            failed = step.name
        yield result


def check_game(
    game: type[Game],
    only: Collection[str] = (),
    *,
    seconds: float = PATIENCE,
    cases: Sequence[Case] | None = None,
    **how: Unpack[How],
) -> list[StepResult]:
    """Check a game by all steps, or `only` some; return what came of each.

    It is tried with all its numbers of `seats`, or those given, and with each option changed: a
    third of all such cases, or every one if `thorough`. A play may take `most_decisions`, and a
    call of the game so many `seconds`. Raises AssertionError if a step fails.
    """
    results = [*check_steps(game, only, seconds=seconds, cases=cases, **how)]
    if failure := failure_of(getattr(game, "name", repr(game)), results):
        raise AssertionError(failure)
    return results


def _untried(step: GameStep, failed: str) -> StepResult:
    why = f"step {failed} has to be mended first"
    return StepResult(step.name, step.title, "skipped", why, 0.0)


def _tried(step: GameStep, trial: GameTrial, seconds: float) -> StepResult:
    """Return what comes of a step."""
    began = perf_counter()
    state: State = "failed"
    calls: list[str] = []
    try:
        with redirect_stdout(trial.printed), patience(seconds, lambda: trial.beats):
            found = step.run(trial)
        state = "ok"
    except SkipTest as reason:
        found, state = str(reason), "skipped"
    except Flaw as flaw:
        found, remedy = flaw.found, flaw.remedy or step.remedy
        if trial.kind.program is not None:
            remedy = _OF_PROGRAMS.get(step.name, remedy)
    except ProgramError as error:
        found, remedy = str(error), "mend what the program answers, see docs/game-protocol.md"
        calls = [*error.said] if len(error.said) > 1 else []
    except ArenaError as error:  # of the game's folder
        found, remedy = str(error), "mend this file"
    except Hang as hang:
        found = f"a call of the game has not returned for {seconds:g} seconds"
        remedy = "look for a loop without an end at the last of these lines"
        calls = frames(hang, module_of(trial.kind).parent)
    except GAME_ERRORS as error:  # the game that is tried may raise anything
        found = f"{type(error).__name__}: {error}"
        remedy = "mend what the last of these lines does in this position"
        calls = frames(error, module_of(trial.kind).parent)
    failure = None
    if state == "failed":
        found = " ".join(found.split())
        failure = Failure(found, remedy, trial.position(), calls)
    return StepResult(step.name, step.title, state, found, perf_counter() - began, failure)


_REMEDY = (
    "look at the last of these lines: mostly a library in another language ends the process; let"
    " the game refuse the options or moves with which it does"
)
_CALL = re.compile(r'  File "(.+)", line (\d+) in (.+)')
_READY = b"ready\n"
_OTHER = f"from {__name__} import check_here; check_here()"
"""What the other process executes."""


class _Work(msgspec.Struct, frozen=True):
    """What the other process checks."""

    game: dict[str, str]
    steps: list[str]
    seconds: float
    how: How


def check_apart(
    game: type[Game], only: Collection[str] = (), *, seconds: float, **how: Unpack[How]
) -> Iterator[StepResult]:
    """Yield what comes of each step, as `check_steps` does.

    A step in which the process ends has failed, and the others are tried in another process.
    Raises ArenaError if no other process can load the game.
    """
    names = [name for name in STEPS if not only or name in only]
    while names:
        work = _Work(whereabouts(game), names, seconds, how)
        failure, taken = yield from _worked(game, work, names)
        if not names:
            return
        step = STEPS[names.pop(0)]
        yield StepResult(step.name, step.title, "failed", failure.found, taken, failure)
        if step.is_needed:
            yield from (_untried(STEPS[name], step.name) for name in names)
            return


def _worked(
    game: type[Game], work: _Work, names: list[str]
) -> Generator[StepResult, None, tuple[Failure, float]]:
    """Yield what another process finds, taking from `names`.

    Returns how it ended, which is a failure if there are names left, and for how many seconds it
    had been at its last step.
    """
    with tempfile.TemporaryFile() as trace, tempfile.TemporaryFile() as last_words:
        files = [trace.fileno(), last_words.fileno()]
        command = [sys.executable, "-P", "-c", _OTHER, *map(str, files)]
        with subprocess.Popen(
            command,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=files,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(msgspec.json.encode(work))
                process.stdin.close()
                if process.stdout.readline() != _READY:
                    raise ArenaError(f"{game.name} cannot be loaded in another process.")
                began = perf_counter()
                for line in process.stdout:
                    names.pop(0)
                    began = perf_counter()
                    yield msgspec.json.decode(line, type=StepResult)
                code, seconds = process.wait(), perf_counter() - began
            finally:
                process.kill()
        how = f"ended with the exit code {code}"
        if code < 0:
            how = f"was killed by {signal_name(-code)}"
        found, calls = f"the process in which the game was tried {how}", _frames(last_words, game)
        return Failure(found, _REMEDY, Trace(trace.fileno()).position(), calls), seconds


def _frames(last_words: IO[bytes], game: type[Game]) -> list[str]:
    """Return the last calls of the process that has ended."""
    last_words.seek(0)
    lines = last_words.read().decode(errors="replace").splitlines()
    found = [match.groups() for line in reversed(lines) if (match := _CALL.fullmatch(line))]
    return last_calls([(file, int(at), name) for file, at, name in found], module_of(game).parent)


def check_here() -> None:
    """Read what to check from standard input, and write the results to standard output."""
    trace, last_words = map(int, sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever asked says that it was interrupted
    faulthandler.enable(last_words)
    work = msgspec.json.decode(sys.stdin.buffer.read(), type=_Work)
    out = os.dup(1)
    with redirect_stdout(sys.stderr):
        game = imported(**work.game)
        _tell(out, _READY)
        checked = check_steps(
            game, work.steps, seconds=work.seconds, trace=Trace(trace), **work.how
        )
        for result in checked:
            _tell(out, msgspec.json.encode(result) + b"\n")


def _tell(out: int, line: bytes) -> None:
    """Write a line; end the process where nobody reads any more, as whoever asked was ended."""
    try:
        while line:
            line = line[os.write(out, line) :]
    except BrokenPipeError:
        os._exit(1)
