"""What pages show beside results: the calendar, submissions and the queue, as plain values."""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from arena.handin.calendar import CalendarChange
from arena.handin.submissions import State, Submission, SubmissionView
from arena.league.contest import HandIn


class Calendar(msgspec.Struct, frozen=True, kw_only=True):
    """When bots are taken and results shown: times in ISO 8601 with a zone, empty if not set."""

    opens: str = ""
    freezes: str = ""
    closes: str = ""
    release: str = ""
    per_hour: int = 0
    per_day: int = 0
    size_mb: int = 0
    bots: int = 0
    """How many bots each author may have."""
    seed_hash: str = ""
    """The hash of the final's seed, from the opening on; empty if there is no such final."""
    seed: str = ""
    """The final's seed, once it is published."""
    final_deals: int = 0
    """How many deals each line-up of the final has; 0 if there is none."""
    changes: list[CalendarChange] = []
    """The newest first."""


class Milestone(msgspec.Struct, frozen=True, kw_only=True):
    """One of the stages of a submission, as it stands."""

    name: str
    look: Literal["done", "now", "failed", "left"]
    words: str = ""
    at: str = ""
    """When it began, in ISO 8601; empty if it did not."""


class QueueRow(msgspec.Struct, frozen=True, kw_only=True):
    """A submission that is not decided yet, as everybody sees it."""

    bot: str
    """Empty for what is only a check: that is its author's affair."""
    state: State
    since: str
    """When it was received, in ISO 8601."""


def calendar_of(
    hand_in: HandIn, changes: Sequence[CalendarChange], *, seed_hash: str = "", seed: str = ""
) -> Calendar:
    """Return the calendar of a league; `changes` are those that were logged, newest first."""
    moments = {
        name: moment.isoformat() if (moment := getattr(hand_in, name)) else ""
        for name in ("opens", "freezes", "closes", "release")
    }
    return Calendar(
        **moments,
        per_hour=hand_in.per_hour,
        per_day=hand_in.per_day,
        size_mb=hand_in.size_mb,
        bots=hand_in.bots,
        final_deals=hand_in.final_deals or 0,
        seed_hash=seed_hash,
        seed=seed,
        changes=list(changes),
    )


_MILESTONES: tuple[tuple[State, str, str], ...] = (
    ("received", "Received", "unpack"),
    ("building", "Built", "build"),
    ("checking", "Checked", "check"),
    ("playing", "Playing", "enter"),
)


def milestones(submission: SubmissionView) -> list[Milestone]:
    """Return how far a submission came, stage by stage; what is only a check has no last one."""
    began = dict(submission.history)
    stages = _MILESTONES[:-1] if submission.only_check else _MILESTONES
    reached = max((n for n, (state, *_) in enumerate(stages) if state in began), default=0)
    ended = submission.state in ("checked", "refused", "replaced")
    if submission.state == "refused":
        steps = [step for *_, step in stages]
        reached = steps.index(submission.step) if submission.step in steps else reached
    found = []
    for number, (state, name, _) in enumerate(stages):
        look: Literal["done", "now", "failed", "left"] = "left" if number > reached else "done"
        words = ""
        if number == reached and submission.state == "refused":
            look, words = "failed", "refused"
        elif number == reached and not ended and state != "playing":
            look, words = "now", "now, since"
        found.append(Milestone(name=name, look=look, words=words, at=began.get(state, "")))
    return found


def submission_view(submission: Submission, progress: str = "") -> SubmissionView:
    """Return a submission as it is shown: without where it lies, and with how it is getting on."""
    view = msgspec.convert(submission, SubmissionView, from_attributes=True)
    return msgspec.structs.replace(view, progress=progress)


def queue_view(submissions: Iterable[SubmissionView]) -> list[QueueRow]:
    """Return submissions that wait, as everybody sees them: nothing says whose they are."""
    return [
        QueueRow(bot="" if one.only_check else one.bot, state=one.state, since=one.received_at)
        for one in submissions
    ]


class RemoteRow(msgspec.Struct, frozen=True, kw_only=True):
    """A bot that runs on its author's machine, and how it is connected now."""

    bot: str
    state: Literal["connected", "away"]
    slots: int
    """How many matches it plays at once."""
    trip_ms: float | None = None
    """The round trip to its author's machine and back, in milliseconds, once it was measured."""


def connected(rows: Iterable[RemoteRow]) -> list[str]:
    """Return the bots that are connected."""
    return [row.bot for row in rows if row.state == "connected"]
