"""The list of matches as people see it."""

from dataclasses import replace

from arena.store.rows import BotVersion, StoredMatch
from arena.tables.match_list import MatchList
from arena.tables.table import Table, render
from referee.catalog.identity import Source, facts_of
from referee.games import GAMES
from tests.golden import Golden

BOTS = ("ada", "bob", "a-long-name")
MATCH = StoredMatch(
    id="5f82d5acb75cbf3c-0",
    deal="5f82d5acb75cbf3c",
    number=0,
    order=None,
    rotation=0,
    bots=tuple(BotVersion(name, "0123") for name in BOTS),
    places=(1, 3, 2),
    reason="all_cards",
    decisions=146,
    faults=({}, {}, {}),
    forfeits=(),
    moves=7,
    scores=(54, 0, 0),
)


def shown(form: str = "simple", match: StoredMatch = MATCH) -> list[str]:
    listed = MatchList(
        facts_of(GAMES["steal_war"], Source("steal_war", "bundled")), lambda _: "landlock (ABI 6)"
    )
    present = {(bot.name, bot.version) for bot in match.bots}
    rows = list(listed.rows([match], present))
    return render(Table("matches", listed.columns, rows), form).splitlines()


def test_scores_and_places_stand_beside_the_names(golden: Golden) -> None:
    golden("\n".join(shown()))
    long = replace(MATCH, bots=(*MATCH.bots[:2], BotVersion("a-name-of-20-letters", "0123")))
    golden("\n".join(shown(match=long)))
    for form in ("github", "tsv"):  # for programs
        assert "1 ada, 3 bob, 2 a-long-name" in "".join(shown(form))
