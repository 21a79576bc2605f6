"""A bot that is being checked: it is started, plays, and plays again, and each step is judged."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from time import monotonic

from arena.author.doors import CheckedDoor
from arena.author.trial import Seating, Setting, Trial, play
from arena.author.verdict import (
    AGAIN,
    ALIKE,
    ALL,
    ENDS,
    LEGAL,
    QUIET,
    READY,
    RUNS,
    TIMELY,
    USED,
    WHOLE,
    Step,
)
from arena.league.bot import Bot
from arena.league.hints import hidden, stale
from arena.play.sandbox import check_bot
from arena.text import counted
from protocol.errors import ProtocolError
from referee.process.output import KEPT
from referee.rules.game import Move
from referee.sandbox import Launcher, SandboxError, prove
from referee.turn.answer import BotError, shown
from referee.turn.bot_process import BotProcess
from referee.turn.starting import start_bot
from referee.turn.verdict import last_word

MATCHES = 20
"""How many matches are played at least, unless time runs out; more if there are more seats."""

_QUIET_SECONDS = 0.1  # in which a bot that is asked nothing is listened to ...
_REST_SECONDS = 0.3  # ... and after its matches: long enough to show that it uses CPU off turn
_END_SECONDS = 2.0  # in which it is to end by itself; a league waits shorter, and kills it
_PATIENT = 3  # times as many matches are played while a decision has not come up
_REPEATED = 4  # matches that are played again, twice ...
_SHARE = 1 / 6  # ... in this part of the time at most, each time; the first have what is left
_LINES = 12  # of a standard error that are shown
_BLAMED: dict[str, str] = {"illegal": LEGAL, "malformed": QUIET, "flood": QUIET, "late": TIMELY}
"""The step that each kind of fault fails; the others fail that of whole matches."""


class CheckedBot:
    """A bot with a launcher for its processes; `steps` does the work."""

    def __init__(
        self,
        launcher: Launcher,
        bot: Bot,
        setting: Setting,
        tell: Callable[[str], None],
        door: CheckedDoor | None,
        *,
        is_built: bool,
    ) -> None:
        self._door = door
        self._launcher = launcher
        self._is_built = is_built
        self._bot = bot
        self._setting = setting
        self._tell = tell
        self._start_seconds = 0.0
        self._began = 0.0  # when the matches did

    def steps(self) -> Iterator[Step]:
        """Yield the steps in their order, as far as it makes sense to go on.

        Raises SandboxError if the sandbox does not hold.
        """
        limits = self._setting.limits
        name = self._launcher.sandbox.name
        where = "without a sandbox" if limits.sandbox == "none" else f"in the sandbox {name}"
        if self._bot.grant.given:
            where += f", with {self._bot.grant.words}"
        try:
            prove(self._launcher, limits)
        except SandboxError as error:
            if error.lacks != "device":  # what it needs is not here
                raise
            yield Step(RUNS, "FAILED", error.what)
            return
        try:
            check_bot(self._launcher, self._bot, limits)
        except SandboxError as error:
            yield Step(RUNS, "FAILED", error.what)
            return
        if empty := self._empty():
            yield Step(RUNS, "FAILED", f"{empty} is empty: there is no program in it")
            return
        old = "" if self._is_built else stale(self._bot)
        yield Step(RUNS, "advice", f"{where}, but {old}") if old else Step(RUNS, "ok", where)
        try:
            most = f"{limits.startup_cap:g} s at the most"
            self._tell(f"waiting for {self._bot.name} to say ready, {most}")
            began = monotonic()
            process = self._start()
        except BotError as error:
            yield Step(
                READY, "FAILED", str(error), self._said(error.stderr), late=error.kind == "late"
            )
            return
        self._start_seconds = monotonic() - began
        yield Step(READY, "ok", self._time_to_start(process))
        trials: list[Trial] = []
        try:
            chatter = self._play_all(process, trials)
            yield from self._judged(trials, chatter, burner=process.meter.burner)
            yield self._ending(process)
        finally:
            process.stop()
        yield from self._repeated(trials)

    def _empty(self) -> str:
        """Return the name of its program if that is an empty file; else nothing."""
        words = [word.removeprefix("./") for word in self._bot.command]
        program = next((word for word in words if word in self._bot.files), "")
        if not program or (program != words[0] and self._bot.command[0].startswith("./")):
            return ""  # it is made by a build, and this may be what it reads
        path = self._bot.folder / program
        return "" if not path.is_file() or path.stat().st_size else program

    def _play_all(self, process: BotProcess, trials: list[Trial]) -> str:
        """Play matches until there are enough or one has a fault; return what else is wrong."""
        try:
            chatter = process.overheard(_QUIET_SECONDS)
            self._began = monotonic()
            while not chatter and (seating := self._next_seating(trials)):
                trials.append(self._play(process, seating))
                if trials[-1].faulty:
                    return ""
            chatter = chatter or process.overheard(_REST_SECONDS)
        except (BotError, ProtocolError) as error:
            return f"{error}, though nothing was asked"
        return f"it said {shown(chatter)!r}, though nothing was asked" if chatter else ""

    def _start(self) -> BotProcess:
        setting, bot = self._setting, self._bot
        process = start_bot(self._launcher, bot.program, setting.limits, bot.name)
        if self._door is not None:
            self._door.admit(process)
        return process

    def _play(self, process: BotProcess, seating: Seating) -> Trial:
        if self._door is not None:
            self._door.enter(process, f"check {self._setting.seed} {seating}")
        return play(self._setting, process, seating)

    def _time_to_start(self, process: BotProcess) -> str:
        limits, wall = self._setting.limits, self._start_seconds
        if limits.judge == "wall":
            return f"after {wall:.2f} s; {limits.startup:g} s allowed"
        cpu = process.meter.on_turn
        allowed = limits.startup * limits.threads
        return f"after {wall:.2f} s; {cpu:.2f} s of CPU time, {allowed:g} s of it allowed"

    def _next_seating(self, trials: Sequence[Trial]) -> Seating | None:
        """Return the next match to play: every seat in turn, with every number of seats.

        While decisions have not come up, there are more.
        """
        number, enough = len(trials), self._enough()
        if number >= (enough if not self._missed(trials) else _PATIENT * enough):
            return None
        if number and self._left() < 2 * _SHARE * self._setting.patience:
            return None
        self._tell(f"match {number + 1} of {max(enough, number + 1)}")
        seatings = self._seatings()
        return Seating(number, *seatings[number % len(seatings)])

    def _seatings(self) -> list[tuple[int, int]]:
        """Return every number of seats with every seat of it."""
        return [(seats, seat) for seats in self._setting.seat_counts for seat in range(seats)]

    def _enough(self) -> int:
        """Return how many matches are played if there is time; with a door, each may cost money."""
        if self._setting.limits.door:
            return len(self._seatings())
        return len(self._seatings()) * -(-MATCHES // len(self._seatings()))

    def _left(self) -> float:
        """Return the seconds after which no more matches are begun."""
        return self._began + self._setting.patience - monotonic()

    def _missed(self, trials: Sequence[Trial]) -> list[str]:
        """Return the game's decisions that the bot was never asked."""
        asked = set().union(*(trial.asked for trial in trials))
        return [name for name in self._setting.game.decisions if name not in asked]

    def _short(self, trials: Sequence[Trial]) -> list[Trial]:
        """Return the first few matches, fewer if they took long, and none if there is no time."""
        each = (trial.seconds + self._start_seconds for trial in trials[:_REPEATED])
        spent = list(accumulate(each))
        few = max(1, sum(seconds <= _SHARE * self._setting.patience for seconds in spent))
        return list(trials[:few]) if spent[few - 1] <= self._left() else []

    def _judged(self, trials: Sequence[Trial], chatter: str, *, burner: bool) -> Iterator[Step]:
        """Yield what the first matches showed."""
        found = {step.title: step for step in self._passed(trials, burner=burner)}
        last = trials[-1] if trials else None
        if last is not None and last.faulty is not None:
            blamed = self._blamed(last) if len(trials) == 1 else self._failed_later(last)
            found[blamed.title] = blamed
        elif chatter:
            when = f"after {last.name()}" if last is not None else "after ready"
            found[QUIET] = Step(QUIET, "FAILED", f"{when}, {chatter}")
        yield from found.values()

    def _failed_later(self, trial: Trial) -> Step:
        """Return the step that a fault after the first match fails.

        A crash may come of what the process had played before, or of the match alone: a new process
        that plays this match shows which.
        """
        failed = self._blamed(trial)
        if failed.title != WHOLE:
            return failed
        self._tell(f"{trial.name()} again")
        try:
            process = self._start()
        except BotError as error:
            return Step(AGAIN, "FAILED", f"started again, {error}", self._said(error.stderr))
        try:
            again = self._play(process, trial.seating)
        finally:
            process.stop()
        if again.faulty:
            return self._blamed(again)
        detail = f"{failed.detail}; a new process plays this match through"
        return replace(failed, title=AGAIN, detail=detail)

    def _blamed(self, trial: Trial, title: str = "") -> Step:
        """Return the step that a match's fault fails: of this title, or by its kind."""
        assert trial.faulty is not None
        at, entry = trial.faulty
        fault = entry.fault
        assert fault is not None
        where = f"{trial.name()}, its decision {at}" if entry.move is not None else trial.name()
        why = f"{fault.kind}: {fault.reason}"
        if trial.outage and fault.kind != "outage":
            why = f"{why.rstrip('.')}, as what it asked for failed: {trial.outage}"
        evidence = trial.played.evidence
        lines = list(evidence.conversations[trial.seating.seat])
        return Step(
            title or _BLAMED.get(fault.kind, WHOLE),
            "FAILED",
            f"{where}: {why}",
            lines + self._said(evidence.stderr[trial.seating.seat]),
            late=fault.kind == "late",
            by_machine=bool(trial.outage),
        )

    def _passed(self, trials: Sequence[Trial], *, burner: bool) -> Iterator[Step]:
        """Yield the steps of the first matches as they stand if nothing was wrong."""
        whole = [trial for trial in trials if not trial.faulty]
        counts = sorted({trial.seating.seats for trial in whole})
        played = f"{counted(len(whole), 'match', 'matches')} of {_either(counts)} seats"
        answers = sum(trial.answers for trial in trials)
        yield self._all_played(len(trials), played) if whole else Step(WHOLE)
        yield Step(LEGAL, "ok", counted(answers, "answer")) if answers else Step(LEGAL)
        yield self._quiet(trials) if answers else Step(QUIET)
        yield self._timely(trials, burner=burner) if answers else Step(TIMELY)
        missed = self._missed(trials)
        known = len(self._setting.game.decisions)
        rest = f"; did not come up: {', '.join(missed)}" if missed else ""
        yield Step(ALL, "ok", f"{known - len(missed)} of {known}{rest}")
        yield Step(AGAIN, "ok") if len(whole) > 1 else Step(AGAIN)

    def _all_played(self, number: int, played: str) -> Step:
        """Return the step of whole matches, with what was left out because time was up."""
        enough = self._enough()
        if number >= enough:
            return Step(WHOLE, "ok", played)
        more = self._setting.patience * 1.5 * enough / number
        given = self._setting.given or f"--seconds {more:.0f}"
        detail = f"{played}; time was up for the rest of {enough}: {given}"
        return Step(WHOLE, "ok", detail, cut_short=True)

    def _quiet(self, trials: Sequence[Trial]) -> Step:
        if not any(trial.stderr_cut for trial in trials):
            said = (trial.played.evidence.stderr[trial.seating.seat] for trial in trials)
            word = last_word(next(filter(None, said), ""))
            return Step(QUIET, "ok", f"on its standard error: {word}" if word else "")
        kept = f"{KEPT // 1024} KB of a match are kept"
        return Step(QUIET, "advice", f"but its standard error was too long: {kept}")

    def _timely(self, trials: Sequence[Trial], *, burner: bool) -> Step:
        if burner or any(trial.seating.seat in trial.played.evidence.burners for trial in trials):
            return Step(TIMELY, "advice", "but it uses the CPU off turn, and is frozen then")
        limits = self._setting.limits
        by_cpu = limits.judge == "cpu"
        longest = max((trial.longest(by_cpu=by_cpu) for trial in trials), default=0) / 1e6
        of_cpu = " of CPU time" if by_cpu else ""
        cores = limits.threads if by_cpu else 1
        allowed = f"{limits.decision_seconds * cores:g} s allowed"
        return Step(TIMELY, "ok", f"{longest:.3f} s{of_cpu} at the most; {allowed}")

    def _ending(self, process: BotProcess) -> Step:
        """Close the bot's input and say what it does."""
        began = monotonic()
        process.close_input()
        ended = process.stop(grace=_END_SECONDS)
        if monotonic() - began >= _END_SECONDS:
            return Step(ENDS, "FAILED", f"it still ran {_END_SECONDS:g} s later, and was killed")
        if ended.code:
            return Step(ENDS, "advice", f"but it {ended}", self._said(process.stderr_text()))
        return Step(ENDS, "ok", f"after {monotonic() - began:.2f} s")

    def _repeated(self, trials: Sequence[Trial]) -> Iterator[Step]:
        """Play some matches again, in one new process and then in one for each."""
        again = self._short(trials)
        if not again:
            late = "no time was left"
            yield from (Step(title, detail=late, cut_short=True) for title in (ALIKE, USED))
            return
        alike = self._compared(ALIKE, again, fresh=False)
        yield alike
        others = self._short(trials)[1:]  # the first was played by a new process anyway
        if alike.state == "ok" and others:
            yield self._compared(USED, others, fresh=True)

    def _compared(self, title: str, trials: Sequence[Trial], *, fresh: bool) -> Step:
        """Play matches again and look for the first answer that is another."""
        process = None
        try:
            for trial in trials:
                self._tell(f"{trial.name()} again")
                if process is None or fresh:
                    if process is not None:
                        process.stop()
                    process = self._start()
                again = self._play(process, trial.seating)
                if again.faulty:
                    return self._blamed(again, title)
                pairs = enumerate(zip(trial.moves, again.moves, strict=False), 1)
                for at, (then, now) in pairs:
                    if then != now:
                        return Step(
                            title,
                            "advice",
                            f"{trial.name()}, its decision {at}: results cannot be repeated; "
                            f"let chance come from the seed of the kit, in Python ask.rng",
                            [f"first  {_words(then)}", f"now    {_words(now)}"],
                        )
        except BotError as error:
            return Step(title, "FAILED", f"started again, {error}", self._said(error.stderr))
        finally:
            if process is not None:
                process.stop()
        return Step(title, "ok", counted(len(trials), "match", "matches"))

    def _said(self, stderr: str) -> list[str]:
        """Return the end of a standard error and what says most in it, under a title.

        Below stand the files that the sandbox hid from the bot.
        """
        lines = [line for line in stderr.splitlines() if line.strip(" ^~")]  # no marks below code
        last = lines[-_LINES:]
        word = last_word(stderr)
        is_shown = any(word.removesuffix("…") in line for line in last)
        told = [] if is_shown else [word, "…"]
        sandboxed = self._setting.limits.sandbox != "none"
        hints = hidden(self._bot, stderr) if sandboxed else []
        return ["Standard error:", *(f"  {line}" for line in told + last), *hints] if last else []


def _words(move: Move | None) -> str:
    return json.dumps(move, ensure_ascii=False)


def _either(counts: Sequence[int]) -> str:
    """Return numbers without gaps in words."""
    return f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else "".join(map(str, counts))
