"""What bots reach outside of their sandboxes: through doors, or from their authors' machines."""

import json
from collections.abc import Iterator

from arena.league.bot import Bot
from arena.league.command import REMOTE
from arena.league.plan import LeaguePlan
from arena.text import toml
from protocol.errors import ArenaError
from referee.allowed import all_allowed
from referee.limits import Limits
from referee.rules.options import SettingError

_SLOW = (
    'a remote bot is waited for without CPU: add pace = "slow" to [limits], and a move_time of '
    "some seconds"
)


def check_door(who: str, limits: Limits, league: LeaguePlan) -> None:
    """Raise ArenaError if one may ask what the league does not allow, or cannot wait for answers.

    `who` has these limits: a bot, or every one.
    """
    if not limits.door:
        return
    has = f"{who} has door = {json.dumps(limits.door)}"
    if league.door is None:
        example = json.dumps(limits.door)
        raise ArenaError(f"{has}, and the league has no [door]: add one, with allow = {example}.")
    allowed = all_allowed(league.door.allow).values()
    for entry in all_allowed(limits.door).values():
        if not any(each.covers(entry) for each in allowed):
            raise ArenaError(
                f"{has}, and [door] does not allow {str(entry)!r}: add it to allow there, or take "
                "it out."
            )
    if league.limits.pace != "slow":
        raise ArenaError(
            f'{has}, and whoever asks through a door waits without CPU: add pace = "slow" to '
            f"[limits], and a move_time of a minute or so."
        )


def idle_keys(league: LeaguePlan) -> Iterator[str]:
    """Yield what is to be said of keys of a door that are for nobody in the league."""
    names = {*(bot.name for bot in league.bots), *(bot.name for bot in league.disqualified)}
    for name in sorted(set(league.door.bot_keys) - names) if league.door else ():
        yield f"bot_keys of [door] has a key for {name!r}, which is no bot of the league yet."


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
