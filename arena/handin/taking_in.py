"""Taking in what was handed in: unpacked, built, checked, and entered into the league."""

import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import Any, Self

from arena.author.candidate import lock_packages
from arena.author.check import check, unready
from arena.author.mending import to_mend
from arena.author.trial import of_league
from arena.author.verdict import Step, built_step, unbuilt_step
from arena.environment.errors import PackagesError
from arena.environment.names import REQUIREMENTS, WHEELS
from arena.folders import locked
from arena.handin import entries, kept, submissions
from arena.handin.compared import note_code
from arena.handin.database import HandIns
from arena.handin.for_authors import cleaned, steps_json, without_name
from arena.handin.programs import complete
from arena.handin.receiving import tidy
from arena.handin.sources import new_folder, source_folder, sweep, unpacked
from arena.handin.stale import put_back, retire_replaced
from arena.handin.submissions import Submission
from arena.league.bot import Bot
from arena.league.file import read_asked, with_game
from arena.league.finding import BOT_FILE, bot_folder
from arena.league.hints import unmet
from arena.league.plan import LeaguePlan
from arena.play.building import Builder, building
from arena.store.under_way import entered
from arena.text import safe, safe_lines
from protocol.errors import ArenaError, Refusal, RunError
from referee.sandbox import SandboxError
from referee.sandbox.errors import MachineError, StartError
from referee.sandbox.workshop import Workshop

_SYSTEM = (("/", "usr"), ("/", "bin"))
_BRING = (
    f"Put the wheels into the folder {WHEELS} beside {REQUIREMENTS} (pip download --only-binary "
    f":all: --dest {WHEELS} --requirement {REQUIREMENTS}), and hand it in with them."
)
_AGAIN = "Mend it, and hand it in again."
_LATER = "Hand it in again later, or ask the organizer, who sees more of it."


class Intake:
    """Takes in what waits in one league, one after another; a context manager.

    `tell` is called with every state that a submission comes to, and with how it is getting on.
    There is one for a league at a time: raises ArenaError if another has it.
    """

    def __init__(
        self, league: Path, tell: Callable[[dict[str, Any]], None], sandbox_uid: int | None = None
    ) -> None:
        self._league = league
        self._tell = tell
        self._uid = sandbox_uid
        self._undo = ExitStack()
        self._rooms = ExitStack()
        self._workshop: Workshop | None = None
        self._builder: Builder | None = None
        self._built_by: object = None

    def __enter__(self) -> Self:
        with ExitStack() as undo:
            self._hand_ins = undo.enter_context(HandIns(self._league, create=True))
            self._hand_ins.sources.mkdir(exist_ok=True)
            undo.enter_context(locked(self._hand_ins.sources, "intake"))
            undo.callback(self._close_rooms)
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._undo.close()

    def _close_rooms(self) -> None:
        """End the sandboxes; others are made when they are needed."""
        self._workshop = self._builder = None
        self._rooms.close()

    def sandbox(self) -> str:
        """Return the sandbox that things are unpacked in; raise SandboxError if there is none."""
        return self._open_workshop().name

    def build_sandbox(self) -> str:
        """Return the sandbox that bots are built in; raise SandboxError if there is none."""
        return self._open_builder(read_asked(self._league, "read")).proved()

    def resume(self) -> None:
        """Go on after an end at any moment: nothing is lost, stuck, or entered twice.

        Raises ArenaError if the league's file cannot be read.
        """
        entries.folders(self._league)  # or it raises, before anything is changed
        for one in submissions.queue(self._hand_ins):
            if one.state == "received":
                continue
            if entries.is_entered(self._hand_ins, one):
                submissions.accept(self._hand_ins, one.number)
            else:
                submissions.resume(self._hand_ins, one.number)
            self._told(one.number)
        tidy(self._hand_ins)
        self.look_around()

    def look_around(self) -> None:
        """Notice what the organizer has changed in the league, and remove what nobody needs.

        Raises ArenaError if the league's file has lost bots that cannot be put back.
        """
        put_back(self._hand_ins)
        for number in retire_replaced(self._hand_ins):
            self._told(number)
        self._sweep()

    def _sweep(self) -> None:
        note_code(self._hand_ins)  # before sources go
        needed = {*entries.folders(self._league).values()}
        top = self._league.resolve()
        try:
            bots = entered(top).values()
        except RunError:  # then all is kept; whoever plays says what is wrong
            return
        for bot in bots:  # it may have matches to finish
            if (folder := bot.folder.resolve()).is_relative_to(top):
                needed.add(str(folder.relative_to(top)))
        sweep(self._hand_ins, needed)
        kept.sweep(self._hand_ins)

    def take_next(self) -> bool:
        """Take in one that waits, if there is one, to its end; return whether there was."""
        one = submissions.next_one(self._hand_ins)
        if one is None:
            return False
        self.take_in(one.number)
        return True

    def take_in(self, number: int) -> Submission:
        """Take in a submission that waits, and return what became of it.

        Raises ArenaError if the league itself cannot be read; then it still waits. It waits again
        after a KeyboardInterrupt. One that was entered, which could not be noted, is left to
        `resume`.
        """
        plan = with_game(read_asked(self._league, "read"))
        if submissions.begin(self._hand_ins, number):
            began = time.monotonic()
            self._told(number)
            try:
                self._take_in(plan, submissions.get(self._hand_ins, number))
            except Refusal as refusal:
                submissions.refuse(self._hand_ins, number, refusal)
            except KeyboardInterrupt:
                submissions.put_back(self._hand_ins, number)
                raise
            except Exception as error:  # noqa: BLE001 - it must end, whatever happened to it
                self._log(number, error)
                self._close_rooms()
                if entries.is_entered(self._hand_ins, submissions.get(self._hand_ins, number)):
                    what = f"submission {number} was entered, which could not be noted: {error}"
                    raise RunError(what) from None
                killed = isinstance(error, MachineError) and error.was_killed
                if killed or isinstance(error, ConnectionError):  # no bot's fault
                    submissions.resume(self._hand_ins, number)
                else:
                    trouble = Refusal(422, _trouble(error), _LATER, can_retry=True)
                    submissions.refuse(self._hand_ins, number, trouble)
            submissions.end_turn(self._hand_ins, number, time.monotonic() - began)
            self._told(number)
            if self._builder is not None:
                self._builder.forget_fetched()
            self._sweep()
        return submissions.get(self._hand_ins, number)

    # --- the steps

    def _take_in(self, plan: LeaguePlan, one: Submission) -> None:
        entries.check_author(self._hand_ins, one)
        folder = source_folder(one)
        self._note(one, folder=folder)  # first, so that no one is left whose folder nobody knows
        self._unpack(one, self._league / folder)
        self._lock(plan, one, self._league / folder)
        bot = self._found(one, self._league / folder)
        bot = entries.granted(plan, bot, one.bot)
        if bot.remote_digest and not bot.grant.remote:
            raise Refusal(
                422,
                "this league takes no bots that run on their authors' machines.",
                "Hand in the bot itself, by `arena submit`.",
            )
        bot = entries.as_another_entry(self._hand_ins, one, bot)
        self._note(one, step="build", version=bot.version)
        steps = [*entries.twins(self._hand_ins, one, bot), *self._unmet(plan, one, bot)]
        built = self._built(plan, one, bot, steps)
        self._note(one, "checking", step="check")
        self._check(plan, one, built, steps)
        if one.only_check:
            submissions.end_check(self._hand_ins, one.number)
            return
        self._note(one, step="enter")
        entries.enter(self._hand_ins, one, folder, bot)

    def _unpack(self, one: Submission, target: Path) -> None:
        """Leave the files in the new folder `target`, whole or not at all."""
        arrived = self._hand_ins.arrivals / one.arrived
        with new_folder(target) as new:
            try:
                said = unpacked(self._open_workshop(), arrived, one.filename, new)
            except SandboxError as error:
                self._log(one.number, error)
                what = "nothing can be unpacked safely on this server."
                raise Refusal(422, what, _LATER, can_retry=True) from None
            added = complete(new)
        self._say(one, safe_lines("; ".join(filter(None, (said, added)))) + "\n")

    def _lock(self, plan: LeaguePlan, one: Submission, folder: Path) -> None:
        """Make the lock of a bot with packages, if need be, and let it name its own wheels."""
        try:
            said = lock_packages(folder, self._open_builder(plan), own=True)
        except PackagesError as error:
            raise Refusal(422, cleaned(error.what, folder), _BRING) from None
        if said:
            self._say(one, safe_lines(said) + "\n")

    def _found(self, one: Submission, folder: Path) -> Bot:
        if not (folder / BOT_FILE).is_file():
            script = next(iter(sorted(path.name for path in folder.glob("*.py"))), None)
            words = "./bot" if script is None else f'{{python}}", "{script}'
            raise Refusal(
                422,
                f"there is no {BOT_FILE} in it, or not at its top.",
                f'Say how it is run in a {BOT_FILE} beside its program: command = ["{words}"].',
            )
        try:
            bot = bot_folder(folder, one.bot).hashed()
        except ArenaError as error:
            reason = cleaned(without_name(error, one.bot), folder)
            raise Refusal(422, reason, _AGAIN) from None
        program = PurePosixPath(bot.command[0])
        is_ours = program.is_absolute() and program.parts[:2] not in _SYSTEM
        if is_ours or ".." in program.parts:  # else whether it is there would be told
            raise Refusal(
                422,
                f"its command runs {bot.command[0]!r}, which is no file of the bot.",
                "Name a program in its folder, as ./bot, or one of the system, as python3.",
            )
        return bot

    def _unmet(self, plan: LeaguePlan, one: Submission, bot: Bot) -> Iterator[Step]:
        """Yield a step if the bot needs what it was not granted, and tell the organizer."""
        if why := unmet(bot, plan.limits):
            said = f"{why}; `grants` of [hand_in] says what bots may have"
            print(safe(f"submission {one.number}: {said}"), file=sys.stderr, flush=True)
            yield Step("its limits", "advice", why)

    def _built(self, plan: LeaguePlan, one: Submission, bot: Bot, steps: list[Step]) -> Bot:
        """Return a bot as it is run; store what its build printed."""
        if not bot.is_to_be_made:
            return bot
        self._progress(one, building(bot, plan.build))
        builder = self._open_builder(plan)
        try:
            kept.begin(self._hand_ins, one.number, builder.places(bot))
            built = builder.built(bot)
        except Refusal as error:
            self._say(one, safe_lines("\n".join(error.said)))
            self._add(one, steps, unbuilt_step(error), bot.folder)
            reason = cleaned(f"it {error.what}", bot.folder)
            shown = "What the build printed shows why. " * bool(error.said)
            raise Refusal(422, reason, f"{shown}{_AGAIN}") from None
        except SandboxError as error:
            self._log(one.number, error)
            raise Refusal(
                422,
                "nothing can be built safely on this server.",
                "Hand in the bot as it is after its build, or ask the organizer.",
            ) from None
        finally:  # what is refused may have left a build, or an environment
            kept.end(self._hand_ins, one.number)
        if built.outcome is not None:
            self._say(one, safe_lines(built.outcome.output))
        self._add(one, steps, built_step(built, builder.where), bot.folder)
        kept.check(self._hand_ins, plan.hand_in, one)
        return built.bot

    def _check(self, plan: LeaguePlan, one: Submission, bot: Bot, steps: list[Step]) -> None:
        if bot.remote_digest:
            elsewhere = "it runs on its author's machine: nothing of it is tried here"
            self._add(one, steps, Step("its start", "advice", elsewhere), bot.folder)
            return
        seconds = plan.hand_in.check_seconds
        given = f"the server checks for {seconds:g} s"
        setting = of_league(plan, seconds, self._uid)._replace(given=given)
        try:
            bot.checked()
            told = check(bot, setting, lambda words: self._progress(one, words))
        except ArenaError as error:
            told = unready(ArenaError(without_name(error, one.bot)))
        for step in told:
            self._add(one, steps, step, bot.folder)
        failed = next((step for step in steps if step.state == "FAILED"), None)
        if failed is not None:
            why = cleaned(to_mend(one.bot, steps), bot.folder)
            if failed.by_machine:
                game = plan.game.name
                unknown = Refusal(
                    422,
                    f"whether it is fit to play {game} is not known, by no fault of its own: {why}",
                    _LATER,
                    can_retry=True,
                )
                self._log(one.number, unknown)
                raise unknown
            raise Refusal(422, why, _AGAIN, can_retry=failed.late)

    # --- the rooms where strangers' programs run

    def _open_workshop(self) -> Workshop:
        if self._workshop is None:
            self._workshop = self._rooms.enter_context(Workshop(uid=self._uid))
        return self._workshop

    def _open_builder(self, plan: LeaguePlan) -> Builder:
        if self._builder is None or self._built_by != (plan.build, plan.environments):
            builder = Builder(plan.build, self._uid, plan.environments)
            self._builder = self._rooms.enter_context(builder.open())
            self._built_by = (plan.build, plan.environments)
        return self._builder

    # --- what is known, and told

    def _note(self, one: Submission, state: submissions.State | None = None, **known: str) -> None:
        submissions.note(self._hand_ins, one.number, state, **known)
        if state is not None or "step" in known:
            self._told(one.number)

    def _say(self, one: Submission, words: str) -> None:
        submissions.add_output(self._hand_ins, one.number, words)

    def _add(self, one: Submission, steps: list[Step], step: Step, folder: Path) -> None:
        """Add a step to those of the check, of which all are stored."""
        steps.append(step)
        self._note(one, steps=steps_json(steps, folder))

    def _told(self, number: int) -> None:
        one = submissions.get(self._hand_ins, number)
        self._tell(
            {
                "event": "submission",
                "number": number,
                "author": one.author,
                "bot": one.bot,
                "state": one.state,
                "step": one.step,
            }
        )

    def _progress(self, one: Submission, words: str) -> None:
        self._tell({"event": "progress", "number": one.number, "words": safe(words)})

    def _log(self, number: int, error: Exception) -> None:
        """Tell the organizer what an author need not know: paths, and faults of ours."""
        print(safe(f"submission {number}: {error}"), file=sys.stderr, flush=True)
        if not isinstance(error, ArenaError | OSError | StartError):
            traceback.print_exception(error)


def _trouble(error: Exception) -> str:
    """Return what an author is told of an error that is no fault of the bot."""
    if isinstance(error, OSError) and error.strerror:
        return f"the server could not go on: {error.strerror}."
    if isinstance(error, ArenaError | StartError | OSError):
        return (
            "the server could not go on, which is not the bot's fault: a bot could not be started, "
            "a file not written, or what the league's bots may ask is not to be had."
        )
    return f"a fault of the arena's own has ended it ({type(error).__name__})."
