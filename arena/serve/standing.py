"""The ranks of a table, as the messenger takes them, which tells who was overtaken."""

import msgspec


class RankedBot(msgspec.Struct, frozen=True):
    """What of a row says where its bot stands."""

    bot: str
    group: int
    rank: tuple[int, int] | None
    version: str | None = None


class _Ranked(msgspec.Struct):
    rows: list[RankedBot]


_read = msgspec.json.Decoder(_Ranked).decode


def ranks_of(table: bytes) -> bytes:
    """Return version, first and last rank of each bot with a rank, by its name, as JSON.

    There are none while bots are in groups that never met: ranks of such do not compare.
    """
    rows = _read(table).rows
    are_compared = all(row.group == 1 for row in rows)
    ranks = {row.bot: [row.version or "", *row.rank] for row in rows if row.rank and are_compared}
    return msgspec.json.encode({"ranks": ranks})
