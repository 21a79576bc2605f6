"""A workforce in the test's own process, for tests whose subject is not a process.

Bots that are one function of the bundled kit, and the naughty ones that only answer wrongly, are
called. Any other bot is a process, as beside a worker. The same results come of it as of workers:
`test_inline.py` shows it.
"""

import io
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from time import monotonic
from types import CodeType, ModuleType
from typing import Any

import msgspec
import pytest

from arena.league.bot import Bot
from arena.league.finding import BUNDLED
from arena.play import quiet, staffing
from arena.play import run as arena_run
from arena.play.executor import Executor
from arena.play.messages import Finish, Fit, Order, Setup, Unfit, Word
from arena.play.worker import game_of
from arena.play.workforce import Event, Heard, Worker, Workforce
from arena.schedule.deal import BotIndex, first_bots
from referee.sandbox import PYTHON, Ended, Launcher, Program
from referee.turn.answer import BotError
from referee.turn.clock import Clock, Turn
from referee.turn.wire import Measured, Wire

Message = dict[str, Any]
Answering = Callable[[Message], bytes]
"""What a bot does with a message, and the line that it answers an ask with."""

_STANDS_IN = {
    "kit": (
        "templates/python/kit.py",
        "_wire = _take_stdout() if _is_piped() else None",
        "_wire = None",
    ),
    "polite": ("naughty/polite.py", "", ""),
}
"""The modules that read a bot's input: where they lie, and what is not to happen here."""
_ONLY_WRONG = {"illegal.py", "malformed.py"}
_CRASHED = 1 << 8  # how a process ends that exits with 1


@cache
def _text(name: str) -> str:
    return (BUNDLED / _STANDS_IN[name][0]).read_text()


@cache
def _code(path: str, source: str) -> CodeType:
    return compile(source, path, "exec", dont_inherit=True)


class _Modules(MetaPathFinder, Loader):
    """A program's own modules, found before all others; what they load is forgotten with it."""

    def __init__(self, program: Program) -> None:
        files = zip(program.files, program.paths, strict=True)
        self.paths = {Path(name).stem: path for name, path in files if name.endswith(".py")}

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in self.paths else None

    def exec_module(self, module: ModuleType) -> None:
        path = self.paths[module.__name__]
        source = Path(path).read_text()
        if module.__name__ in _STANDS_IN:
            source = source.replace(*_STANDS_IN[module.__name__][1:])
        module.__file__ = path
        exec(_code(path, source), vars(module))

    @contextmanager
    def in_place(self) -> Iterator[None]:
        names = [*self.paths, "__main__"]
        before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
        sys.meta_path.insert(0, self)
        try:
            yield
        finally:
            sys.meta_path.remove(self)
            for name in names:
                sys.modules.pop(name, None)
            sys.modules.update(before)


def _with_kit(kit: Any, main: ModuleType, path: str) -> Answering | None:
    """Execute a bot of the kit; return it, or None if it is no bot after all."""
    given: list[Any] = []
    kit.run = lambda choose, on_start=None, on_end=None, samples=4: given.extend(
        (choose, on_start, on_end, samples)
    )
    exec(_code(path, Path(path).read_text()), vars(main))
    if not given:
        return None
    choose, on_start, on_end, samples = given[:4]
    match: Any = None

    def answer(message: Message) -> bytes:
        nonlocal match
        if message["type"] == "ask":
            asked = kit.Ask(match, message)
            return bytes(kit._encode(kit._answer(choose, asked, message["id"])).encode())
        if message["type"] == "start":
            match = kit.Match(message)
            if on_start:
                on_start(match)
        elif on_end:
            on_end(match, message)
        return b""

    answer.samples = samples  # type: ignore[attr-defined]
    return answer


def _with_polite(polite: Any, main: ModuleType, path: str) -> Answering | None:
    """Execute a naughty bot; return it, or None if it does more than answer wrongly."""
    if Path(path).name not in _ONLY_WRONG:
        return None
    given: list[Any] = []
    polite.play = lambda misbehave=None, at=1: given.extend((misbehave, at))
    exec(_code(path, Path(path).read_text()), vars(main))
    misbehave, at = given
    asks = 0

    def answer(message: Message) -> bytes:
        nonlocal asks
        if message["type"] != "ask":
            return b""
        asks += 1
        line = misbehave(message) if asks >= at else None
        return bytes(polite.reply(message) if line is None else line).rstrip(b"\n")

    return answer


def function_of(program: Program) -> Answering | None:
    """Return a program as a function; None if a process has to be started for it."""
    first, script, *rest = (*program.argv, "")
    modules = _Modules(program)
    path = dict(zip(program.files, program.paths, strict=True)).get(script)
    base = next((name for name in _STANDS_IN if name in modules.paths), None)
    if first != PYTHON or any(rest) or path is None or base is None:
        return None
    if Path(modules.paths[base]).read_text() != _text(base):
        return None
    main = ModuleType("__main__")
    main.__file__ = path
    argv, sys.argv = sys.argv, [script]
    try:
        with modules.in_place():
            sys.modules["__main__"] = main
            stands_in = __import__(base)
            return (_with_kit if base == "kit" else _with_polite)(stands_in, main, path)
    except (Exception, SystemExit):  # noqa: BLE001 - a process will show how it ends
        return None
    finally:
        sys.argv = argv


class InlineBot(Wire):
    """A bot that is called here: it sends and hears the lines that its process would."""

    threads = 1
    ended: Ended | None = None
    is_ready = True

    def __init__(self, answering: Answering) -> None:
        self._answering = answering
        self.samples = getattr(answering, "samples", 0)
        self._stderr = io.StringIO()
        self._turn = Turn(0.0, 0.0)

    def begin_match(self) -> None:
        self._stderr = io.StringIO()

    def send(self, line: bytes) -> None:
        self._answer(line)

    def ask(self, line: bytes, clock: Clock) -> bytes:
        began = monotonic()
        answer = self._answer(line)
        self._turn = Turn(began, monotonic())
        if self.ended is not None:
            raise BotError(f"it {self.ended}")
        return answer

    def _answer(self, line: bytes) -> bytes:
        try:
            with redirect_stdout(self._stderr), redirect_stderr(self._stderr):
                return self._answering(msgspec.json.decode(line))
        except (Exception, SystemExit):  # noqa: BLE001 - a bot may do anything
            self._stderr.write(traceback.format_exc())
            self.ended = Ended(_CRASHED, 0.0, 0)
            return b""

    def close_turn(self) -> Turn:
        return self._turn

    def unread(self) -> bytes:
        return b""

    def stop(self, grace: float = 0.0) -> Ended:
        return self.ended or Ended(0, 0.0, 0)

    def stderr_text(self) -> str:
        return self._stderr.getvalue()

    def measured(self) -> Measured:
        return Measured(stderr=self.stderr_text())


class _Launchers(dict[str, Launcher]):
    """Launchers of processes, each made when the first process is started."""

    def __init__(self, uid: int | None, stack: ExitStack) -> None:
        super().__init__()
        self._uid, self._stack = uid, stack

    def __missing__(self, name: str) -> Launcher:
        self[name] = self._stack.enter_context(Launcher(name, uid=self._uid))
        return self[name]


class InlineExecutor(Executor):
    """An executor that calls the bots that can be called."""

    def _checked(self, bot: BotIndex) -> Fit | Unfit:
        is_function = function_of(self._setup.programs[bot]) is not None
        return Fit(bot, 0) if is_function else super()._checked(bot)

    def _sandbox_of(self, bot: BotIndex) -> str:
        limits = self._setup.limits_of(bot)
        return " with ".join((limits.sandbox, *limits.devices))

    def _process(self, bot: BotIndex, rotation: int) -> Wire:
        key = (bot, rotation)
        if key not in self._processes:
            answering = function_of(self._setup.programs[bot])
            if answering is None:
                return super()._process(bot, rotation)
            self._processes[key] = InlineBot(answering)
        return self._processes[key]


class InlineWorker(Worker):
    """A worker whose orders wait until events are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.orders: deque[Order] = deque()

    def _send(self, order: Order) -> None:
        self.orders.append(order)


class InlineWorkforce(Workforce):
    """One worker, in this process."""

    workers: list[InlineWorker]

    def __init__(
        self, setup: Setup, bots: Sequence[Bot], places: Sequence[object], idle: object = None
    ) -> None:
        self._setup = setup
        self.workers = []
        self._words: Iterator[Word] = iter(())

    @contextmanager
    def running(self) -> Iterator[None]:
        setup = self._setup
        with ExitStack() as stack:
            launchers = _Launchers(setup.sandbox_uid, stack)
            self._executor = InlineExecutor(setup, game_of(setup), launchers)
            worker = InlineWorker()
            bots = first_bots(len(setup.names))
            worker.unchecked = [bot for bot in bots if bot not in setup.unbuilt]
            self.workers.append(worker)
            with closing(self._executor):  # before the launchers of its processes
                yield

    def events(self, patience: float) -> list[Event]:
        (each,) = self.workers
        if word := next(self._words, None):
            return [Heard(each, word)]
        if each.orders:
            order = each.orders.popleft()
            if isinstance(order, Finish):
                self.workers.clear()
            else:
                self._words = self._executor.carry_out(order)
        return []

    def replace(self, worker: Worker) -> None:
        raise AssertionError("the test's own process has died")

    def leave(self) -> None:
        self._executor.leave()

    def release_idle(self) -> None:
        for each in self.workers:
            each.give(Finish())


_timing = cache(quiet.timing)


@contextmanager
def inline_runs() -> Iterator[None]:
    """Let the runs of leagues that this process begins be played in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(staffing, "LocalWorkforce", InlineWorkforce)
        patch.setattr(arena_run, "timing", _timing)  # this machine's noise is measured once
        yield
