"""Remote bots as they are handed in: a bot.toml with the hash of what runs elsewhere."""

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.handin.database import HandIns
from arena.handin.people import Person, people
from arena.handin.submissions import Submission
from arena.handin.taking_in import Intake
from arena.league.edit import set_keys
from arena.league.file import read_asked
from arena.league.finding import KIT
from protocol.errors import ArenaError
from tests.arena.handin.archives import tarred
from tests.arena.handin.conftest import person, say_in_hand_in
from tests.arena.handin.intaking import GOOD, check_whole, hand_in, take_in
from tests.golden import Golden

DIGESTS = ("1a" * 32, "2b" * 32)


def marker(digest: str = DIGESTS[0], more: str = "needs = { remote = true }\n") -> bytes:
    return f'command = ["{{remote}}", "{digest}"]\nfiles = []\n{more}'.encode()


def connect(db: HandIns, author: Person, text: bytes) -> Submission:
    """Hand in a bot.toml and nothing else; return what became of it."""
    return take_in(db, hand_in(db, author, tarred(("bot.toml", text)), filename="sage.tar"))


def open_up(db: HandIns) -> None:
    """Let authors connect remote bots to a league."""
    say_in_hand_in(db.league, "grants = { remote = true }")
    file = db.league / "league.toml"
    file.write_text(f'limits = {{ pace = "slow" }}\n{file.read_text()}')


def test_a_league_is_closed_to_remote_bots_unless_it_says_otherwise(db: HandIns) -> None:
    refused = connect(db, person(db, "ada"), marker())
    assert (refused.state, refused.step) == ("refused", "unpack")
    assert refused.reason == "this league takes no bots that run on their authors' machines."
    assert refused.remedy == "Hand in the bot itself, by `arena submit`."
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


@pytest.mark.slow
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


def printed(*words: object) -> str:
    """Return what a command prints, in one line."""
    result = CliRunner().invoke(main, [*map(str, words)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


@pytest.mark.slow
def test_who_removes_an_author_is_told_which_bots_stay(db: HandIns, golden: Golden) -> None:
    open_up(db)
    cup, file = db.league, db.league / "league.toml"
    for name in ("ada", "dan", "eve"):
        assert connect(db, person(db, name), marker()).state == "playing"
    assert take_in(db, hand_in(db, person(db, "ben"))).state == "playing"
    hand_in(db, person(db, "cyn"))
    file.write_text(file.read_text().replace('name = "ada"', 'name = "sage"\nkey = "ada"'))
    golden(printed("author", "remove", cup, "ada"))
    golden(printed("author", "remove", cup, "ben"))
    printed("remove", cup, "dan", "--because", "why not")
    printed("remove", cup, "eve")
    for name in ("dan", "eve", "cyn"):  # what cyn has handed in waits, and will be refused
        said = f"{name} may not hand in to {cup} any more."
        assert printed("author", "remove", cup, name) == said
    person(db, "fay")
    file.write_text("game = 7\n")
    assert "Which bots stay is not known: " in printed("author", "remove", cup, "fay")
    assert not people(db)


def test_a_remote_bot_that_is_taken_out_is_said_to_be_remote(db: HandIns, golden: Golden) -> None:
    open_up(db)
    ada = person(db, "ada")
    assert connect(db, ada, marker()).state == "playing"
    cup = db.league
    golden(printed("remove", cup, "ada", "house", "--because", "no"))
    golden(printed("remove", cup, "ada", "house", "--undo"))
    golden(printed("remove", cup, "ada", "house"))
    with Intake(cup, lambda _: None) as intake:
        intake.look_around()
    again = connect(db, ada, marker())
    assert again.state == "playing", again.reason


NO_MARKERS = {
    "no digest": marker("xyz"),
    "capitals": marker("AB" * 32),
    "nothing": b'command = ["{remote}"]\nfiles = []\n',
    "no need": marker(more=""),
    "no marker": b'command = ["./x"]\nfiles = []\nneeds = { remote = true }\n',
}


@pytest.mark.parametrize("what", NO_MARKERS)
def test_what_is_no_marker_is_refused(db: HandIns, golden: Golden, what: str) -> None:
    open_up(db)
    refused = connect(db, person(db, "ada"), NO_MARKERS[what])
    assert refused.state == "refused"
    golden(refused.reason)
    check_whole(db)


def test_a_bot_of_files_is_never_remote_whatever_it_needs(db: HandIns) -> None:
    open_up(db)
    text = b'command = ["{python}", "bot.py"]\nneeds = { remote = true }\n'
    files = {"bot.py": GOOD, "kit.py": KIT.read_bytes(), "bot.toml": text}
    taken = take_in(db, hand_in(db, person(db, "ada"), tarred(*files.items()), filename="x.tar"))
    assert taken.state == "playing", taken.reason
    assert not read_asked(db.league).grant_of("ada").given


def test_what_cannot_be_in_a_league_is_refused_by_its_line(db: HandIns, golden: Golden) -> None:
    open_up(db)
    assert connect(db, person(db, "ada"), marker()).state == "playing"
    file = db.league / "league.toml"
    text, said = file.read_text(), []
    for old, new in (
        ('pace = "slow"', 'pace = "fast"'),
        ('pace = "slow"', 'pace = "slow", remote = true'),
        ("remote = true\n", ""),
        ('name = "house"', 'name = "house"\nremote = true'),
    ):
        assert old in text
        file.write_text(text.replace(old, new))
        with pytest.raises(ArenaError, match=r"league\.toml:\d+: ") as caught:
            read_asked(db.league)
        said.append(f"{new}: {caught.value}")
    golden("\n".join(said))


def test_a_remote_bot_of_the_organizer_cannot_play_in_a_fast_league(db: HandIns) -> None:
    file = db.league / "league.toml"
    entry = f'\n[[bot]]\nname = "sage"\ncommand = ["{{remote}}", "{DIGESTS[0]}"]\nremote = true\n'
    file.write_text(file.read_text() + entry)
    with pytest.raises(ArenaError, match="bot 'sage' is remote, and a remote bot is waited for"):
        read_asked(db.league)
    file.write_text('limits = { pace = "slow" }\n' + file.read_text())
    assert read_asked(db.league, "play").grant_of("sage").remote
