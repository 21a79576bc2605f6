"""Checks a game in a process of its own, so that a game that ends its process is named.

`check_apart` is the side that tells; `python -m referee.testing.apart` is the other side.
"""

import faulthandler
import linecache
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from time import perf_counter
from typing import IO, NamedTuple

import msgspec

from protocol.errors import ArenaError
from referee.catalog.folder import module_of
from referee.process.procfs import signal_name
from referee.rules.game import Game
from referee.testing.checking import STEPS, check_steps
from referee.testing.elsewhere import environment, imported, whereabouts
from referee.testing.flaw import Failure, Position, StepResult
from referee.testing.trace import ROOM, Trace

_REMEDY = (
    "look at the last of these lines: mostly a library in another language ends the process; let"
    " the game refuse the options or moves with which it does"
)
_CALL = re.compile(r'  File "(.+)", line (\d+) in (.+)')
_READY = b"ready\n"


class _Work(msgspec.Struct, frozen=True):
    """What the other process checks."""

    game: dict[str, str]
    steps: list[str]
    seats: list[int]
    seed: str
    thorough: bool
    most_decisions: int
    seconds: float


class _Death(NamedTuple):
    """How a process ended before it was done."""

    how: str
    seconds: float
    """How long it had been at its last step."""
    position: Position | None
    frames: list[str]


def check_apart(
    game: type[Game],
    only: Collection[str] = (),
    *,
    seats: Sequence[int] = (),
    seed: str,
    thorough: bool,
    most_decisions: int,
    seconds: float,
) -> Iterator[StepResult]:
    """Yield what comes of each step, as `check_steps` does.

    A step in which the process ends has failed, and the others are tried in another process.
    Raises ArenaError if no other process can load the game.
    """
    names = [name for name in STEPS if not only or name in only]
    while names:
        work = _Work(whereabouts(game), names, [*seats], seed, thorough, most_decisions, seconds)
        death = yield from _worked(game, work, names)
        if not names:
            return
        step = STEPS[names.pop(0)]
        found = f"the process in which the game was tried {death.how}"
        failure = Failure(found, _REMEDY, death.position, death.frames)
        yield StepResult(step.name, step.title, "failed", found, death.seconds, failure)
        if step.is_needed:
            why = f"step {step.name} has to be mended first"
            yield from (StepResult(name, STEPS[name].title, "skipped", why, 0.0) for name in names)
            return


def _worked(game: type[Game], work: _Work, names: list[str]) -> Generator[StepResult, None, _Death]:
    """Yield what another process finds, taking from `names`; return how it ended."""
    with tempfile.TemporaryFile() as room, tempfile.TemporaryFile() as last_words:
        room.truncate(ROOM)
        files = [room.fileno(), last_words.fileno()]
        command = [sys.executable, "-P", "-m", __name__, *map(str, files)]
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
        return _Death(how, seconds, Trace(room.fileno()).position(), _frames(last_words, game))


def _frames(last_words: IO[bytes], game: type[Game]) -> list[str]:
    """Return the last calls within the game's own folder, or of all if none is."""
    last_words.seek(0)
    lines = last_words.read().decode(errors="replace").splitlines()
    calls = [match.groups() for line in reversed(lines) if (match := _CALL.fullmatch(line))]
    folder = module_of(game).parent
    own = [call for call in calls if Path(call[0]).parent == folder]
    return [
        f"{Path(file).name}:{at} in {name}: {linecache.getline(file, int(at)).strip()}"
        for file, at, name in (own or calls)[-4:]
    ]


def main() -> None:
    """Read what to check from standard input, and write the results to standard output."""
    room, last_words = map(int, sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever asked says that it was interrupted
    faulthandler.enable(last_words)
    work = msgspec.json.decode(sys.stdin.buffer.read(), type=_Work)
    out = os.dup(1)
    with redirect_stdout(sys.stderr):
        game = imported(**work.game)
        _tell(out, _READY)
        for result in check_steps(
            game,
            work.steps,
            seats=work.seats,
            seed=work.seed,
            thorough=work.thorough,
            most_decisions=work.most_decisions,
            seconds=work.seconds,
            trace=Trace(room),
        ):
            _tell(out, msgspec.json.encode(result) + b"\n")


def _tell(out: int, line: bytes) -> None:
    """Write a line; end the process where nobody reads any more, as whoever asked was ended."""
    try:
        while line:
            line = line[os.write(out, line) :]
    except BrokenPipeError:
        os._exit(1)


if __name__ == "__main__":
    main()
