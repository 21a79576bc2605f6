"""Checks a game step by step: what each step holds, and what to do where it does not."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from protocol.errors import ArenaError
from referee.catalog.folder import module_of
from referee.catalog.loading import GAME_ERRORS
from referee.program.engine import ProgramError
from referee.rules.game import Game
from referee.testing import about, ending, fate, moving, pace, showing
from referee.testing.cases import Case
from referee.testing.flaw import Failure, Flaw, GameError, Skipped, StepResult, frames
from referee.testing.trace import Trace
from referee.testing.trial import MOST_DECISIONS, GameTrial
from referee.testing.watch import Hang, patience

PATIENCE = 10.0
"""Seconds that one call of a game may take."""


class GameStep(NamedTuple):
    """One thing that is checked."""

    name: str
    run: Callable[[GameTrial], str]
    """Returns what was measured; raises Flaw or Skipped."""
    title: str
    """What holds if it is ok, in a few words."""
    remedy: str
    """What to do, where the flaw does not say it itself."""
    is_needed: bool = False
    """Whether the steps after it mean nothing once it has failed."""


_STEPS = (
    GameStep(
        "fields", about.fields, "the class says all that it has to",
        "give the class the field as referee/rules/game.py describes it", is_needed=True,
    ),
    GameStep(
        "options", about.options, "options are described and can be changed",
        "write the option as Annotated[type, Meta(description=..., ge=...)] = default; for text,"
        " give Meta(examples=[...])", is_needed=True,
    ),
    GameStep(
        "schemas", about.schemas, "the forms of moves are JSON Schemas, fields described",
        "describe every field; use the keywords that referee/testing/schema.py lists",
        is_needed=True,
    ),
    GameStep(
        "ends-random", ending.ends_random, "random plays end, with a reason and places",
        "look at the frames above, or at what apply does in this position", is_needed=True,
    ),
    GameStep(
        "places", ending.places, "places are well formed in other deals",
        "return ranked(scores) of referee.rules.game, the least score best, a score for each seat",
    ),
    GameStep(
        "ends-default", ending.ends_default, "plays by default moves alone end",
        "let the default move bring the game on: bots that fall silent are played by it",
    ),
    GameStep(
        "ends-mixed", ending.ends_mixed, "plays by random and default moves end",
        "let apply take a default move wherever it takes a legal one",
    ),
    GameStep(
        "ends-withdrawn", ending.ends_withdrawn, "plays end if seats are withdrawn on the way",
        "let withdraw only note the seat: moves that were collected are still applied",
    ),
    GameStep(
        "ends-empty", ending.ends_empty, "plays end if all seats are withdrawn at once",
        "let withdraw only note the seat: its default moves are still asked for and applied",
    ),
    GameStep(
        "deciders", ending.deciders, "who decides are distinct seats, until there is a reason",
        "return each seat that decides now once, and none once reason is set",
    ),
    GameStep(
        "asked", about.asked, "every declared decision is asked, and no other",
        "declare in `decisions` what is asked, and nothing else; if it is too rare for these"
        " plays, give options in cases.toml that make plays short or the decision frequent",
    ),
    GameStep(
        "text", showing.texts, "the text fits 80 columns, for every seat",
        "break the line or leave out what is least needed; text(seat) works for every seat and"
        " for None",
    ),
    GameStep(
        "json", showing.json_only, "views are plain JSON and say what is asked",
        "show lists, dictionaries with text as keys, text, numbers, true, false and None; and"
        ' "game", "seat" and "decision"',
    ),
    GameStep(
        "world", fate.world, "no clock, and no generator but chance",
        "draw on self.chance, by the name of the event; in sample, from the rng given",
    ),
    GameStep(
        "alone", fate.alone, "the same deal is the same game, whatever was played before it",
        "make lists and dictionaries in __init__: those of the class, of a module and of a default"
        " argument are one for all games; and let no id() and no hash() decide",
    ),
    GameStep(
        "choice", moving.choice, "a decision is a choice: two different moves, or limits",
        "return Decision(name, legal=[...]) or Decision(name, limits={...}), as plain JSON",
    ),
    GameStep(
        "legal", moving.legal, "listed moves are accepted and fit",
        "let decision, check and the schema follow from one rule",
    ),
    GameStep(
        "complete", moving.complete, "a list of moves leaves out none that is accepted",
        "list the move in decision, or let check refuse it",
    ),
    GameStep(
        "samples", moving.samples, "samples are listed, accepted and fit; any legal move comes up",
        "draw in sample from what decision lists, or from its limits",
    ),
    GameStep(
        "numbers", moving.numbers, "floats and booleans are no whole numbers",
        "ask type(x) is int: in Python, True == 1 == 1.0",
    ),
    GameStep(
        "mutilated", moving.mutilated, "mutilated moves are refused, or fit and can be made",
        "check types before values: type(x) is int; and let the schema say what check accepts",
    ),
    GameStep(
        "anything", moving.anything, "any JSON object is refused, or fits and can be made",
        "check types before values, and never index or compare what was not checked",
    ),
    GameStep(
        "defaults", moving.defaults, "the default move can always be carried out",
        "let apply take the default move of every seat, whatever the others do",
    ),
    GameStep(
        "described", moving.described, "every move is described in a few words",
        "return a few words on one line from describe",
    ),
    GameStep(
        "numbered", moving.numbered, "all_moves holds every listed move",
        "let all_moves yield whatever decision can list, in a fixed order",
    ),
    GameStep(
        "stable", showing.stable, "looking changes nothing",
        "let view, text, decision, check, sample, default and describe change nothing",
    ),
    GameStep(
        "canonical", moving.canonical, "the canonical move plays the same and holds no more",
        "let check refuse fields that the rules do not read, or canonical leave them out",
    ),
    GameStep(
        "replayed", fate.replayed, "recorded moves reproduce the game",
        "let the game follow from the seed and the moves alone, and moves be plain JSON",
    ),
    GameStep(
        "table", about.table, "the constants of the start are plain and constant",
        "put into table() what never changes, as lists, dictionaries, text and numbers",
    ),
    GameStep(
        "handed", showing.handed, "what is handed out or in can be changed without harm",
        "copy lists that are handed out, and those of moves that are kept; leave moves as they are",
    ),
    GameStep(
        "scene", showing.scene, "the scene is made of areas, for every seat",
        "build the scene of the areas of referee.rules.scene",
    ),
    GameStep(
        "draws", fate.draws, "only a move draws on chance",
        "draw in __init__ and apply, and keep what was drawn",
    ),
    GameStep(
        "events", fate.events, "no two events of chance have one name",
        "end the name with the place in the rules: round, seat, attack, roll",
    ),
    GameStep(
        "seeds", fate.seeds, "the seed matters if the game has chance",
        "set has_chance to what is true",
    ),
    GameStep(
        "keyed", fate.keyed, "events are named by their place, not counted",
        "name the event by its place in the rules: round, seat, attack, roll; never count draws",
    ),
    GameStep(
        "resample", showing.resample, "resample makes another sound state",
        "copy with twin(self, rng) or redealt, change the copy, and draw from rng alone",
    ),
    GameStep(
        "hidden", showing.hidden, "nothing shown depends on what a seat may not know",
        "leave it out for this seat, in the view, its order, the text, the decision and refusals;"
        " or, if the seat may know it, let resample keep it",
    ),
    GameStep(
        "enough", showing.enough, "the same view: the same question, answers and text",
        "put into the view what this depends on, if the seat may know it; or else let it depend on"
        " nothing that is hidden",
    ),
    GameStep(
        "processes", fate.processes, "processes with other hash seeds play the same",
        "sort sets before their order matters: that of text changes with each process",
    ),
    GameStep(
        "effect", about.effect, "the game reads every option",
        "let the rules read the option, or take it away",
    ),
    GameStep(
        "speed", pace.speed, "the game is fast enough for a league",
        "keep what only text needs out of apply, copy no state, and work lists out once",
    ),
    GameStep(
        "silent", pace.silent, "nothing is printed",
        "take the print out, or write to sys.stderr: standard output belongs to the command",
    ),
)  # fmt: skip
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

STEPS = {step.name: step for step in _STEPS}
"""By name, everything that is checked, in its order."""


def check_steps(
    game: type[Game],
    only: Collection[str] = (),
    *,
    seats: Sequence[int] = (),
    seed: str = "conformance",
    thorough: bool = False,
    most_decisions: int = MOST_DECISIONS,
    seconds: float = PATIENCE,
    cases: Sequence[Case] | None = None,
    trace: Trace | None = None,
) -> Iterator[StepResult]:
    """Yield what comes of each step, in their order; see `check_game` for what may be chosen.

    In `trace` is noted where plays have come to. Raises ArenaError for a step that is not there.
    """
    for name in only:
        if name not in STEPS:
            raise ArenaError(f"there is no step {name!r}. Known: {', '.join(STEPS)}.")
    trial = GameTrial(
        game,
        cases,
        seats=seats,
        seed=seed,
        thorough=thorough,
        most_decisions=most_decisions,
        trace=trace,
    )
    failed = ""
    for step in _STEPS:
        if only and step.name not in only:
            continue
        if failed:
            why = f"step {failed} has to be mended first"
            yield StepResult(step.name, step.title, "skipped", why, 0.0)
            continue
        result = _tried(step, trial, seconds)
        if step.is_needed and result.state == "failed":
            failed = step.name
        yield result


def check_game(
    game: type[Game],
    only: Collection[str] = (),
    *,
    seats: Sequence[int] = (),
    seed: str = "conformance",
    thorough: bool = False,
    most_decisions: int = MOST_DECISIONS,
    seconds: float = PATIENCE,
    cases: Sequence[Case] | None = None,
) -> list[StepResult]:
    """Check a game by all steps, or `only` some; return what came of each.

    It is tried with all its numbers of seats, or those given, and with each option changed: a third
    of all such cases, or every one if `thorough`. A play may take `most_decisions`, and a call of
    the game so many `seconds`. Raises GameError, an AssertionError, if a step fails.
    """
    results = [
        *check_steps(
            game,
            only,
            seats=seats,
            seed=seed,
            thorough=thorough,
            most_decisions=most_decisions,
            seconds=seconds,
            cases=cases,
        )
    ]
    if any(result.state == "failed" for result in results):
        raise GameError(getattr(game, "name", repr(game)), results)
    return results


def _tried(step: GameStep, trial: GameTrial, seconds: float) -> StepResult:
    """Return what comes of a step."""
    began = perf_counter()
    failure = None
    try:
        with redirect_stdout(trial.printed), patience(seconds, lambda: trial.beats):
            detail = step.run(trial)
        state = "ok"
    except Skipped as reason:
        detail, state = str(reason), "skipped"
    except Flaw as flaw:
        remedy = flaw.remedy or step.remedy
        if trial.kind.program is not None:
            remedy = _OF_PROGRAMS.get(step.name, remedy)
        failure = _failure(trial, flaw.found, remedy, [])
    except ProgramError as error:
        lines = [*error.said] if len(error.said) > 1 else []
        failure = _failure(
            trial, str(error), "mend what the program answers, see docs/game-protocol.md", lines
        )
    except ArenaError as error:  # of the game's folder
        failure = _failure(trial, str(error), "mend this file", [])
    except Hang as hang:
        failure = _failure(
            trial,
            f"a call of the game has not returned for {seconds:g} seconds",
            "look for a loop without an end at the last of these lines",
            frames(hang, _folder(trial.kind)),
        )
    except GAME_ERRORS as error:  # the game that is tried may raise anything
        failure = _failure(
            trial,
            f"{type(error).__name__}: {error}",
            "mend what the last of these lines does in this position",
            frames(error, _folder(trial.kind)),
        )
    taken = perf_counter() - began
    if failure is not None:
        return StepResult(step.name, step.title, "failed", failure.found, taken, failure)
    return StepResult(step.name, step.title, "ok" if state == "ok" else "skipped", detail, taken)


def _failure(trial: GameTrial, found: str, remedy: str, calls: list[str]) -> Failure:
    return Failure(" ".join(found.split()), remedy, trial.position(), calls)


def _folder(kind: type[Game]) -> Path | None:
    return module_of(kind).parent
