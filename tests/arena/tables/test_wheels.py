"""Which bots were not run with the same wheels everywhere, below every table."""

import sqlite3
from contextlib import closing
from pathlib import Path

from arena.league.file import read_asked
from arena.store.rows import BotVersion
from arena.store.store import Store
from arena.store.wheels import with_wheels
from arena.tables.circumstances import kinds_of, wheels
from arena.tables.facet import FacetSource
from arena.text import PLAIN
from tests.golden import Golden

ONE, OTHER = "1" * 32, "2" * 32


def played(league: Path, *where: tuple[str, str]) -> None:
    """Say of the matches of a league, in turn, in which sandboxes and where they were played."""
    with closing(sqlite3.connect(league / "league.db")) as db, db:
        for number, (sandbox, machine) in enumerate(where):
            words = "UPDATE record SET sandbox = ?, machine = ? WHERE (id - 1) % ? = ?"
            db.execute(words, (sandbox, machine, len(where), number))


def test_machines_on_which_a_bot_had_other_wheels_are_named_with_its_matches(
    copy: Path, golden: Golden
) -> None:
    league = read_asked(copy, "read")
    one, two, *_ = (BotVersion(bot.name, bot.version) for bot in league.bots)
    titles = {bot: bot.name for bot in (one, two)}
    usual = "landlock (ABI 7)"

    def around(digest: str, version: str = one.version) -> str:
        return f"{with_wheels(usual, digest, version)} and {usual}"

    assert kinds_of(around(ONE)) == ("landlock",)
    with Store(league.database) as store:
        source = FacetSource(league, store, titles, {}, PLAIN)
        played(copy, (around(ONE), "m1"), (around(ONE), "m2"), (usual, "m2"))
        assert wheels(source) is None
        gone = "0" * 16
        played(copy, (around(ONE, two.version), "m1"), (around(OTHER), "m1"), (usual, "m1"))
        assert wheels(source) is None
        played(copy, (around(ONE, gone), "m1"), (around(OTHER, gone), "m2"))
        assert wheels(source) is None
        played(copy, (around(ONE), "m1"), (around(OTHER), "m2"), (around(OTHER), "m1"))
        found = wheels(source)
    assert found
    [said] = found.notes
    golden(said)
    assert found.facts["wheels"][one.name][0] == {
        "wheels": "11111111",
        "machine": "m1",
        "matches": 4,
    }
