"""What is said of a league before it is played: how much it plays, what to change, its seed.

And whether it can be played here at all.
"""

from collections.abc import Iterable, Iterator

from arena.cli.saying import say
from arena.league.plan import LeaguePlan
from arena.league.seed import is_guessable
from arena.schedule.deal import first_bots
from arena.stats.ratings import FEWEST_DEALS
from arena.text import counted
from referee.limits import Limits
from referee.sandbox import SandboxError, check_cores, check_here
from referee.sandbox.devices import check_devices
from referee.sandbox.users import first_user

_OF_BWRAP = ("processes", "scratch_mb")  # limits of what no other sandbox has
_WORTH_SAYING = 1.25  # times the matches of mirrored deals


def tell_plan(league: LeaguePlan, missing: int, workers: int | None) -> None:
    """Say how many matches are to be played, and by how many `workers` of this machine, if any.

    How long that takes is said while they are played: before, nobody knows how long the bots think.
    """
    if not missing:
        is_empty = not league.goes_by_results and not league.asked.deal_count
        hint = "The league has no matches to play: raise its deals or its share."
        say(hint if is_empty else "Nothing is missing.")
        return
    what = "slot" if league.limits.pace == "slow" else "worker"
    where = " in this round" if league.goes_by_results else ""
    who = f", with {counted(workers, what)}" if workers else ""
    say(f"{counted(missing, 'match', 'matches')} to play{where}{who}.")


def foreseen(league: LeaguePlan) -> Iterator[str]:
    """Yield what should be changed before a league is played, as its table would say too little."""
    lineup = first_bots(len(league.bots))
    worth = league.rules.mirroring if league.rules else None
    is_worth_it = worth is None or worth >= _WORTH_SAYING
    if is_worth_it and league.rotation_count > 1 and not league.is_mirrored(lineup):
        saved = f"up to {worth:g} times fewer" if worth else "fewer"
        yield (
            f"Each match of bots that are not bundled has cards of its own, so that nobody meets "
            f"cards that he has seen. If you trust all authors, write mirror = true into the file: "
            f"it takes {saved} matches to separate near equals."
        )
    if league.goes_by_results:
        return
    deals = round(league.asked.deal_count * league.seats / len(league.bots))
    if deals < FEWEST_DEALS:
        yield (
            f"Each bot plays {counted(deals, 'deal')}, and with fewer than {FEWEST_DEALS} no bot "
            f"is ranked above another: raise deals in the file."
        )


def tell_unplayable(cores: int, limits: Limits) -> None:
    """Say why matches with such limits, and so many cores for each, cannot be played here, if so.

    It is no error: they may be played elsewhere.
    """
    try:
        check_cores(cores)
        if limits.remote:
            return
        if limits.devices:
            check_devices(first_user(None))
        check_here(limits, None)
    except SandboxError as error:
        say(f"It cannot be played here: {error}")


def tell_idle(keys: Iterable[str], sandbox: str) -> None:
    """Say which of some limits do nothing in a sandbox."""
    if sandbox != "bwrap" and (idle := [key for key in keys if key in _OF_BWRAP]):
        counts = "count" if idle[1:] else "counts"
        say(f"{' and '.join(idle)} {counts} in bwrap alone: the sandbox is {sandbox}.")


def warn_guessable(league: LeaguePlan) -> None:
    """Warn if the seed may be found by trying, and the authors of bots may be strangers."""
    if not is_guessable(league.settings.seed) or all(bot.is_bundled for bot in league.bots):
        return
    say(
        f"Warning: the seed of {league.folder} is so short that authors of bots may find it by "
        f"trying, and with it all cards. If you do not know these authors, make a new league "
        f"without --seed, which draws a seed."
    )
