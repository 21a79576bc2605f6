"""What the commands share that change the bots of a league."""

from collections.abc import Sequence
from pathlib import Path

from arena.cli.saying import say
from arena.folders import User, player_of
from arena.league.plan import LeaguePlan
from arena.text import composed, league_words, quoted
from protocol.errors import ArenaError
from referee.rules.options import suggestion


def called_bots(plan: LeaguePlan, names: Sequence[str]) -> list[str]:
    """Return bots by the names that a league calls them; raise ArenaError if one is not there."""
    for name in names:
        check_known(plan, name)
    return list(dict.fromkeys(map(composed, names)))


def check_known(plan: LeaguePlan, name: str) -> None:
    """Raise ArenaError, with the name that may be meant, if a league has no bot of a name."""
    names = plan.names.values()
    if composed(name) not in names:
        known = (
            suggestion(name, names)
            if names
            else f"It has no bots: `arena add {quoted(plan.folder)} BOT...` enters some."
        )
        where = league_words(plan.folder)
        raise ArenaError(f"there is no bot {name!r} in {where}. {known}")


def tell_run(league: Path) -> None:
    """Say what becomes of a change if the league is being played now."""
    match player_of(league):
        case User(process, is_server=True):
            told = (
                f"`arena serve` plays this league (process {process}), and takes the change by "
                f"itself, after the matches that are being played."
            )
        case User(process):
            told = (
                f"A run is going on (process {process}) with the bots that it began with. Stop it "
                f"with Ctrl-C and run again, or run again when it has ended."
            )
        case None:
            return
    say(told)


def is_served(league: Path) -> bool:
    """Return whether `arena serve` plays a league now."""
    user = player_of(league)
    return user is not None and user.is_server
