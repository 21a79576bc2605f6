"""Leagues whose deals begin with openings: played, killed, shared out, verified, shown, fixed."""

import json
import shutil
import zlib
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from arena.archive.feed import feed_of
from arena.archive.saved import read_match
from arena.library import League as Library
from arena.report.frames import frames_of
from arena.store.opening import read_league
from arena.store.result import digest_of
from arena.store.store import Store
from referee.games import GAMES
from referee.match.replay import Replay
from referee.rules.options import new_game, read_options
from tests.arena.archive.test_verify import change, found
from tests.arena.author.test_uci_bridge import engine, made
from tests.arena.conftest import Arena, League
from tests.arena.play.sandboxed_leagues import TWO
from tests.golden import Golden
from tests.referee.sandbox.sandboxed import need

pytest.importorskip("pyspiel", reason="OPENSPIEL IS NOT TESTED HERE: it is missing")
pytestmark = pytest.mark.usefixtures("inline")

GAME = "openspiel:connect_four"
HEAD = f"""\
game = "{GAME}"
seed = "openings"
deals = 4
limits = {{ sandbox = "none", startup = 30.0 }}
"""
DRAWN = "opening = { plies = 4 }\n"
FROM_A_BOOK = 'opening = { file = "../book.txt" }\n'
BOOK = "x3 o3\nx0 o0\nx1 o5 x2\nx6 o6\n"
TAKES = "import kit\nkit.run(lambda ask: ask.legal[{0}])\n"


def bots(league: League) -> str:
    takes = {"first": "0", "last": "-1", "mid": "len(ask.legal) // 2"}
    for name in takes:
        shutil.rmtree(league.home / name, ignore_errors=True)
    return "".join(league.bot(name, TAKES.format(which)) for name, which in takes.items())


def begun(league: League, head: str) -> dict[str, Replay]:
    league.write(head + bots(league))
    league.call("run", "--workers", "1")
    return played(league)


def played(league: League) -> dict[str, Replay]:
    return {match.id: replay for match, replay in league.stored()}


def test_a_deal_begins_alike_in_all_its_rotations_and_repeats_little(league: League) -> None:
    head = HEAD.replace("deals = 4", "deals = 3")
    begun(league, head)
    assert json.loads(league.rank())["repeats"] == 12
    (league.folder / "league.db").unlink()
    replays = begun(league, DRAWN + head)
    assert json.loads(league.rank())["repeats"] < 4
    assert len(replays) == 18
    deals = defaultdict(list)
    for match, replay in league.stored():
        deals[match.deal].append(replay)
    for one, other in deals.values():
        assert one.opening == other.opening
        assert one.opening is not None
        assert [seat for seat, _ in one.opening.moves] == [0, 1, 0, 1]
        assert one.entries != other.entries
    assert len({str(replay.opening) for replay in replays.values()}) > 6
    assert found(league.folder) == []


def test_what_begins_a_deal_is_fixed_once_it_was_played(
    arena: Arena, league: League, golden: Golden
) -> None:
    (book := league.home / "book.txt").write_text(BOOK)
    begun(league, FROM_A_BOOK + HEAD.replace("deals = 4", "deals = 1"))
    text = (league.folder / "league.toml").read_text()
    for head in ("", DRAWN, FROM_A_BOOK):
        if head == FROM_A_BOOK:
            book.write_text("# the same\n" + BOOK.replace(" ", "  "))
            league.write(text)
            league.call("run")
            book.write_text(BOOK.replace("x6", "x5"))
        league.write(text.replace(FROM_A_BOOK, head))
        said = [arena(word, league.folder).stderr for word in ("run", "rank")]
        assert said[0] == said[1]
        golden(said[0])
    book.unlink()
    golden(arena("run", league.folder).stderr)
    assert arena("rank", league.folder).exit_code == 0
    verified = arena("verify", league.folder)
    assert verified.exit_code == 0
    assert "The openings could not be compared with their book" in verified.stdout


def exported(arena: Arena, league: League) -> Path:
    league.call("run")
    assert arena("export", league.folder, league.home / "cup.jsonl").exit_code == 0
    return league.home / "cup.jsonl"


def test_a_league_with_a_book_is_not_made_of_its_export_alone(arena: Arena, league: League) -> None:
    game = new_game(GAMES["cold_war"], 4, read_options(GAMES["cold_war"], {}), "1")
    moves = (game.read(seat, game.sample(seat, Random(1))) for seat in game.deciders())
    (league.home / "book.txt").write_text(" ".join(map(json.dumps, moves)))
    four = "".join(f'\n[[bot]]\nname = "r{n}"\nshipped = "random"\n' for n in range(4))
    head = HEAD.replace(GAME, "cold_war").replace("deals = 4", "deals = 1\nmatches = 4")
    league.write(f"seats = 4\n{FROM_A_BOOK}{head}{four}")
    made_it = arena("import", new := league.home / "new", exported(arena, league))
    assert made_it.exit_code == 2
    assert "results do not hold the book of its openings: put its league.toml" in made_it.stderr
    assert not new.exists()


def test_a_league_of_drawn_openings_is_made_of_its_export(arena: Arena, league: League) -> None:
    head = HEAD.replace(GAME, "khan").replace("deals = 4", "deals = 2")
    league.write(f"opening = {{ plies = 2, open = 0.9 }}\n{head}{TWO}")
    file = exported(arena, league)
    assert arena("import", new := league.home / "new", file).exit_code == 0
    assert "[opening]\nplies = 2\nopen = 0.9\n" in (new / "league.toml").read_text()
    assert found(new) == []
    league.write((league.folder / "league.toml").read_text().replace("plies = 2", "plies = 3"))
    assert "[opening] had plies = 2, not 3" in arena("run", league.folder).stderr
    lines = file.read_text().splitlines()
    line = json.loads(lines[1])
    del line["replay"]["opening"]
    file.write_text("\n".join([lines[0], json.dumps(line), *lines[2:]]) + "\n")
    damaged = arena("import", league.home / "newer", file)
    assert "its opening is missing, or too many" in damaged.stderr


def swapped(opening: Any) -> Any:
    """Return an opening in another order of the first two moves of a seat, if that is one.

    It does not matter to the match, and all fits but that it is not the opening of the deal.
    """
    one, other, third, last = opening["moves"]
    columns = [move["action"] for _, move in opening["moves"]]
    is_other = columns[0] != columns[2] and {*columns[::2]}.isdisjoint(columns[1::2])
    return {"moves": [third, other, one, last]} if is_other else None


@pytest.mark.slow
def test_what_is_no_opening_of_its_deal_is_found(league: League) -> None:
    """Though all that follows from it is stored, too."""
    begun(league, DRAWN + HEAD.replace("deals = 4", "deals = 2"))
    database = league.folder / "league.db"
    with Store(database) as store:
        packed = [store.whole(match).record.replay for match in store.matches()]
    of_it = "(SELECT id FROM record WHERE replay = ?)"
    whole = database.read_bytes()
    for opening, says in (
        (swapped, 'its opening: {"moves":[[0,{"action":'),
        (lambda _: {"position": "x"}, "cannot begin from a position"),
        (lambda _: None, "whether it has an opening: False is stored, and it should be True"),
    ):
        for each in packed:
            replay = json.loads(zlib.decompress(each))
            if (new := opening(replay.pop("opening"))) is not None or opening is not swapped:
                break
        data = json.dumps(replay | ({"opening": new} if new else {})).encode()
        moves = digest_of(msgspec.json.decode(data, type=Replay))
        change(league.folder, f"UPDATE match SET moves = ? WHERE record = {of_it}", moves, each)
        packing = zlib.compress(data)
        change(league.folder, "UPDATE record SET replay = ? WHERE replay = ?", packing, each)
        [(_, problem)] = found(league.folder)
        assert says in problem
        database.write_bytes(whole)


def test_an_opening_is_shown_before_the_first_decision(arena: Arena, league: League) -> None:
    (league.home / "book.txt").write_text("x3 o3 x2\n")
    begun(league, FROM_A_BOOK + HEAD.replace("deals = 4", "deals = 1"))
    match = next(match for match, _ in league.stored())
    names = [bot.name for bot in match.bots]
    shown = arena("show", league.folder, match.id).stdout
    moves = f"[{names[0]}] x3, [{names[1]}] o3, [{names[0]}] x2"
    assert f"Opening, before the first decision: {moves}" in " ".join(shown.split())
    assert shown.index("Opening,") < shown.index("   1 ")
    of_one = arena("show", league.folder, match.id, "--seat", 1).stdout
    assert f"Opening, before the first decision: [{names[1]}] o3\n" in of_one
    told = json.loads(arena("show", league.folder, match.id, "--format", "json").stdout)
    assert told["opening"]["position"] == ""
    last = {"seat": 0, "bot": names[0], "move": {"action": 2}, "words": "x2"}
    assert told["opening"]["moves"][2] == last
    assert told["decisions"][0]["seat"] == 1
    plan = read_league(league.folder)
    with Store(plan.database) as store:
        opened = store.whole(match)
    asked = next(feed_of(plan, opened, 1).asks())
    assert asked.view["history"] == [3, 3, 2]
    assert plan.rules is not None
    frames = frames_of(opened, plan.rules)
    assert [each["words"] for each in frames["opening"]["moves"]] == ["x3", "o3", "x2"]
    assert frames["problem"] is None


@pytest.mark.parametrize("words", [("--opening-file", "book.txt"), ("--opening-plies", "6")])
def test_a_single_match_has_an_opening_too(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("book.txt").write_text("x3 o3\n")
    match = ("play", GAME, "random", "random", "--sandbox", "none", "--save", "match.json")
    shown = arena(*match, *words).stdout
    opening = read_match(Path("match.json")).opened().replay.opening
    assert opening is not None
    moves = " [random#0] x3, [random#1] o3\n" if words[1] == "book.txt" else ""
    assert len(opening.moves) == (2 if moves else 6)
    for text in (shown, arena("show", "match.json").stdout):
        assert f"Opening, before the first decision:{moves}" in text


def test_a_table_that_is_wrong_is_refused(arena: Arena, league: League, golden: Golden) -> None:
    (league.folder / "b.txt").write_text("x3 o3\ne4\n")
    (league.folder / "b.epd").write_text("# positions\n8/8/8/8/8/8/8/8 w - -\n")
    entries = bots(league)
    for opening in (
        *("{ }", "{ plie = 4 }", "{ plies = 0 }", "{ plies = 101 }", "{ plies = 4, open = 1.5 }"),
        *('{ file = "b.txt", open = 0.6 }', '{ file = "none.txt" }', '{ file = "b.epd" }'),
        *('{ file = "b.txt" }', "{ plies = 60 }", "{ plies = 4, open = 0.4 }", "4"),
    ):
        league.write(f"opening = {opening}\n{HEAD}{entries}")
        golden(error := arena("run", league.folder).stderr)
        assert len(error.splitlines()) == 1


def test_init_writes_where_the_book_lies_and_leaves_nothing_of_a_wrong_one(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("book.txt").write_text(BOOK)
    words = ("random", "one=random", "--game", GAME)
    assert arena("init", "a/cup", *words, "--opening-file", "book.txt").exit_code == 0
    assert '[opening]\nfile = "../../book.txt"\n' in Path("a/cup/league.toml").read_text()
    wrong = arena("init", "b/cup", *words, "--opening-file", "none.txt")
    assert (wrong.exit_code, "cannot be read" in wrong.stderr) == (2, True)
    Path("book.txt").write_text("x3\nx9\n")
    wrong = arena("init", "b/cup", *words, "--opening-file", "book.txt")
    assert "book.txt:2: move 1, 'x9', is not legal there." in wrong.stderr
    assert not Path("b").exists()
    Library.make("c", GAME, ["random", "one=random"], opening={"plies": 3, "open": 0.6})
    assert "[opening]\nplies = 3\nopen = 0.6\n" in Path("c/league.toml").read_text()


def test_a_run_says_that_no_opening_is_open(league: League) -> None:
    head = HEAD.replace("deals = 4", "deals = 1")
    league.write(f"opening = {{ plies = 1, open = 0.5 }}\n{head}{bots(league)}")
    said = league.call("run").stderr
    assert "none of 20 openings that were drawn is open" in " ".join(said.split())
    assert said.count("none of 20") == 1
    assert found(league.folder) == []


@pytest.mark.slow
def test_a_chess_engine_begins_from_the_positions_of_a_book(arena: Arena, league: League) -> None:
    need("bwrap")
    fish = made(league.home, "fish", ("NODES = 0", "NODES = 300"))
    positions = [
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -",
        "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/8/PPP2PPP/RNBQKB1R w KQkq -",
    ]
    (league.home / "book.epd").write_text("".join(f'{each} id "x";\n' for each in positions))
    league.folder = league.home / "cup"
    words = ("--game", "openspiel:chess", "--sandbox", "bwrap", "--deals", 2, "--seed", "engines")
    made_it = arena(
        "init", league.folder, fish, "random", *words, "--opening-file", league.home / "book.epd"
    )
    assert made_it.exit_code == 0, made_it.output
    league.call("run", "--workers", "1")
    replays = played(league)
    assert {replay.opening.position for replay in replays.values() if replay.opening} == {
        f"{each} 0 1" for each in positions
    }
    points = json.loads(league.rank())["standings"]
    assert [(row["bot"], row["faults"]) for row in points] == [("fish", {}), ("random", {})]
    assert found(league.folder) == []
    assert engine("fish")
