"""How a run is to be played, what workers are told of it, and who they are."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.league.bot import Bot
from arena.league.files import LEAGUE_FILE
from arena.league.plan import LeaguePlan
from arena.play.building import AllBuilt
from arena.play.local import IdleWorkers, LocalWorkforce, check_workers, usable_cores
from arena.play.messages import Setup
from arena.play.missing import WHOLE, Outstanding, Part
from arena.play.remotes import ConnectedBots
from arena.play.workforce import Workforce
from arena.schedule.deal import LIVE_PROCESSES, BotIndex, first_bots, numbered
from arena.store.under_way import MatchesUnderWay
from arena.text import quoted
from protocol.errors import ArenaError, installing
from referee.catalog.identity import code_of
from referee.door import keys_of
from referee.door.terms import OUTAGE_WAIT
from referee.rules.game import Game
from referee.sandbox.errors import SandboxError
from referee.sandbox.sources import too_large


class RunTerms(NamedTuple):
    """How a run is to be played."""

    workers: int | None = None
    """How many matches this machine plays at once; None for one on each core."""
    sandbox_uid: int | None = None
    """As for a `Launcher`."""
    part: Part = WHOLE
    cluster: str | None = None
    """The scheduler of the Dask cluster that plays; None if this machine does."""
    seconds: float | None = None
    """After which no match begins; None if they are not bounded."""
    out: Mapping[str, str] = {}
    """The bots that have lost what they have not played, by key, and why."""
    is_closed: bool = False
    """Whether no bots are taken any more, so that nobody is waited for without end."""
    idle: IdleWorkers | None = None
    """The workers of the run before, which are kept for the next one; None to keep none."""
    connected: ConnectedBots | None = None
    """Which remote bots are there; without it, none ever plays."""


def setup_of(
    league: LeaguePlan,
    built: AllBuilt,
    terms: RunTerms,
    unreached: Mapping[BotIndex, str],
    replaced: int = 0,
) -> Setup:
    """Return what workers are told of a run with bots that were built.

    `unreached` says of bots why they cannot be played now. So many of the last are `replaced`.
    """
    assert league.rules is not None
    is_sent = terms.cluster is not None
    present = len(league.bots) - replaced
    out = {
        index: terms.out[bot.key]
        for index, bot in numbered(league.bots[:present])
        if bot.key in terms.out
    }
    unbuilt = {**(_oversized(league, built) if is_sent else {}), **built.failed, **unreached}
    return Setup(
        game=league.game.source,
        code="" if league.game.source.kind == "bundled" else code_of(league.rules),
        options=dict(league.options),
        limits=league.limits,
        schedule=league.schedule,
        names=[bot.name for bot in league.bots],
        programs=[] if is_sent else built.programs,
        grants={index: bot.grant for index, bot in numbered(league.bots) if bot.grant.given},
        remotes=remotes_of(league),
        wheels={index: bot.wheels for index, bot in numbered(built.bots) if bot.wheels},
        has_chance=league.game.has_chance,
        opening=league.opening,
        unbuilt={bot: why for bot, why in unbuilt.items() if bot not in out},
        out=out,
        replaced=first_bots(len(league.bots))[present:],
        build=league.build,
        environments=league.environments,
        outage_wait=OUTAGE_WAIT if league.door is None else league.door.outage_wait,
        sandbox_uid=terms.sandbox_uid,
    )


def remotes_of(league: LeaguePlan) -> dict[BotIndex, str]:
    """Return the digest of what runs at its author's of each remote bot."""
    return {index: bot.remote_digest for index, bot in numbered(league.bots) if bot.remote_digest}


class Staff(NamedTuple):
    """Who plays a run."""

    force: Workforce
    at_once: int | None
    """How many matches are played at once, if that is known beforehand."""
    processes: int
    """How many of bots each worker keeps, where memory suffices."""


def staff_of(
    league: LeaguePlan,
    setup: Setup,
    built: AllBuilt,
    todo: Outstanding,
    terms: RunTerms,
) -> Staff:
    """Return who is to play, not started yet; raise ArenaError if nobody can."""
    check_workers(terms.workers)
    kept = min(LIVE_PROCESSES, len(league.bots) * league.rotation_count)
    if terms.cluster is not None:
        assert league.rules is not None
        return Staff(on_cluster(setup, league.rules, built.bots, terms.cluster), None, kept)
    if league.limits.pace == "slow":
        most = todo.deals * league.rotation_count
        slots = min(league.limits.slots, most, setup.most_matches)
        home = None if terms.connected is None else terms.connected.home
        return Staff(_slots(setup, built.ready, slots, league, home), slots, league.seats)
    places = _places(league, terms.workers, setup)[: todo.deals] if todo.matches else []
    return Staff(LocalWorkforce(setup, built.ready, places, terms.idle), len(places), kept)


def _places(league: LeaguePlan, workers: int | None, setup: Setup) -> list[tuple[int, ...]]:
    """Return the cores of each worker; by default, a match with a GPU has that to itself.

    Raises SandboxError, with the bots that ask for more cores than there are.
    """
    try:
        places = usable_cores(workers, setup.cores)
    except SandboxError as error:
        names = [bot.name for bot in league.bots if bot.grant.threads == setup.cores]
        if not names:
            raise
        word = quoted(league.folder)
        raise SandboxError(
            f"bot {names[0]!r}: {error.what} `arena grant {word} {quoted(names[0])} threads=` "
            f"takes that back.",
            "cores",
        ) from None
    return places[: setup.most_matches] if workers is None else places


def _slots(
    setup: Setup, bots: Sequence[Bot], slots: int, league: LeaguePlan, home: Path | None
) -> Workforce:
    """Return the slots of a slow league; raise ArenaError without the keys of its door."""
    from arena.play.slow.doors import Doorkeeper
    from arena.play.slow.workforce import SlotWorkforce

    keeper = None
    asking = [bot for bot in league.bots if league.limits_of(bot).door]
    if slots and asking and league.door is not None:
        terms = league.door.within(min(league.limits_of(bot).decision_seconds for bot in asking))
        try:
            keys = keys_of(league.door, os.environ, [bot.name for bot in asking])
        except ArenaError as error:
            raise ArenaError(f"{league.folder / LEAGUE_FILE}: [door]: {error}") from None
        with MatchesUnderWay(league.folder) as under_way:
            keeper = Doorkeeper(terms, keys, under_way.spent(), len(asking))
    return SlotWorkforce(setup, bots, slots, league.folder, keeper, home)


def _oversized(league: LeaguePlan, built: AllBuilt) -> dict[BotIndex, str]:
    """Return the bots whose files are larger than they may be, and why: they are not even sent."""
    found = {}
    for index, bot in numbered(built.bots):
        if why := too_large(bot.paths, bot.grant.of(league.limits).files_mb):
            found[index] = f"cannot be sent: {why.rstrip('.')}"
    return found


def on_cluster(setup: Setup, game: type[Game], bots: Sequence[Bot], address: str) -> Workforce:
    """Return the workers of a Dask cluster; raise ArenaError if its library is not installed."""
    try:
        from arena.play.cluster.bundle import with_code
        from arena.play.cluster.client import ClusterWorkforce
    except ModuleNotFoundError as error:
        raise ArenaError(
            f"--cluster needs Dask ({error.name} is missing): {installing('cluster')}."
        ) from None
    return ClusterWorkforce(with_code(setup, game), bots, address)
