"""The pages of a server as HTML, made from what they show; no script or style stands in them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, urlencode

import msgspec
from markupsafe import Markup

from arena.handin.invitations import Invitation
from arena.handin.submissions import Submission, SubmissionView
from arena.organize.similar import Similar
from arena.report import charts
from arena.report.templates import FOLDER as REPORT
from arena.report.templates import environment
from arena.serve.brief import KnownLanguage, StarterView
from arena.serve.careers import BotView, RatedPoint, Version
from arena.serve.deeds import Deed
from arena.serve.replays import MatchesView, OwnView, ReplayView
from arena.serve.roster import PersonRow, RosterRow
from arena.serve.shown import Calendar, QueueRow, milestones
from arena.serve.views import Row, TableView
from arena.stats.elo import Elo
from arena.tables.elo import elo_text, rating_text

HERE = Path(__file__).with_name("page")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy under which all pages work."""

_REPORT_ASSETS = ("report.css", "viewer.css", "board.js", "tables.js", "viewer.js")
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class WebVisit(msgspec.Struct, frozen=True, kw_only=True):
    """Who looks at a page, and at which league."""

    root: str = ""
    """What stands before every path, such as /arena behind a proxy; without a slash at its end."""
    league: str = ""
    """The league's name in addresses; empty on pages that are about no single one."""
    name: str = ""
    """Who entered; empty for a stranger."""
    role: Literal["", "reader", "author", "organizer"] = ""
    csrf: str = ""
    """What forms send back as `csrf`, and scripts as the header X-CSRF-Token."""
    replays: bool = False
    """Whether this visitor may look at all matches."""
    frozen: str = ""
    """From when on results are held back from all but organizers, in ISO 8601, if they are."""
    final: bool = False
    """Whether there is a final that this visitor may see."""


class LeagueCard(msgspec.Struct, frozen=True, kw_only=True):
    """A league in the list of all."""

    name: str
    game: str
    bots: int
    matches: int
    calendar: Calendar = Calendar()
    state: str = ""
    """What is going on, in a few words."""


@dataclass(frozen=True)
class Asset:
    """A file that pages refer to; its address changes with its content."""

    content: bytes
    kind: str
    """Its media type."""
    tag: str
    """A hash of the content."""


@cache
def assets() -> Mapping[str, Asset]:
    """Return the files below /static/, by name; browsers may keep them for ever."""
    paths = [REPORT / name for name in _REPORT_ASSETS]
    paths += [path for path in sorted(HERE.iterdir()) if path.suffix in _TYPES]
    return {path.name: _asset(path) for path in paths}


def _asset(path: Path) -> Asset:
    content = path.read_bytes()
    kind = _TYPES[path.suffix]
    return Asset(content, f"{kind}; charset=utf-8", hashlib.sha256(content).hexdigest()[:16])


def leagues_page(visit: WebVisit, leagues: Sequence[LeagueCard]) -> str:
    """Return the list of the leagues of a server."""
    return rendered("leagues.html", visit, leagues=leagues)


def table_page(
    visit: WebVisit,
    table: TableView,
    calendar: Calendar,
    *,
    state: str = "",
    waiting: int = 0,
    remote: Sequence[str] = (),
    is_final: bool = False,
) -> str:
    """Return the live table of a league, or that of its final.

    `state` says what is going on, in a sentence, `waiting` how many submissions are not decided
    yet, and `remote` which bots are connected that run on their authors' machines.
    """
    return rendered(
        "table.html",
        visit,
        table=table,
        calendar=calendar,
        state=state,
        waiting=waiting,
        remote=remote,
        is_final=is_final,
        axis=charts.Axis(table.rows),
        many_groups=any(row["group"] > 1 for row in table.rows),
        less_is_better=table.less_is_better,
    )


def bot_page(
    visit: WebVisit,
    view: BotView,
    *,
    own: OwnView | None = None,
    matches: MatchesView | None = None,
) -> str:
    """Return the page of a bot.

    `own` is for its author and the organizer, and `matches` for those who may look at them.
    """
    points = [point for point in view.points if point.ratings]
    titles = [each.title for each in view.versions]
    is_elo = any(point.elo for point in points)
    return rendered(
        "bot.html",
        visit,
        view=view,
        own=own,
        matches=matches,
        points=points,
        titles=[title for title in titles if any(title in point.ratings for point in points)],
        rating_at=partial(_rating_at, is_elo=is_elo),
        over_time="Elo" if is_elo else "Rating",
        rated=_rated(view.versions),
        picture=_safe(view.picture),
    )


def _rating_at(point: RatedPoint, title: str, *, is_elo: bool) -> str:
    """Return what a version was rated at a point, on the scale of all; empty if it was not."""
    if title not in (point.elo if is_elo else point.ratings):
        return ""
    if is_elo:
        return elo_text(Elo(*point.elo[title]))
    rating, error = point.ratings[title]
    return rating_text({"rating": rating, "error": error})


def _rated(versions: Sequence[Version]) -> list[Row]:
    """Return the ratings of versions as rows of a table have them: on Elo's scale if any is."""
    is_elo = any(each.elo is not None for each in versions)
    keys = ("rating", "error", "elo", "elo_error")[: 4 if is_elo else 2]
    return [{key: getattr(each, key) for key in keys} for each in versions]


def matches_page(visit: WebVisit, matches: MatchesView) -> str:
    """Return a list of matches."""
    chosen = {
        "bot": matches.bot,
        "against": matches.against,
        "faulty": "1" if matches.faulty else "",
    }
    older = {**{key: value for key, value in chosen.items() if value}, "before": matches.older}
    return rendered("matches.html", visit, matches=matches, older=urlencode(older))


def replay_page(visit: WebVisit, view: ReplayView) -> str:
    """Return a match that can be stepped through."""
    payload = Markup(view.payload.replace("<", "\\u003c"))  # noqa: S704 - JSON, no tag in it
    return rendered("replay.html", visit, view=view, payload=payload)


def queue_page(visit: WebVisit, queue: Sequence[QueueRow], *, hook_trouble: str = "") -> str:
    """Return the submissions that are not decided yet.

    `hook_trouble` says what is wrong with the hook, for organizers.
    """
    return rendered("queue.html", visit, queue=queue, hook_trouble=hook_trouble)


def hand_in_page(
    visit: WebVisit,
    calendar: Calendar,
    *,
    starter: StarterView | None = None,
    languages: Sequence[KnownLanguage] = (),
    own: Sequence[str] = (),
    problem: str = "",
    remedy: str = "",
    closed: str = "",
) -> str:
    """Return the forms with which bots are handed in: a text field, and files.

    The text field holds the program of the `starter`, one of those in some `languages`. `own` are
    the bots that the author has; `problem` and `remedy` say why the last attempt was not taken, and
    `closed` why nothing is taken now.
    """
    return rendered(
        "hand_in.html",
        visit,
        calendar=calendar,
        starter=starter,
        languages=languages,
        own=own,
        problem_said=problem,
        remedy=remedy,
        closed=closed,
    )


def submissions_page(visit: WebVisit, submissions: Sequence[SubmissionView]) -> str:
    """Return the list of submissions: an author's own ones, or all for an organizer."""
    return rendered("submissions.html", visit, submissions=submissions)


def submission_page(visit: WebVisit, submission: SubmissionView) -> str:
    """Return a submission with its steps, and why it was refused if it was."""
    return rendered("submission.html", visit, submission=submission, way=milestones(submission))


def enter_page(visit: WebVisit, *, problem: str = "", remedy: str = "") -> str:
    """Return the page that takes a token: typed, or from the address after #."""
    return rendered("enter.html", visit, problem_said=problem, remedy=remedy)


def join_page(
    visit: WebVisit,
    *,
    problem: str = "",
    remedy: str = "",
    invitation: str = "",
    name: str = "",
    token: str = "",
) -> str:
    """Return the page that takes an invitation, and the name under which somebody comes.

    `invitation` and `name` are what was sent before, if something was wrong with the name. With a
    token, it is that of an author who was just made, and shown only now.
    """
    return rendered(
        "join.html",
        visit,
        problem_said=problem,
        remedy=remedy,
        invitation=invitation,
        name=name,
        token=token,
    )


def organize_page(
    visit: WebVisit,
    *,
    bots: Sequence[RosterRow],
    authors: Mapping[str, str],
    people: Sequence[PersonRow],
    invitations: Sequence[Invitation],
    queue: Sequence[Submission],
    words: Sequence[str],
) -> str:
    """Return what an organizer does with a league: its bots, people and invitations.

    `authors` are those of bots that were handed in, by bot, and `words` what is wrong, if anything.
    """
    return rendered(
        "organize.html",
        visit,
        bots=bots,
        authors=authors,
        people=people,
        invitations=invitations,
        queue=queue,
        words=words,
    )


def ask_page(
    visit: WebVisit, deed: Deed, of: str, *, problem: str = "", done: str = "", link: str = ""
) -> str:
    """Return the page that asks whether a deed is to be done, or says that it was.

    `link` is that of an invitation, which is shown only now.
    """
    return rendered("ask.html", visit, deed=deed, of=of, problem_said=problem, done=done, link=link)


def similar_page(visit: WebVisit, similar: Similar) -> str:
    """Return which programs of different authors are alike, for organizers."""
    return rendered("similar.html", visit, similar=similar)


def calendar_page(visit: WebVisit, calendar: Calendar) -> str:
    """Return when bots are taken and results shown, and what was changed of that."""
    return rendered("calendar.html", visit, calendar=calendar)


def error_page(visit: WebVisit, what: str, remedy: str = "") -> str:
    """Return what is shown in place of a page that cannot be: what is wrong, and what to do."""
    return rendered("error.html", visit, what=what, remedy=remedy)


def league_address(root: str, league: str, *parts: str | int) -> str:
    """Return an address in a league; without parts, that of its table."""
    return "/".join((root, quote(league, safe=""), *map(str, parts or ("",))))


def bot_address(root: str, league: str, bot: str) -> str:
    """Return the address of a bot's page.

    Browsers take a bot called . or .. for a step in the path, so its name follows as `bot`.
    """
    home = league_address(root, league, "bots", "")
    if set(bot) <= {"."}:
        return f"{home}?{urlencode({'bot': bot})}"
    return home + quote(bot, safe="")


def rendered(template: str, visit: WebVisit, **values: Any) -> str:
    """Return the page of a template, with what all pages need beside the `values`."""
    root, league = visit.root, visit.league
    api = f"{root}/api/leagues/{quote(league, safe='')}"
    found = environment(HERE, REPORT).get_template(template)
    text = found.render(
        visit=visit,
        asset=lambda name: f"{root}/static/{name}?{assets()[name].tag}",
        home=partial(league_address, root, league),
        league_href=partial(league_address, root),
        bot_href=partial(bot_address, root, league),
        events=f"{api}/events",
        api=f"{api}/submissions",
        league_api=api,
        **values,
    )
    return text + "\n"


def _safe(svg: str) -> Markup:
    return Markup(svg)  # noqa: S704 - shapes and escaped text only
