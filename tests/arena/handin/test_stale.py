"""An editor saves a copy of league.toml that is older than what was handed in."""

from pathlib import Path

import pytest

from arena.handin import submissions
from arena.handin.database import HandIns
from arena.handin.entries import folders
from arena.handin.people import Person
from arena.handin.stale import (
    PutBack,
    disqualify,
    last_put_back,
    lost_words,
    put_back,
    remember,
    retire_replaced,
    settle,
    take_out,
)
from arena.handin.submissions import Submission, get
from arena.league.edit import add_bot, replace_bot, set_keys
from arena.league.file import read_asked
from protocol.errors import ArenaError
from tests.arena.conftest import Arena
from tests.arena.handin.conftest import person, receive
from tests.golden import Golden


def plays(db: HandIns, author: Person, bot: str = "", **more: object) -> Submission:
    """Let something be handed in and play, as the intake would after its check."""
    one = receive(db, read_asked(db.league), author, bot, b"#!/bin/sh\n", "bot.sh")
    folder = f"handed-in/{one.bot}/{one.number}"
    home = db.league / folder
    home.mkdir(parents=True)
    (home / "bot.toml").write_text('command = ["./bot.sh"]\n')
    (home / "bot.sh").write_text(f"#!/bin/sh\n# {one.number}\n")
    (home / "bot.sh").chmod(0o755)
    submissions.note(db, one.number, folder=folder, version=str(one.number))
    entry = {"name": one.bot, "folder": folder, **more}
    remember(db, one.number, entry)
    is_there = one.bot in folders(db.league)
    (replace_bot(db.league, one.bot, entry) if is_there else add_bot(db.league, entry))
    submissions.accept(db, one.number)
    return get(db, one.number)


@pytest.fixture
def ada(db: HandIns) -> Person:
    return person(db, "ada")


def read(cup: Path) -> str:
    return (cup / "league.toml").read_text()


def test_a_bot_that_came_meanwhile_is_put_back_and_other_changes_stay(
    db: HandIns, ada: Person, cup: Path, golden: Golden
) -> None:
    old = read(cup)
    one = plays(db, ada, memory_mb=512)
    set_keys(cup, "ada", {"disqualified": "it was copied"})
    assert put_back(db) is None  # and knows by now what was changed in the entry
    whole = read_asked(cup)
    (cup / "league.toml").write_text(old.replace("deals = 1", "deals = 3  # more"))
    golden(lost_words(cup))
    found = settle(cup)
    assert found is not None
    golden(found.words("cup"))
    now = read_asked(cup)
    assert (now.names, now.disqualified) == (whole.names, whole.disqualified)
    assert "deals = 3  # more" in read(cup)
    assert "memory_mb = 512" in read(cup)
    assert (lost_words(cup), last_put_back(db)) == ("", found)
    assert settle(cup) is None
    assert get(db, one.number).state == "playing"


def test_an_older_version_gives_way_to_the_one_that_plays(
    db: HandIns, ada: Person, cup: Path
) -> None:
    plays(db, ada)
    set_keys(cup, "ada", {"name": "castle", "key": "ada"})
    old = read(cup)
    set_keys(cup, "castle", {"name": "ada", "key": None})
    second = plays(db, ada)
    (cup / "league.toml").write_text(old.replace('name = "castle"', 'name = "Burg" # hers'))
    found = put_back(db)
    assert found is not None
    assert found.bots == ["Burg"]
    assert folders(cup)["Burg"] == second.folder
    assert 'name = "Burg" # hers' in read(cup)


def test_what_the_organizer_takes_out_or_replaces_is_no_loss(
    db: HandIns, ada: Person, cup: Path
) -> None:
    first, second = plays(db, ada), plays(db, person(db, "ben"))
    take_out(cup, ["ada"])
    assert (get(db, first.number).state, lost_words(cup)) == ("replaced", "")
    replace_bot(cup, "ben", {"name": "ben", "shipped": "random"})
    assert put_back(db) is None
    assert retire_replaced(db) == [second.number]
    assert put_back(db) is None
    assert sorted(read_asked(cup).names) == ["ben", "house", "older"]


def test_what_stays_after_a_refused_removal_still_plays(
    db: HandIns, ada: Person, cup: Path
) -> None:
    one = plays(db, ada)
    for names in (["ada", "nobody"], ["nobody"]):
        with pytest.raises(ArenaError, match="there is no bot 'nobody'"):
            take_out(cup, names)
    assert get(db, one.number).state == "playing"
    assert "ada" in folders(cup)


def test_what_cannot_be_put_back_is_refused_and_named(
    db: HandIns, ada: Person, cup: Path, golden: Golden
) -> None:
    """Another bot has a name that looks like it by now, or the bots are written otherwise."""
    old = read(cup)
    plays(db, ada)
    (cup / "league.toml").write_text(f'{old}\n[[bot]]\nname = "\u0430da"\nshipped = "random"\n')
    assert put_back(db) is None  # an entry that looks like it has its name: it was replaced
    inline = 'game = "guerra"\nseed = 1\nbot = [{name = "a", shipped = "random"}]\n'
    (cup / "league.toml").write_text(inline)
    with pytest.raises(ArenaError) as error:
        put_back(db)
    golden(str(error.value))
    assert read(cup) == inline


def test_what_is_being_entered_is_not_taken_for_a_loss(db: HandIns, ada: Person, cup: Path) -> None:
    """Between the new entry and the note that it plays, the old one still does."""
    first = plays(db, ada)
    text = read(cup).replace(first.folder, "handed-in/ada/99")
    (cup / "league.toml").write_text(text)
    assert put_back(db) is None
    assert retire_replaced(db) == []
    assert get(db, first.number).state == "playing"


def test_commands_name_the_loss_and_a_lost_bot_can_be_taken_out(
    db: HandIns, ada: Person, cup: Path, arena: Arena, golden: Golden
) -> None:
    old = read(cup)
    plays(db, ada)
    (cup / "league.toml").write_text(old)
    golden(arena("rank", cup).stderr)
    assert read(cup) == old
    result = arena("remove", cup, "ada")
    assert result.exit_code == 0, result.stderr
    assert (lost_words(cup), "ada" in folders(cup)) == ("", False)


def test_an_older_copy_undoes_no_disqualification(
    db: HandIns, ada: Person, cup: Path, arena: Arena, golden: Golden
) -> None:
    plays(db, ada)
    old = read(cup)
    disqualify(cup, "ada", "it was copied")
    for times in range(2):  # where no server looks between
        (cup / "league.toml").write_text(old)
        lost = lost_words(cup)
        found = put_back(db)
        assert found is not None
        assert (found.bots, found.excluded) == ([], ["ada"])
        if not times:
            golden(lost)
            golden(found.words("cup"))
        assert [bot.reason for bot in read_asked(cup).disqualified] == ["it was copied"]
        assert (lost_words(cup), put_back(db)) == ("", None)
    assert arena("remove", cup, "ada", "--undo").exit_code == 0
    assert put_back(db) is None
    assert not read_asked(cup).disqualified


@pytest.mark.parametrize("how", ["taken out", "replaced"])
def test_what_was_taken_out_or_replaced_and_is_there_again_is_told(
    db: HandIns, ada: Person, cup: Path, golden: Golden, how: str
) -> None:
    plays(db, ada)
    old = read(cup)
    for times in range(2):
        if how == "taken out" or times:
            take_out(cup, ["ada"])
        else:
            replace_bot(cup, "ada", {"name": "ada", "shipped": "random"})
            retire_replaced(db)
        assert (put_back(db), last_put_back(db).returned) == (None, [] if times else ())
        (cup / "league.toml").write_text(old)
        found = put_back(db)
        assert found is not None
        assert found.words(cup) == lost_words(cup)
        assert put_back(db) is None  # and is told once by a server
        assert last_put_back(db) == PutBack(found.at, [], [], ["ada"])
    if how == "taken out":
        golden(lost_words(cup))
