"""Which stored matches are wanted, and in which order: by their results, of which there are few."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from arena.store.database import Database
from arena.store.rows import BotVersion, SeatedResult

Ending = Literal["won", "drawn", "lost"]


class MatchChoice(NamedTuple):
    """Which matches are wanted; what is left out does not matter."""

    bot: str | None = None
    against: str | None = None
    """Another bot, against which the first one is to have sat."""
    ending: Ending | None = None
    """How it is to have ended for the bot: held against the other one, or against all others."""
    faulty: bool = False
    """Whether the bot, or without one anybody, is to have had a fault."""
    closest: bool = False
    """Whether the narrowest come first; otherwise they come by deal."""


EVERY_MATCH = MatchChoice()


class Pairing(NamedTuple):
    """Two seats of the matches that had a result, of which the first is looked at."""

    result: int
    own: int
    other: int
    lead: int
    """By how many places the first is better than the second."""
    rival: int = 0
    """A number for whoever sat in the second."""


def ending_of(lead: int) -> Ending:
    """Return how a match ended for a bot that is so many places better than another."""
    return "lost" if lead < 0 else "won" if lead else "drawn"


def pairings(results: Mapping[int, SeatedResult], choice: MatchChoice) -> Iterator[Pairing]:
    """Yield, for each result that a choice allows, the seat of its bot and that of its rival.

    That is the best of those it is held against; without a bot, the best two seats are held
    against each other. In larger matches it has won if nobody was better and somebody worse.
    """
    for number, (bots, places) in ((n, (each.bots, each.places)) for n, each in results.items()):
        seats = sorted(range(len(bots)), key=places.__getitem__)  # the best first
        names = [bot.name for bot in bots]
        if choice.bot is not None:
            if choice.bot not in names:
                continue
            own = names.index(choice.bot)
            seats.remove(own)
            seats = [own, *(s for s in seats if choice.against in (None, names[s]))]
            if len(seats) == 1:
                continue
        own, best, worst = seats[0], seats[1], seats[-1]
        lead = places[best] - places[own]
        ended = ending_of(lead or places[worst] - places[own])
        if choice.ending in (None, ended):
            yield Pairing(number, own, best, lead)


def encountered(
    results: Mapping[int, SeatedResult], bot: BotVersion, rivals: Mapping[BotVersion, int]
) -> Iterator[Pairing]:
    """Yield the seats of a bot and of each rival that it met, by result; rivals are numbered."""
    for number, result in results.items():
        if bot in result.bots:
            own = result.bots.index(bot)
            for seat, each in enumerate(result.bots):
                if seat != own and each in rivals:
                    lead = result.places[seat] - result.places[own]
                    yield Pairing(number, own, seat, lead, rivals[each])


_NAMES = ", ".join(Pairing._fields)
_OF_JSON = ", ".join(
    f"json_extract(value, '$[{number}]')" for number in range(len(Pairing._fields))
)
_TAKE = f"INSERT INTO pairing ({_NAMES}) SELECT {_OF_JSON} FROM json_each(?)"  # noqa: S608
_MAKE = f"""
    CREATE TEMP TABLE pairing (
        {" INTEGER, ".join(Pairing._fields)} INTEGER, PRIMARY KEY (result, rival)
    ) WITHOUT ROWID
"""


def take_pairings(db: Database, found: Iterable[Pairing]) -> None:
    """Let queries find pairings, and only these, by `OF_PAIRINGS`.

    They stand in a table of this connection: a list within a query has no index, and would be read
    through for every match.
    """
    db.execute("DROP TABLE IF EXISTS temp.pairing")
    db.execute(_MAKE)
    db.execute(_TAKE, (json.dumps([*found], separators=(",", ":")),))


OF_PAIRINGS = "CROSS JOIN pairing ON pairing.result = match.result"
OWN_FAULTS = "json_extract(match.faults, '$[' || pairing.own || ']') <> '{}'"
"""Whether the bot of a pairing had a fault in a match that had faults."""
_APART = (
    "abs(json_extract(match.scores, '$[' || pairing.own || ']') - "
    "json_extract(match.scores, '$[' || pairing.other || ']'))"
)
CLOSEST = f"match.scores IS NULL, {_APART}, abs(pairing.lead), match.decisions DESC"
"""The order in which the narrowest match comes first.

By what both scored, where that was counted; else, and where it is equal, by their places; then the
longer one is the narrower.
"""
CLEAREST = f"{_APART} DESC, abs(pairing.lead) DESC, match.decisions"
"""The other way round; without scores, as after a forfeit, a match comes last here too."""
