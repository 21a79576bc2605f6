"""The doors of a league's bots: what each may ask, as far as the league allows it."""

import json
from collections.abc import Iterator

from arena.league.plan import LeaguePlan
from protocol.errors import ArenaError
from referee.allowed import all_allowed
from referee.limits import Limits


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
