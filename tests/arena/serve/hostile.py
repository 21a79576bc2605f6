"""All pages of a server, every text on them as bad as strangers can make it."""

from pathlib import Path
from urllib.parse import unquote

import msgspec

from arena.handin.calendar import CalendarChange
from arena.handin.invitations import Invitation
from arena.handin.submissions import SubmissionView
from arena.organize.similar import Alike, AlikeSide, Similar
from arena.serve import pages
from arena.serve.beginning import begin_page, game_page
from arena.serve.brief import GameView, StarterView, game_view, known_languages
from arena.serve.careers import bot_view
from arena.serve.crossing import cross_page, cross_view
from arena.serve.deeds import DEEDS
from arena.serve.pages import LeagueCard, WebVisit, bot_address
from arena.serve.replays import matches_view, own_view, replay_view
from arena.serve.roster import PersonRow, RosterRow
from arena.serve.shown import Calendar, QueueRow
from arena.serve.views import TableView, table_view

EVIL = (
    "</script><script>alert(7)</script><img src=x onerror=alert(8)>\u202egnihton\u202c\x1b[2J"
    "\0\u200b{{7*7}}{% raw %}&lt; 👾 שלום مرحبا\r\n"
)
LONG = "W" * 10_000
WORST = EVIL + LONG + "\n" + EVIL
TIME = "2026-11-25T14:00:00+01:00"
SHORT = "\"'><svg onload=alert(9)>\u202e%2e../#?👾"

SIDE = AlikeSide("", SHORT, 0, 0.31, 0)

CALENDAR = Calendar(
    opens="2026-11-01T00:00:00+01:00",
    freezes="2026-12-01T12:00:00+01:00",
    closes="2026-12-02T12:00:00+01:00",
    release="2026-12-03T12:00:00+01:00",
    per_hour=10,
    per_day=50,
    size_mb=32,
    bots=1,
    final_deals=100,
    seed_hash="0f" * 32,
    changes=[
        CalendarChange(at=TIME, key="closes", old=TIME, new="2026-12-02T12:00:00+01:00"),
        CalendarChange(at=TIME, key=SHORT, old="", new=WORST),
        CalendarChange(at=TIME, key="per_hour", old="20", new=""),
    ],
)
STEPS = [
    {"title": "can be built", "state": "ok", "detail": WORST, "evidence": []},
    {"title": WORST, "state": "FAILED", "detail": "2 of 20", "evidence": [WORST, LONG]},
    {"title": "answers in time", "state": "not tried", "detail": "", "evidence": []},
]
HISTORY = [("received", TIME), ("building", TIME), ("checking", TIME), ("refused", TIME)]


def submission(number: int = 7, **changes: object) -> SubmissionView:
    """Return a submission that was refused, all of its texts hostile unless others are given."""
    values = {
        "author": SHORT,
        "bot": SHORT,
        "state": "refused",
        "received_at": TIME,
        "changed_at": TIME,
        "step": "check",
        "reason": WORST,
        "remedy": WORST,
        "digest": "ab" * 32,
        "size": 12345,
        "version": "0123456789abcdef",
        "steps": STEPS,
        "output": WORST * 3,
        "history": HISTORY,
    }
    return SubmissionView(number=number, **{**values, **changes})  # type: ignore[arg-type]


STARTER = StarterView(
    language="python",
    title="Python",
    bot=SHORT,
    kit="kit.py",
    executable="",
    files={SHORT: f"</textarea>{WORST}"},
)


def wicked_game(folder: Path) -> GameView:
    """Return the game of a league, all of whose texts are hostile."""
    lines = [(True, WORST), (False, EVIL)]
    view = game_view(folder)
    return msgspec.structs.replace(
        view,
        game=SHORT,
        title=WORST,
        score=WORST,
        measures={SHORT: WORST},
        rules=f"# {EVIL}\n\n{WORST}\n\n| {EVIL} |\n|---|\n| {LONG} |\n\n```\n{WORST}\n```\n",
        options=[msgspec.structs.replace(row, meaning=WORST) for row in view.options],
        decisions={SHORT: [("", WORST), ("  ", WORST)]},
        opening=lines,
        asks={SHORT: lines},
    )


def league_pages(folder: Path, visit: WebVisit) -> dict[str, str]:
    """Return the pages of a league by their paths, as the author of all its bots sees them."""
    home = f"/{visit.league}"
    table = table_view(folder)
    found = {
        f"{home}/": pages.table_page(visit, table, CALENDAR, state=WORST, waiting=3),
        f"{home}/matches": pages.matches_page(visit, matches_view(folder, limit=5)),
        f"{home}/cross-table": cross_page(visit, cross_view(folder), [table.rows[0]["bot"]]),
        f"{home}/game": game_page(visit, wicked_game(folder)),
    }
    for row in table.rows:
        address = unquote(bot_address("", visit.league, row["bot"]))
        found[address] = pages.bot_page(
            visit,
            bot_view(folder, row["bot"]),
            own=own_view(folder, row["bot"]),
            matches=matches_view(folder, bot=row["bot"], limit=20),
        )
    match = matches_view(folder, faulty=True).rows[0]
    found[f"{home}/matches/{match.id}"] = pages.replay_page(visit, replay_view(folder, match.id))
    return found | server_pages(visit, table)


def server_pages(visit: WebVisit, table: TableView) -> dict[str, str]:
    """Return the pages that show no matches, by their paths."""
    home = f"/{visit.league}"
    card = LeagueCard(
        name=visit.league, game=table.game, bots=4, matches=1234, calendar=CALENDAR, state=WORST
    )
    waiting = [QueueRow(bot=SHORT, state="building", since=TIME)] * 3
    organizer = WebVisit(league=visit.league, name=SHORT, role="organizer", csrf="c", replays=True)
    return {
        "/": pages.leagues_page(WebVisit(), [card, card]),
        f"{home}/queue": pages.queue_page(visit, waiting),
        f"{home}/calendar": pages.calendar_page(visit, CALENDAR),
        f"{home}/begin": begin_page(visit, game=SHORT, is_bundled=True, address=LONG),
        f"{home}/hand-in": pages.hand_in_page(
            visit,
            CALENDAR,
            starter=STARTER,
            languages=known_languages(),
            own=[SHORT, LONG[:40]],
            problem=WORST,
            remedy=WORST,
        ),
        f"{home}/submissions": pages.submissions_page(organizer, [submission(), submission(8)]),
        f"{home}/submissions/7": pages.submission_page(visit, submission()),
        f"{home}/enter": pages.enter_page(
            WebVisit(league=visit.league), problem=WORST, remedy=WORST
        ),
        f"{home}/organize": pages.organize_page(
            organizer,
            bots=[RosterRow(bot=SHORT, state="suspended", why=WORST)],
            authors={SHORT: SHORT},
            people=[PersonRow(name=SHORT, role="author", since=TIME, bots=[SHORT], invitation=1)],
            invitations=[Invitation(1, 30, 2, TIME, "2099-12-24T12:00:00+00:00", "")],
            queue=[],
            words=[WORST],
        ),
        f"{home}/organize/disqualify": pages.ask_page(
            organizer, DEEDS["disqualify"], SHORT, problem=WORST
        ),
        f"{home}/similar": pages.similar_page(
            organizer,
            Similar(2, 2, [Alike("same form", AlikeSide(SHORT, SHORT, 7, 1.0, 3), SIDE, 99)], 1),
        ),
        f"{home}/join": pages.join_page(
            WebVisit(league=visit.league),
            problem=WORST,
            remedy=WORST,
            invitation=WORST,
            name=WORST,
        ),
        f"{home}/gone": pages.error_page(visit, WORST, WORST),
    }
