"""The doors of a league's bots: whom each may ask, as far as the league allows it."""

import json

from arena.league.plan import LeaguePlan
from protocol.errors import ArenaError
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
    for name in limits.door:
        if name not in league.door.allow:
            raise ArenaError(
                f"{has}, and [door] does not allow {name!r}: add it to allow there, or take it out."
            )
    if league.limits.pace != "slow":
        raise ArenaError(
            f'{has}, and whoever asks through a door waits without CPU: add pace = "slow" to '
            f"[limits], and a move_time of a minute or so."
        )
