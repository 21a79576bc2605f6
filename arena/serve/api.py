"""What the API of a server takes and gives, as JSON, with the schema of it."""

from typing import Any, Literal

import msgspec

from arena.handin.submissions import SubmissionView
from arena.serve.brief import GameView
from arena.serve.careers import BotView
from arena.serve.crossing import CrossView
from arena.serve.replays import MatchesView, OwnView, ReplayView
from arena.serve.shown import Calendar, QueueRow, RemoteRow
from arena.serve.views import TableView


class WebProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Why something was refused, and what can be done."""

    step: str = ""
    """The step of a submission at which it was; empty for what is no submission."""
    what: str
    """What was wrong, in a sentence."""
    remedy: str = ""
    """What to do about it, in a sentence."""
    can_retry: bool = False
    """Whether the same again can help."""
    again_at: str | None = None
    """From when on it can help, in ISO 8601, if that is known."""


class ProblemAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer with every status from 400 on."""

    error: WebProblem


class LeagueEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A league in the list of all that the server keeps."""

    league: str
    game: str
    phase: Literal["before", "open", "closed"]
    """Whether bots are not taken yet, or taken, or not taken any more."""
    bots: int


class LeaguesAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The leagues of a server; GET /api/leagues."""

    leagues: list[LeagueEntry]


class You(msgspec.Struct, frozen=True, kw_only=True):
    """Whose token or session it is."""

    name: str
    role: Literal["author", "organizer", "reader"]


class LeagueAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A league; GET /api/leagues/{league}."""

    league: str
    game: str
    seats: int
    phase: Literal["before", "open", "closed"]
    bots: list[str]
    state: str
    """What is going on, in a sentence."""
    frozen: str = ""
    """From when on results are held back from all but organizers, in ISO 8601, if they are."""
    queued: int
    """Submissions that are not decided yet."""
    calendar: Calendar
    you: You | None = None
    """None for a stranger."""
    open_to_remote: bool
    """Whether bots may play from their authors' machines."""
    remotes: list[RemoteRow] = []
    """Those that do, by name; none while results are held back."""


class TableAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The leaderboard; GET /api/leagues/{league}/table."""

    table: TableView
    frozen: str = ""
    """From when on results are held back, in ISO 8601, if this is the table as it was then."""


class FinalAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The leaderboard of the final; GET /api/leagues/{league}/final."""

    table: TableView
    seed_hash: str
    """The SHA-256 of its seed."""
    seed: str = ""
    """The seed itself, once it is published."""


class BotAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A bot; GET /api/leagues/{league}/bots/{bot}."""

    bot: BotView
    own: OwnView | None = None
    """What its author and the organizer see besides."""


class GameAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The game: rules, options, limits, what is asked; GET /api/leagues/{league}/game."""

    game: GameView


class CrossAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The cross-table; GET /api/leagues/{league}/cross-table."""

    cross_table: CrossView
    frozen: str = ""
    """From when on results are held back, in ISO 8601, if this is the table as it was then."""


class MatchesAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Matches; GET /api/leagues/{league}/matches?bot=&against=&faulty=&before=."""

    matches: MatchesView


class ReplayAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A match; GET /api/leagues/{league}/matches/{id}."""

    replay: ReplayView


class SubmissionAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A submission; POST .../submissions?bot=NAME gives it with 202, GET .../{number} with 200."""

    submission: SubmissionView


class SubmissionsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One's own submissions, an organizer's are all; GET /api/leagues/{league}/submissions."""

    submissions: list[SubmissionView]


class QueueAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What is not decided yet, in turn; GET /api/leagues/{league}/queue."""

    queue: list[QueueRow]
    hook_trouble: str = ""
    """What is wrong with the hook, in sentences, for organizers."""


ANSWERS: tuple[type[msgspec.Struct], ...] = (
    LeaguesAnswer,
    LeagueAnswer,
    TableAnswer,
    FinalAnswer,
    CrossAnswer,
    GameAnswer,
    BotAnswer,
    MatchesAnswer,
    ReplayAnswer,
    SubmissionAnswer,
    SubmissionsAnswer,
    QueueAnswer,
    ProblemAnswer,
)


def api_schema() -> dict[str, Any]:
    """Return the JSON Schema of all answers, by name."""
    _, components = msgspec.json.schema_components(ANSWERS, ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The API of a served league",
        "$defs": components,
    }
