"""Every command that one asks about a bot says why it does not play."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.cli.rating import rated
from arena.serve.careers import bot_view
from arena.serve.views import table_view
from arena.store.opening import open_store, read_played
from arena.watch import Watcher
from tests.arena.conftest import Arena

BOT = "illegal"


def suspended(league: Path) -> None:
    with open_store(plan := read_played(league)) as store:
        [row] = store.bots.rows([bot for bot in plan.bots if bot.name == BOT])
        store.bots.suspend(row, "forfeited 10 matches in a row for want of time")


def disqualified(league: Path) -> None:
    rewritten(league, 'name = "illegal"', 'name = "illegal"\ndisqualified = "it copied"')


def lost(league: Path) -> None:
    rewritten(league, "bots/naughty", "bots/nowhere")


def rewritten(league: Path, before: str, after: str) -> None:
    file = league / "league.toml"
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))


STATES: dict[Callable[[Path], None], tuple[str, str]] = {
    suspended: (
        "illegal was suspended: it forfeited 10 matches in a row for want of time.",
        "it forfeited 10 matches in a row for want of time.",
    ),
    disqualified: ("illegal was disqualified: it copied.", "illegal was disqualified: it copied."),
    lost: ("Bot 'illegal': there is no folder", "illegal cannot be run"),
}
"""The ways not to play, each with what commands say, and what pages say to everybody."""
COMMANDS = {
    "rank": ("rank", "LEAGUE"),
    "table": ("table", "LEAGUE"),
    "matches": ("matches", "LEAGUE", "--bot", BOT),
    "why": ("why", "LEAGUE", BOT),
    "show": ("show", "LEAGUE", "MATCH"),
    "grant": ("grant", "LEAGUE"),
    "feedback": ("feedback", "LEAGUE", "DIR", "--bot", BOT, "--most", "1"),
}


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize("command", [*COMMANDS, "rank --live", "pages"])
@pytest.mark.parametrize("state", STATES)
def test_the_reason_is_told(
    state: Callable[[Path], None], command: str, arena: Arena, copy: Path, tmp_path: Path
) -> None:
    if state is suspended:
        rewritten(copy, "deals = 2", "deals = 3")  # else nothing of its is missing
    state(copy)
    told, in_public = STATES[state]
    if command == "pages":
        view = bot_view(copy, BOT)
        said = [*table_view(copy).notes, view.suspended or view.disqualified]
        assert in_public in " ".join(said)
        return
    if command == "rank --live":  # which goes on while matches are missing
        assert told in " ".join(Watcher(copy, rated).look().disqualified)
        return
    listed = arena("matches", copy, "--bot", BOT, "--most", "1", "--format", "json").stdout
    words = {
        "LEAGUE": copy,
        "MATCH": json.loads(listed)["matches"][0]["match"],
        "DIR": tmp_path / "back",
    }
    result = arena(*(words.get(word, word) for word in COMMANDS[command]))
    assert result.exit_code == 0, result.output
    said = result.stdout
    if command == "feedback":
        said = (tmp_path / "back" / BOT / "results.txt").read_text()
    assert told in " ".join(said.split())
