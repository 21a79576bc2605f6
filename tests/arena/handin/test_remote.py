"""Remote bots as they are handed in: a bot.toml with the hash of what runs elsewhere."""

import pytest

from arena.handin.database import HandIns
from arena.handin.people import Person
from arena.handin.submissions import Submission
from arena.handin.taking_in import Intake
from arena.league.edit import set_keys
from arena.league.file import read_asked
from arena.league.finding import AUTHORS_KIT
from protocol.errors import ArenaError
from tests.arena.handin.archives import tarred
from tests.arena.handin.conftest import person
from tests.arena.handin.intaking import GOOD, check_whole, hand_in

DIGESTS = ("1a" * 32, "2b" * 32)


def marker(digest: str = DIGESTS[0], more: str = "needs = { remote = true }\n") -> bytes:
    """Return the bot.toml of a remote bot."""
    return f'command = ["{{remote}}", "{digest}"]\nfiles = []\n{more}'.encode()


def take_in(db: HandIns, one: Submission) -> Submission:
    """Take in what was handed in; return what became of it."""
    with Intake(db.league, lambda _: None) as intake:
        return intake.take_in(one.number)


def connect(db: HandIns, author: Person, text: bytes) -> Submission:
    """Hand in a bot.toml and nothing else; return what became of it."""
    return take_in(db, hand_in(db, author, tarred(("bot.toml", text)), filename="sage.tar"))


def open_up(db: HandIns, *, slow: bool = True) -> None:
    """Let authors connect remote bots to a league."""
    file = db.league / "league.toml"
    text = file.read_text().replace("[hand_in]\n", "[hand_in]\ngrants = { remote = true }\n")
    file.write_text('limits = { pace = "slow" }\n' * slow + text)


def test_a_league_is_closed_to_remote_bots_unless_it_says_otherwise(db: HandIns) -> None:
    refused = connect(db, person(db, "ada"), marker())
    assert (refused.state, refused.step) == ("refused", "unpack")
    assert refused.reason == "this league takes no bots that run on their authors' machines."
    assert refused.remedy == "Hand in the bot itself: arena submit."
    check_whole(db)


def test_a_remote_bot_enters_and_other_files_are_another_version(db: HandIns) -> None:
    open_up(db)
    ada = person(db, "ada")
    taken = connect(db, ada, marker())
    assert taken.state == "playing", taken.reason
    assert [(step["title"], step["state"]) for step in taken.steps] == [("its start", "advice")]
    (first,) = (bot for bot in read_asked(db.league).bots if bot.name == "ada")
    assert first.remote_digest == DIGESTS[0]
    assert first.grant.words == "remote = true"
    assert read_asked(db.league).limits_of(first).remote
    taken = connect(db, ada, marker(DIGESTS[1]))
    assert taken.state == "playing", taken.reason
    (second,) = (bot for bot in read_asked(db.league, "play").bots if bot.name == "ada")
    assert second.remote_digest == DIGESTS[1]
    assert first.version != second.version
    with pytest.raises(ArenaError, match="plays only in a league that is served"):
        _ = second.program
    check_whole(db)


def test_a_bot_may_move_to_the_server_and_back(db: HandIns) -> None:
    open_up(db)
    ada = person(db, "ada")
    assert connect(db, ada, marker()).state == "playing"
    set_keys(db.league, "ada", {"startup": 7})
    moved = take_in(db, hand_in(db, ada))
    assert moved.state == "playing", moved.reason
    assert read_asked(db.league).grant_of("ada").words == "startup = 7"
    assert connect(db, ada, marker()).state == "playing"
    assert read_asked(db.league).grant_of("ada").words == "startup = 7, remote = true"
    check_whole(db)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (marker("xyz"), "which `arena connect` writes"),
        (marker("AB" * 32), "which `arena connect` writes"),
        (b'command = ["{remote}"]\nfiles = []\n', "which `arena connect` writes"),
        (marker(more=""), "this league takes no bots"),
        (b'command = ["./x"]\nfiles = []\nneeds = { remote = true }\n', ""),
    ],
)
def test_what_is_no_marker_is_refused(db: HandIns, text: bytes, said: str) -> None:
    open_up(db)
    refused = connect(db, person(db, "ada"), text)
    assert refused.state == "refused"
    assert said in refused.reason
    check_whole(db)


def test_a_bot_of_files_is_never_remote_whatever_it_needs(db: HandIns) -> None:
    open_up(db)
    text = b'command = ["{python}", "bot.py"]\nneeds = { remote = true }\n'
    files = {"bot.py": GOOD, "kit.py": AUTHORS_KIT.read_bytes(), "bot.toml": text}
    taken = take_in(db, hand_in(db, person(db, "ada"), tarred(*files.items()), filename="x.tar"))
    assert taken.state == "playing", taken.reason
    assert not read_asked(db.league).grant_of("ada").given


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('pace = "slow"', 'pace = "fast"', "grants has remote = true, and a remote bot is waited"),
        ('pace = "slow"', 'pace = "slow", remote = true', "single bots are remote, never all"),
        ("remote = true\n", "", "add remote = true to it, which all tables show"),
        ('name = "house"', 'name = "house"\nremote = true', "has remote = true, and runs here"),
    ],
)
def test_what_cannot_be_in_a_league_is_refused_by_its_line(
    db: HandIns, old: str, new: str, said: str
) -> None:
    open_up(db)
    assert connect(db, person(db, "ada"), marker()).state == "playing"
    file = db.league / "league.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(ArenaError, match=r"league\.toml:\d+: ") as caught:
        read_asked(db.league)
    assert said in str(caught.value)


def test_a_remote_bot_of_the_organizer_cannot_play_in_a_fast_league(db: HandIns) -> None:
    file = db.league / "league.toml"
    entry = f'\n[[bot]]\nname = "sage"\ncommand = ["{{remote}}", "{DIGESTS[0]}"]\nremote = true\n'
    file.write_text(file.read_text() + entry)
    with pytest.raises(ArenaError, match="bot 'sage' is remote, and a remote bot is waited for"):
        read_asked(db.league)
    file.write_text('limits = { pace = "slow" }\n' + file.read_text())
    assert read_asked(db.league, "play").grant_of("sage").remote
