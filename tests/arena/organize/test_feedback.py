"""`arena feedback`: what an author is sent, and that nothing of anybody else is in it."""

import csv
import shutil
from pathlib import Path

import pytest

from arena.author.verdict import Step
from arena.organize import bundle
from arena.store.opening import open_store, read_played
from tests.arena.conftest import Arena
from tests.arena.organize.conftest import FILE, MakeBot

pytestmark = pytest.mark.usefixtures("inline")

CHATTY = (
    "import kit, guerra_random, sys\n"
    "kit.run({choose}, lambda _: print('{name} thinks aloud', file=sys.stderr))\n"
)


@pytest.fixture
def played(arena: Arena, cup: Path, make_bot: MakeBot) -> Path:
    """A league that was played by ada, by bob, who has faults, and by a third."""
    make_bot("ada", CHATTY.format(name="ada", choose="guerra_random.choose"))
    make_bot("bob", CHATTY.format(name="bob", choose="lambda ask: {'action': 'fly'}"))
    (cup / "league.toml").write_text(
        FILE
        + "".join(f'\n[[bot]]\nname = "{name}"\nfolder = "../{name}"\n' for name in ("ada", "bob"))
        + '\n[[bot]]\nname = "cyd"\nshipped = "rusher"\n'
    )
    assert arena("run", cup).exit_code == 0
    return cup


def files(folder: Path) -> dict[str, str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in found}


def test_each_author_gets_its_own_results_and_matches(arena: Arena, played: Path) -> None:
    told = arena("feedback", played, "back")
    assert told.stdout == "back is written: feedback on 2 bots.\n"  # cyd is a bundled one
    assert sorted(path.name for path in Path("back").iterdir()) == ["ada", "bob"]
    bob = files(Path("back") / "bob")
    assert len(bob) == 2 + 2 * 8
    assert "8 of them as the bot saw them" in " ".join(bob["results.txt"].split())
    assert "0/0/4" in bob["results.txt"]
    assert "\nTo send them again: python3 bot.py < matches/ID.jsonl\n" in bob["results.txt"]
    rows = list(csv.DictReader(bob["matches.csv"].splitlines()))
    assert len(rows) == 8
    assert all("illegal" in row["faults"] for row in rows)
    match = rows[0]["match"]
    shown = bob[f"matches/{match}.txt"]
    assert "FAULT of bob: illegal" in shown
    assert "bob thinks aloud" in shown
    seat = rows[0]["seat"]
    sent = arena("show", played, match, "--messages", "--seat", seat).stdout
    assert bob[f"matches/{match}.jsonl"] == sent


def test_nothing_of_anybody_else_is_in_it(arena: Arena, played: Path) -> None:
    arena("feedback", played, "back")
    league = read_played(played)
    with open_store(league) as store:
        seeds = {store.whole(match).replay.seed for match in store.matches()}
    ada = files(Path("back") / "ada")
    assert any("ada thinks aloud" in text for text in ada.values())
    for name, text in ada.items():
        assert "bob thinks aloud" not in text, name
        assert "FAULT" not in text, name
        assert '"fly"' not in text, name
        assert str(league.settings.seed) not in text, name
        assert not any(seed in text for seed in seeds), name
        assert str(Path.cwd()) not in text, name


def test_the_most_telling_matches_come_first(arena: Arena, played: Path) -> None:
    assert arena("feedback", played, "back", "--bot", "ada", "--most", "3").exit_code == 0
    assert [path.name for path in Path("back").iterdir()] == ["ada"]
    with (Path("back") / "ada" / "matches.csv").open() as lines:
        place = {row["match"]: row["place"] for row in csv.DictReader(lines)}
    lost = {match for match, where in place.items() if where != "1"}
    shown = {path.stem for path in (Path("back") / "ada" / "matches").iterdir()}
    assert len(place) == 8
    assert len(shown) == 3
    assert shown <= lost or lost <= shown
    arena("feedback", played, "all", "--bot", "ada", "--most", "0")
    assert len(list((Path("all") / "ada" / "matches").iterdir())) == 16


@pytest.mark.slow  # another Python's bot is a process
def test_the_command_is_that_of_the_league_but_for_places_of_the_organizers(
    arena: Arena, played: Path
) -> None:
    entry = '\n[[bot]]\nname = "{}"\nfolder = "../ada"\ncommand = ["{}", "bot.py", "two ways"]\n'
    files = 'files = ["bot.py", "kit.py", "guerra_random.py"]\n'
    with (played / "league.toml").open("a") as file:
        for name, python in (("own", "{python}"), ("far", shutil.which("python3"))):
            file.write(entry.format(name, python) + files)
    arena("run", played)
    arena("feedback", played, "back")
    said = {path.parent.name: path.read_text() for path in Path("back").rglob("results.txt")}
    assert "again: python3 bot.py 'two ways' < matches/ID.jsonl" in said["own"]
    assert "again: ./my_bot < matches/ID.jsonl" in said["far"]


def test_a_disqualified_bot_and_one_that_has_not_played(arena: Arena, played: Path) -> None:
    arena("remove", played, "bob", "--because", "it was written by ada")
    with (played / "league.toml").open("a") as file:
        file.write('\n[[bot]]\nname = "new"\nshipped = "turtle"\n')
    arena("feedback", played, "back")
    bob = " ".join((Path("back") / "bob" / "results.txt").read_text().split())
    assert "bob was disqualified: it was written by ada." in bob
    assert len(list((Path("back") / "bob" / "matches").iterdir())) == 16
    assert "./my_bot < matches/ID.jsonl" in bob  # its files may be gone
    arena("feedback", played, "back", "--bot", "new")
    assert "No match of this bot was played." in (Path("back") / "new" / "results.txt").read_text()


def test_mistakes(arena: Arena, cup: Path, played: Path) -> None:
    arena("feedback", played, "back", "--bot", "ada")
    for words, says in (
        (["back", "--bot", "adda"], "there is no bot 'adda' in cup. Did you mean 'ada'?"),
        (["back"], "back/ada/results.txt exists; name a new folder"),
    ):
        told = arena("feedback", played, *words)
        assert (told.exit_code, says in told.stderr) == (2, True)
    assert [path.name for path in Path("back").iterdir()] == ["ada"]
    arena("remove", played, "ada", "bob")
    arena("add", played, "random", "--seconds", "0.1", "--feedback", "checked")
    assert not Path("checked").exists()
    told = arena("feedback", played, "others")
    assert "cup has none but bundled bots, which have no author; name one: --bot." in told.stderr
    (cup / "league.db").unlink()
    assert arena("feedback", played, "fresh").exit_code == 2
    assert not Path("fresh").exists()


def test_a_verdict_does_not_say_where_the_organizer_has_the_bot() -> None:
    for place, said, shown in (
        ("late", "its decision 1: late: too slow", "its decision 1: late: too slow"),
        ("late", "late/bot.py: line 3", "bot.py: line 3"),
        ("late", "translate/bot.py", "translate/bot.py"),
        ("hand-ins/late", "no kit in hand-ins/late", "no kit in the folder"),
        ("hand-ins/late", "hand-ins/late/bot.py, hand-ins/later", "bot.py, hand-ins/later"),
    ):
        found = bundle._without_place(Step("plays", "FAILED", said, [said]), place, None)
        assert (found.detail, found.evidence) == (shown, [shown])
