"""The remote bots of a league, which run on their authors' machines: where there may be some."""

from arena.league.bot import Bot
from arena.league.command import REMOTE
from arena.league.plan import LeaguePlan
from arena.text import toml
from protocol.errors import ArenaError
from referee.rules.options import SettingError

_SLOW = (
    'a remote bot is waited for without CPU: add pace = "slow" to [limits], and a move_time of '
    "some seconds"
)


def check_remotes(league: LeaguePlan) -> None:
    """Raise ArenaError if all bots of a league would be remote, or if none could be that may."""
    if league.limits.remote:
        raise SettingError(
            "remote",
            "single bots are remote, never all: take it out of [limits]; grants = { remote = true "
            "} in [hand_in] lets authors connect theirs.",
        )


def check_hand_in(league: LeaguePlan) -> None:
    """Raise ArenaError if authors may connect remote bots, which could not play."""
    if league.hand_in.most.remote and league.limits.pace != "slow":
        raise SettingError("grants", f"grants has remote = true, and {_SLOW}.")


def check_remote(bot: Bot, league: LeaguePlan) -> None:
    """Raise ArenaError if a bot is remote and may not be, or cannot be, or is not and should be."""
    is_let = league.limits_of(bot).remote
    if is_let and not bot.remote_digest:
        raise ArenaError(
            f"bot {bot.name!r} has remote = true, and runs here: its command is "
            f"{toml(list(bot.command))}. Take remote out; `arena connect` enters remote bots."
        )
    if bot.remote_digest and not is_let:
        raise ArenaError(
            f"bot {bot.name!r} runs on its author's machine, as its command {REMOTE} says: add "
            f"remote = true to it, which all tables show, or take it out."
        )
    if is_let and league.limits.pace != "slow":
        raise ArenaError(f"bot {bot.name!r} is remote, and {_SLOW}.")
