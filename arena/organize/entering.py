"""Bots that are checked for a league, and entered into it if they are fit."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Literal, NamedTuple, TypeAlias

from arena.author.candidate import fitting
from arena.author.check import check, unready
from arena.author.mending import to_mend
from arena.author.trial import of_league
from arena.author.verdict import Step, is_fit, text
from arena.league.bot import Bot, LostBot
from arena.league.edit import add_bot, check_changeable, replace_bot
from arena.league.entry import entry_for
from arena.league.plan import LeaguePlan
from arena.organize.copying import copied
from arena.store.opening import open_store
from arena.text import composed, counted, fold, quoted, safe
from protocol.errors import ArenaError, RunError
from referee.sandbox import own_cores

State: TypeAlias = Literal["entered", "replaced", "unchanged", "changed", "refused"]
_EVERY = 0.2  # seconds between two words on how the checks are getting on
_GRACE = 1.0  # seconds for the checks that are given up; what they started ends with this process
_NAMED = 3  # of the bots that are being checked
_STAYS = "The one of this name that is in the league plays on."

_Check = Callable[[Bot, Callable[[str], None]], list[Step]]
"""Checks a bot; calls what it is given with its progress."""


class Brought(NamedTuple):
    """A bot that is to be entered, as it was found."""

    name: str
    place: str
    """What was named on the command line, or the file or folder in it."""
    bot: Bot | ArenaError
    """Or why it cannot be run."""
    is_made: bool = False
    """Whether its folder was made of what its author handed in; it is copied into the league."""


class Terms(NamedTuple):
    """How bots are checked and entered: the options of `arena add`."""

    seconds: float
    """After so many, a check begins no more matches."""
    sandbox_uid: int | None
    copy: bool
    """Whether a copy in the league's folder is entered, and not the bot where it is."""
    workers: int | None = 1
    """How many are checked at once, where only their CPU time is judged; None: as cores allow."""
    replace: bool = True
    """Whether a bot whose name is taken takes its place."""
    grant: bool = False
    """Whether bots are granted what their files say that they need."""


@dataclass(frozen=True)
class BotVerdict:
    """What came of one bot."""

    name: str
    place: str
    state: State
    steps: list[Step] = field(default_factory=list)
    """What the check showed, if there was one."""
    refusal: str = ""
    """Why it was refused without a check, or after it."""
    remedy: str = ""
    """What the organizer can do then."""
    stays: bool = False
    """Whether another program of its name plays on."""

    @property
    def step(self) -> str:
        """The step of the check that it failed, if it did."""
        return next((step.title for step in self.steps if step.state == "FAILED"), "")

    @property
    def why(self) -> str:
        """Why it was refused, or what is to be said of it nonetheless."""
        said = [step.detail for step in self.steps if step.state == "FAILED"]
        said += [step.detail for step in self.steps if step.state == "advice"]
        return f"{self.refusal} {self.remedy}".strip() or next(iter(said), "")

    def for_author(self, game: str) -> str:
        """Return in a line what its author is told; nothing if its files are not at fault."""
        if self.state == "changed":
            said = "It was not checked, as it has changed."
        elif self.state == "refused":
            said = to_mend(self.name, self.steps)
        elif not self.steps:
            return "It is in the league already, with these files."
        else:
            advice = f" Advice: {self.why.rstrip('.')}." if self.why else ""
            return f"It is fit to play {game}.{advice}"
        return f"{said} {_STAYS}" if said and self.stays else said

    def text(self, game: str, width: int) -> Iterator[str]:
        """Yield the lines of the verdict, as `arena check` shows one."""
        if said := self.for_author(game):
            yield from [*fold(safe(said), width), ""]
        if self.steps:
            yield from text(self.name, game, self.steps, width)
        if self.refusal:
            yield from fold(safe(f"{self.name} was not entered: {self.refusal}"), width)
        if self.stays and not said:
            yield from fold(_STAYS, width)


def entered(
    league: LeaguePlan,
    bots: Sequence[Brought],
    terms: Terms,
    tell: Callable[[Callable[[], str]], None],
) -> Iterator[BotVerdict]:
    """Check bots for a league that was read with its game; enter those that are fit, in order.

    Yield the verdict on each when it is entered or not. `tell` is called now and then with what
    says how the checks are getting on. Raises ArenaError, before anything is checked, if the
    league's file cannot be changed, and SandboxError if the sandbox does not hold here.
    """
    check_changeable(league.folder)
    bots = [_granted(league, each, terms) for each in bots]
    known = [_known(league, each, bots[:number], terms) for number, each in enumerate(bots)]
    checked = {
        each.name: each.bot
        for each, verdict in zip(bots, known, strict=True)
        if verdict is None and isinstance(each.bot, Bot)
    }
    told: dict[str, str] = {}
    limits = [league.limits_of(bot) for bot in checked.values()]
    by_wall = any(each.judge == "wall" for each in limits)
    workers = 1 if by_wall else terms.workers or max(1, len(own_cores()) // league.cores)
    setting = of_league(league, terms.seconds, terms.sandbox_uid)

    def steps_of(bot: Bot, tell_one: Callable[[str], None]) -> list[Step]:
        return list(check(bot, setting, tell_one))

    with _checking(checked, steps_of, workers, told) as futures:
        done = 0
        for each, verdict in zip(bots, known, strict=True):
            if verdict is None and isinstance(each.bot, Bot):
                said = partial(_status, done, len(futures), told)
                steps = _result(futures[each.name], partial(tell, said))
                done += 1
                verdict = _judged(league, each, each.bot, steps, terms)
            assert verdict is not None
            yield verdict


def _granted(league: LeaguePlan, each: Brought, terms: Terms) -> Brought:
    """Return a bot with what that of its name is granted and, if asked for, what it needs.

    Its files are read, if it may have them.
    """
    if not isinstance(each.bot, Bot):
        return each
    grant = league.grant_of(composed(each.name))
    try:
        if terms.grant:
            grant = grant.plus(each.bot.needs.beyond(grant.of(league.limits)))
        return each._replace(bot=fitting(replace(each.bot, grant=grant), league.limits))
    except ArenaError as error:  # what it is to have does not go together
        return each._replace(bot=error)


def _known(
    league: LeaguePlan, each: Brought, before: Sequence[Brought], terms: Terms
) -> BotVerdict | None:
    """Return the verdict on a bot that need not be checked for it; None if it must be."""
    name = composed(each.name)
    if not isinstance(each.bot, Bot):
        stays = _plays(league, name)
        return BotVerdict(name, each.place, "refused", list(unready(each.bot)), stays=stays)
    for other in before:
        if isinstance(other.bot, Bot) and composed(other.name) == name:
            return _refused(
                each,
                f"another bot of this command is called {name!r} too.",
                f"To enter this one under another name: OTHER={each.place}.",
            )
    for gone in league.disqualified:
        if gone.name == name and not terms.replace:
            undo = f"`arena remove {quoted(league.folder)} {quoted(name)} --undo`"
            return _refused(each, gone.remark, f"{undo} lets it play again.")
    present = league.bot_named(name)
    if present is None:
        return None
    if _is_as(present, each.bot) and present.version in played_versions(league, present):
        return BotVerdict(name, each.place, "unchanged")
    if not terms.replace and not _is_as(present, each.bot):
        return replace(
            _refused(
                each,
                f"it differs from the {name} that is in the league.",
                f"--replace puts this one in its place, and OTHER={each.place} enters it under "
                f"another name.",
            ),
            state="changed",
            stays=_plays(league, name),
        )
    return None


def _plays(league: LeaguePlan, name: str) -> bool:
    """Return whether a bot of this name is in a league, and can play."""
    present = league.bot_named(name)
    is_out = name in {gone.name for gone in league.disqualified}
    return present is not None and not isinstance(present, LostBot) and not is_out


def _refused(each: Brought, why: str, remedy: str) -> BotVerdict:
    return BotVerdict(composed(each.name), each.place, "refused", refusal=why, remedy=remedy)


def _is_as(present: Bot, bot: Bot) -> bool:
    """Return whether a bot of the league is this program."""
    return not isinstance(present, LostBot) and bot.is_as(present)


def played_versions(league: LeaguePlan, bot: Bot) -> set[str]:
    """Return the versions in which a bot has played."""
    if not league.database.is_file():
        return set()
    with open_store(league) as store:
        return {version for key, version in store.bots.played() if key == bot.key}


def _judged(
    league: LeaguePlan, each: Brought, bot: Bot, steps: list[Step], terms: Terms
) -> BotVerdict:
    """Enter a bot if it is fit, and return the verdict on it."""
    there = bot.name in league.names.values()
    present = league.bot_named(bot.name)
    is_same = present is not None and _is_as(present, bot)
    if not is_fit(steps):
        also = (
            f"{next(step.detail for step in steps if step.state == 'FAILED')}; it is in the league "
            f"with these files: mend them, or `arena remove` it"
        )
        stays = not is_same and _plays(league, bot.name)
        also = also if is_same else ""
        return BotVerdict(bot.name, each.place, "refused", steps, also, stays=stays)
    try:
        found = copied(bot, league.folder) if terms.copy or each.is_made else bot
        entry = {**entry_for(found, league.folder), **bot.grant.given}
        if there:
            replace_bot(league.folder, bot.name, entry)
        else:
            add_bot(league.folder, entry)
    except RunError:  # such as a full disk, with which no bot can be entered
        raise
    except ArenaError as error:
        return BotVerdict(bot.name, each.place, "refused", steps, str(error))
    if present is not None and is_same and not played_versions(league, present):
        return BotVerdict(bot.name, each.place, "unchanged", steps)
    return BotVerdict(bot.name, each.place, "replaced" if there else "entered", steps)


def _result(future: Future[list[Step]], tell: Callable[[], None]) -> list[Step]:
    while not wait([future], _EVERY).done:
        tell()
    return future.result()


def _status(done: int, number: int, told: Mapping[str, str]) -> str:
    """Return how the checks are getting on."""
    now = [f"{name}: {words}" for name, words in dict(told).items()][:_NAMED]
    return f"{done} of {counted(number, 'bot')} checked; {'; '.join(now)}"


@contextmanager
def _checking(
    bots: Mapping[str, Bot], check: _Check, workers: int, told: dict[str, str]
) -> Iterator[Mapping[str, Future[list[Step]]]]:
    """Begin to check bots, in order, so many at once; yield the steps to come, by name.

    In `told` stands how each that has begun and not ended is getting on. At the end, what has not
    ended is given up.
    """
    futures: dict[str, Future[list[Step]]] = {name: Future() for name in bots}
    waiting: SimpleQueue[str] = SimpleQueue()
    for name in bots:
        waiting.put(name)
    over = Event()

    def tell(name: str, words: str) -> None:
        if over.is_set():
            raise CancelledError
        told[name] = words

    def work() -> None:
        while not over.is_set():
            try:
                name = waiting.get_nowait()
            except Empty:
                return
            try:
                futures[name].set_result(check(bots[name], partial(tell, name)))
            except BaseException as error:  # noqa: BLE001 - raised again where the result is asked for
                futures[name].set_exception(error)
            told.pop(name, None)

    threads = [Thread(target=work, daemon=True) for _ in range(min(workers, len(bots)))]
    for thread in threads:
        thread.start()
    try:
        yield futures
    finally:
        over.set()
        for thread in threads:
            thread.join(_GRACE)
