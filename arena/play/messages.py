"""What a run and its workers say to each other: orders go to a worker, and its words come back.

Every message is of a type of its own, tagged with its name, and encoded as MessagePack.
"""

import sys
from collections.abc import Set
from typing import Any, TypeAlias

import msgspec

from arena.environment.settings import EnvironmentSettings
from arena.schedule.deal import BotIndex, Deal, Entrant, Schedule
from arena.store.result import PlayedMatch
from referee.catalog.finding import Source
from referee.door.terms import OUTAGE_WAIT
from referee.limits import Grant, Limits, WorkLimits
from referee.match.opening import OpeningTerms
from referee.sandbox import Program, gpus

NOWHERE = Program(("",), "/")
"""Stands for the program of a bot that cannot be run."""


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """All that a worker must know of a league; bots are in the order of its entrants."""

    game: Source
    options: dict[str, Any]
    limits: Limits
    schedule: Schedule
    names: list[str]
    programs: list[Program]
    has_chance: bool = True
    opening: OpeningTerms | None = None
    grants: dict[BotIndex, Grant] = {}
    """The bots with limits of their own."""
    unbuilt: dict[BotIndex, str] = {}
    """The bots that could not be built, and why: nothing of theirs is played."""
    out: dict[BotIndex, str] = {}
    """The bots that have lost what they have not played, and why: their seats stay empty."""
    replaced: tuple[BotIndex, ...] = ()
    """The versions of bots that have another one now: they finish what they had begun."""
    remotes: dict[BotIndex, str] = {}
    """The bots that run on their authors' machines, and the digest of what runs there."""
    wheels: dict[BotIndex, str] = {}
    """What is another text for other wheels, of the bots whose locks leave a choice of them."""
    build: WorkLimits = WorkLimits()
    """What the making of environments may use, where that is up to a worker's machine."""
    environments: EnvironmentSettings = EnvironmentSettings()
    """What they may take; nothing is fetched there."""
    outage_wait: float = OUTAGE_WAIT
    """For how many seconds a match that has begun waits for a remote bot that is not there."""
    sandbox_uid: int | None = None
    """As root, the first user that bots are run as; None for an unused one."""
    code: str = ""
    """The hash of the game's code; empty for a bundled one that is played here."""
    game_files: dict[str, tuple[bytes, int]] = {}
    """The files of that code, each with its mode, if it is a game from a file or folder."""

    @property
    def entered(self) -> list[tuple[Entrant, str, Program]]:
        """What makes each bot of a run the one that it is."""
        return [*zip(self.schedule.entrants, self.names, self.programs, strict=True)]

    @property
    def elsewhere(self) -> Set[BotIndex]:
        """The bots that nobody starts here."""
        return self.unbuilt.keys() | self.remotes.keys() | self.out.keys()

    def limits_of(self, bot: BotIndex) -> Limits:
        """Return what a bot is allowed."""
        grant = self.grants.get(bot)
        return self.limits if grant is None else grant.of(self.limits)

    @property
    def sandboxes(self) -> list[Limits]:
        """Limits with each of the sandboxes that are needed, the league's first."""
        found = {self.limits.enclosure: self.limits}
        for bot in self.grants:
            if not (limits := self.limits_of(bot)).remote:
                found.setdefault(limits.enclosure, limits)
        return [*found.values()]

    @property
    def most_matches(self) -> int:
        """How many matches can be played here at once, whatever the cores: one for each GPU.

        Where bots are to have one and there is none, it is 1: the sandbox's proof says so then.
        """
        has_gpu = any(limits.devices for limits in self.sandboxes)
        return max(1, len(gpus())) if has_gpu else sys.maxsize

    @property
    def cores(self) -> int:
        """How many cores a match gets: one for each thread of the bot that has most of them."""
        return max([self.limits.threads, *(self.limits_of(bot).threads for bot in self.grants)])


Key: TypeAlias = tuple[tuple[BotIndex, ...], int]
"""What distinguishes deals: the line-up and the number."""


class Task(msgspec.Struct, frozen=True, array_like=True):
    """A deal to be played in some of its rotations."""

    lineup: tuple[BotIndex, ...]
    number: int
    rotations: tuple[int, ...]
    is_mirrored: bool = True

    @property
    def key(self) -> Key:
        """What distinguishes its deal from others."""
        return tuple(sorted(self.lineup)), self.number

    @property
    def deal(self) -> Deal:
        """The deal."""
        return Deal(self.lineup, self.number, self.is_mirrored)

    @property
    def parts(self) -> "list[Task]":
        """A task for each of its rotations."""
        return [self.of((rotation,)) for rotation in self.rotations]

    def of(self, rotations: tuple[int, ...]) -> "Task":
        """Return a task for some rotations of the same deal."""
        return Task(self.lineup, self.number, rotations, self.is_mirrored)


class Play(msgspec.Struct, frozen=True, tag=True):
    """Play some deals, one match after another."""

    tasks: list[Task]


class Check(msgspec.Struct, frozen=True, tag=True):
    """Start a bot once, to see whether it gets ready."""

    bot: BotIndex


class Renew(msgspec.Struct, frozen=True, tag=True):
    """Go on with a league that was changed, but for its game and limits; keep what bots it can."""

    setup: Setup


class Finish(msgspec.Struct, frozen=True, tag=True):
    """Nothing more is to be done: end."""


class Leave(msgspec.Struct, frozen=True, tag=True):
    """Leave slow matches as they are: they go on in the next run. It is for all slots."""


Work: TypeAlias = Play | Check | Renew
"""What an executor carries out."""

Order: TypeAlias = Work | Finish | Leave


class Up(msgspec.Struct, frozen=True, tag=True):
    """The worker can play: the first that it says."""


class Results(msgspec.Struct, frozen=True, tag=True):
    """Matches were played."""

    matches: list[PlayedMatch]
    lag: float
    """Seconds that the referee took before the asks of these."""


class Failed(msgspec.Struct, frozen=True, tag=True):
    """An error of the game's own code, or of the referee's, stopped a match."""

    task: Task
    rotation: int
    error: str
    """Its traceback, or what a game's program did wrong."""


class Fit(msgspec.Struct, frozen=True, tag=True):
    """A bot gets ready."""

    bot: BotIndex
    memory: int
    """The bytes that it uses then."""


class Unfit(msgspec.Struct, frozen=True, tag=True):
    """A bot does not get ready."""

    bot: BotIndex
    why: str


class StalledError(Exception):
    """A match that cannot go on now, by no bot's doing: it may another time.

    `with_everybody` if no remote bot at all can be reached.
    """

    def __init__(self, why: str, *, with_everybody: bool = False) -> None:
        super().__init__(why)
        self.with_everybody = with_everybody


class Away(msgspec.Struct, frozen=True, tag=True):
    """A remote bot was not there when its match was to begin, or to go on."""

    task: Task
    """What is left to be played of its task."""
    why: str
    """How that was noticed."""
    has_begun: bool
    """Whether anything was answered in the match."""


class News(msgspec.Struct, frozen=True, tag=True):
    """Something that the organizer is to know, as a sentence."""

    text: str

    def __str__(self) -> str:
        return self.text


class Underway(msgspec.Struct, frozen=True, tag=True):
    """How far slow matches are, which take minutes or hours: said now and then."""

    matches: int
    """How many are being played."""
    answers: int
    """How many answers were given in this run."""


class Done(msgspec.Struct, frozen=True, tag=True):
    """The oldest order was carried out."""


class Left(msgspec.Struct, frozen=True, tag=True):
    """The rest of the oldest order is left, as was asked; so will be all other orders."""


class Broken(msgspec.Struct, frozen=True, tag=True):
    """No more can be played, by no fault of a bot: on a worker's machine, or by the workforce."""

    why: str


Word: TypeAlias = (
    Up | Results | Failed | Fit | Unfit | Away | News | Underway | Done | Left | Broken
)

encode = msgspec.msgpack.Encoder().encode
decode_order = msgspec.msgpack.Decoder(Work | Finish).decode
decode_word = msgspec.msgpack.Decoder(Word).decode
decode_order_to = msgspec.msgpack.Decoder(tuple[int, Order]).decode
decode_word_of = msgspec.msgpack.Decoder(tuple[int, Word]).decode
