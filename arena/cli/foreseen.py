"""What is said of a league before it is played: how much it plays, what it separates, its seed.

And whether it can be played here at all.
"""

from collections.abc import Iterable, Iterator

from arena.cli.saying import say
from arena.league.plan import LeaguePlan
from arena.league.seed import is_guessable
from arena.schedule.deal import first_bots
from arena.stats.elo import elo_of
from arena.stats.foresight import least_share
from arena.text import counted
from referee.limits import Limits
from referee.sandbox import SandboxError, check_cores, check_here
from referee.sandbox.devices import check_devices
from referee.sandbox.users import first_user

_SUREST = 0.99  # of the points: beyond, a lead in Elo means nothing
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
    """Yield how much better a bot must be than another to be separated, if that is known.

    It is not where bots meet by a plan that is not even, or where nothing is left to chance, so
    that deals may repeat each other, or everything.
    """
    yield from _dealt_apart(league)
    game = league.game
    if league.settings.tournament != "round-robin" or game.is_pure_luck or not game.has_chance:
        return
    bots = len(league.bots)
    deals = league.asked.deal_count * league.seats / bots
    share = least_share(deals, bots=bots, seats=league.seats, matches=league.rotation_count)
    if share is None or share > _SUREST:
        yield f"Each bot plays about {counted(round(deals), 'deal')}: too few to separate any bots."
        return
    yield (
        f"Each bot plays about {counted(round(deals), 'deal')}: in five of six such leagues, they "
        f"separate two bots of which one takes {100 * share:.0f} % of the points against the "
        f"other, a lead of {elo_of(share):.0f} Elo."
    )


def _dealt_apart(league: LeaguePlan) -> Iterator[str]:
    """Yield what it costs that the rotations of deals have cards of their own, if some have."""
    lineup = first_bots(len(league.bots))
    if league.is_mirrored(lineup) or league.rotation_count == 1:
        return
    worth = league.rules.mirroring if league.rules else None
    apart = (
        "Matches of bots that are not bundled have cards of their own, so that nobody meets cards "
        "that he has seen"
    )
    if worth is not None and worth < _WORTH_SAYING:
        yield f"{apart}; in this game, mirrored deals would hardly save any."
        return
    saved = f"up to {worth:g} times" if worth else "more of"
    yield (
        f"{apart}. Among near equals, the same error bars take {saved} the matches of mirrored "
        f"deals. For authors that you trust, write mirror = true into the file."
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
