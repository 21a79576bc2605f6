"""Submissions on their way into a league, with an intake that ends or is killed anywhere."""

import hashlib
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from arena.handin import entries, submissions
from arena.handin.database import HandIns
from arena.handin.people import Person, remove
from arena.handin.sources import KEPT_VERSIONS
from arena.handin.stale import take_out
from arena.handin.submissions import TRIES, Submission, all_of, get, queue
from arena.handin.taking_in import Intake
from arena.league.edit import replace_bot, set_keys
from arena.league.file import read_asked
from arena.league.finding import KIT
from arena.store.opening import read_league
from arena.store.under_way import MatchesUnderWay
from protocol.errors import ArenaError, RunError
from referee.sandbox import SandboxError
from referee.sandbox.workshop import Workshop
from tests.arena.environment.conftest import good, wheel
from tests.arena.handin.archives import tarred
from tests.arena.handin.campaign import kill_at_random
from tests.arena.handin.conftest import Clock, person, say_in_hand_in
from tests.arena.handin.intaking import GOOD, UNFIT, IntakeProcess, check_whole, hand_in, take_in
from tests.golden import Golden
from tests.referee.process_watch import children, command_line, gone, until

MOMENTS = [
    *(("building", "unpack"), ("building", "build"), ("checking", "check")),
    *(("checking", "enter"), ("playing", "")),
]
"""The states and steps of a submission that is accepted."""


@pytest.fixture(autouse=True)
def _needs_a_workshop() -> None:
    try:
        Workshop().close()
    except SandboxError as error:
        pytest.skip(f"NOTHING CAN BE TAKEN IN HERE: {error}")


@pytest.mark.slow
def test_a_bot_of_one_file_is_played_with_its_kit(db: HandIns, golden: Golden) -> None:
    events = []
    one = hand_in(db, person(db, "ada"), filename="my first bot.py")
    with Intake(db.league, events.append) as intake:
        intake.resume()
        assert intake.take_next()
        assert not intake.take_next()
    found = get(db, one.number)
    assert [state for state, _ in found.history] == ["received", "building", "checking", "playing"]
    assert {path.name for path in (db.league / found.folder).iterdir()} == {
        *("bot.py", "kit.py", "bot.toml")
    }
    golden(found.output)
    assert [step["title"] for step in found.steps][:2] == ["can be run", "says ready"]
    assert len(found.version) == 16
    told = [(event["state"], event["step"]) for event in events if event["event"] == "submission"]
    assert told == MOMENTS
    check_whole(db)


@pytest.mark.slow
def test_a_check_ends_with_its_verdict_and_changes_nothing(db: HandIns, cup: Path) -> None:
    ada, file = person(db, "ada"), (cup / "league.toml").read_bytes()
    good = take_in(db, hand_in(db, ada, only_check=True))
    assert [state for state, _ in good.history] == ["received", "building", "checking", "checked"]
    bad = take_in(db, hand_in(db, ada, UNFIT, only_check=True))
    assert (bad.state, bad.step) == ("refused", "check")
    assert (cup / "league.toml").read_bytes() == file
    assert submissions.accepted_versions(db, "ada") == set()
    check_whole(db)
    assert [path for path in db.sources.rglob("*") if path.is_file()] == []
    playing = take_in(db, hand_in(db, ada))  # the same files: they have not played
    assert (playing.state, "entry" in (cup / "league.toml").read_text()) == ("playing", False)


@pytest.mark.slow
def test_the_newest_accepted_version_plays_and_a_bad_one_changes_nothing(db: HandIns) -> None:
    ada = person(db, "ada")
    first = take_in(db, hand_in(db, ada))
    assert entries.folders(db.league) == {"ada": first.folder}
    bad = take_in(db, hand_in(db, ada, UNFIT))
    assert (bad.state, bad.step) == ("refused", "check")
    assert "exited with code 1 (no, thank you)" in bad.reason
    assert entries.folders(db.league) == {"ada": first.folder}
    second = take_in(db, hand_in(db, ada, GOOD + b"# another\n"))
    assert (second.state, get(db, first.number).state) == ("playing", "replaced")
    assert get(db, first.number).reason == "submission 3 of this bot was accepted."
    assert entries.folders(db.league) == {"ada": second.folder}
    check_whole(db)


def bot_of(toml: str, *files: tuple[str, bytes]) -> tuple[bytes, str]:
    return tarred(("bot.toml", toml.encode()), *files), "bot.tar"


REFUSED = {
    "no zip": (b"hello", "bot.zip"),
    "no bot.toml": (b"hello", "notes.txt"),
    "an odd key": bot_of("comand = []"),
    "no file": bot_of('command = ["./bot"]', ("x", b"")),
    "a build that fails": bot_of('command = ["./bot"]\nbuild = ["sh", "-c", "echo hi; exit 3"]'),
    "a build of nothing": bot_of('command = ["./bot"]\nbuild = ["true"]'),
    **{  # files of the server, where nobody is to look
        word: bot_of(f'command = ["{word}"]', ("x/y", b""))
        for word in ("../../ben/1/bot", "/etc/passwd", "./x/../../bot", "/usr/../etc/passwd")
    },
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_says_its_cause_and_no_path_of_the_server(
    db: HandIns, golden: Golden, what: str
) -> None:
    found = take_in(db, hand_in(db, person(db, "ada"), *REFUSED[what]))
    assert found.state == "refused"
    golden(f"{found.step}: {found.reason} {found.remedy}")
    assert str(db.league) not in repr(found)
    assert "/built/" not in repr(found)
    check_whole(db)


@pytest.mark.slow
def test_what_a_build_prints_is_kept_and_can_be_shown_anywhere(db: HandIns) -> None:
    script = rb'build = ["sh", "-c", "printf %b \"\\033[2J<b>one</b>\\ntwo\\n\" >&2; exit 3"]'
    data = tarred(("bot.toml", b'command = ["./bot"]\n' + script))
    found = take_in(db, hand_in(db, person(db, "ada"), data, "bot.tar"))
    assert found.output.splitlines()[1:] == [r"\x1b[2J<b>one</b>", "two"]
    assert [(step["title"], step["state"]) for step in found.steps] == [("can be built", "failed")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "server"), [("check", "/fork_server.py"), ("build", "/build_server.py")]
)
def test_a_bot_is_looked_at_again_whose_fork_server_was_killed(
    db: HandIns, step: str, server: str
) -> None:
    """That is begun again as often as an intake that was killed; a bot may be what kills it."""
    data = tarred(("bot.toml", b'command = ["./bot"]\nbuild = ["sh", "-c", "sleep 1; cp b bot"]'))
    hand_in(db, person(db, "ada"), *((data, "bot.tar") if step == "build" else (GOOD,)))
    killed = []

    def kill() -> None:
        mine = lambda: [each for each in children(os.getpid()) if server in command_line(each)]  # noqa: E731
        until(lambda: len(mine()) == (2 if step == "build" else 1))  # one has unpacked it
        time.sleep(0.3)
        killed.append(max(mine()))
        os.kill(killed[0], signal.SIGKILL)

    def tell(event: dict[str, Any]) -> None:
        if event.get("step") == step and not killed:
            threading.Thread(target=kill).start()

    with Intake(db.league, tell) as intake:
        assert intake.take_next()
        assert killed
        assert get(db, 1).state == "received", get(db, 1).reason
        assert intake.take_next()
    assert get(db, 1).state == ("playing" if step == "check" else "refused")  # it copies nothing
    check_whole(db)


def test_no_author_holds_up_another(db: HandIns, cup: Path) -> None:
    say_in_hand_in(cup, "bots = 5")
    ada, ben, cora = (person(db, name) for name in ("ada", "ben", "cora"))
    for bot in ("a1", "a2", "a3"):
        hand_in(db, ada, bot=bot)
    for author in (ben, cora):
        hand_in(db, author)
    hand_in(db, ben, bot="b2")
    order = [one.bot for one in queue(db)]
    taken = []
    while (one := submissions.next_one(db)) is not None:
        submissions.begin(db, one.number)
        submissions.end_turn(db, one.number, 1)
        taken.append(one.bot)
    assert taken == order == ["a1", "ben", "cora", "a2", "b2", "a3"]


def test_an_author_of_long_builds_waits_for_others(db: HandIns, cup: Path) -> None:
    say_in_hand_in(cup, "bots = 5")
    ada, ben = (person(db, name) for name in ("ada", "ben"))
    for number in range(3):
        hand_in(db, ada, bot=f"a{number}")
    for number in range(4):
        hand_in(db, ben, bot=f"b{number}")
    taken = []
    while (one := submissions.next_one(db)) is not None:
        submissions.begin(db, one.number)
        submissions.end_turn(db, one.number, 120 if one.author == "ada" else 40)
        taken.append(one.bot)
        if len(taken) == 6:  # somebody who comes later has not saved up the time before
            cora = person(db, "cora")
            for number in range(4):
                hand_in(db, cora, bot=f"c{number}")
    late = ["c0", "c1", "c2", "a2", "c3"]
    assert taken == ["a0", "b0", "b1", "b2", "a1", "b3", *late]


@pytest.mark.slow
def test_what_the_organizer_did_with_a_bot_meanwhile_stands(db: HandIns) -> None:
    ada, ben, cora = (person(db, name) for name in ("ada", "ben", "cora"))
    first, _, third = (take_in(db, hand_in(db, each)) for each in (ada, ben, cora))
    more = [hand_in(db, each, GOOD + b"#") for each in (ada, ben)]
    set_keys(db.league, "ada", {"disqualified": "it was copied"})
    replace_bot(db.league, "ben", {"name": "ben", "shipped": "random"})
    take_out(db.league, ["cora"])
    found = [take_in(db, each) for each in more]
    assert [(each.state, each.step) for each in found] == [("refused", "enter")] * 2
    assert found[0].reason == "ada was disqualified: it was copied."
    assert get(db, first.number).state == "playing"
    with Intake(db.league, lambda _: None) as intake:
        intake.resume()
    gone = get(db, third.number)
    assert gone.state == "replaced"
    assert gone.reason == "the organizer has taken it out."
    check_whole(db)


@pytest.mark.slow
def test_a_league_that_cannot_be_read_keeps_what_waits(db: HandIns, cup: Path) -> None:
    one = hand_in(db, person(db, "ada"))
    text = (cup / "league.toml").read_text()
    (cup / "league.toml").write_text(text + "[[[")
    with IntakeProcess(cup) as intake:
        trouble = intake.read_until(lambda event: event["event"] == "trouble")
        assert "league.toml" in trouble["words"]
        assert get(db, one.number).state == "received"
        (cup / "league.toml").write_text(text)
        intake.wake()
        intake.until_idle()
    assert get(db, one.number).state == "playing"


def test_a_second_intake_is_refused(db: HandIns, cup: Path) -> None:
    with (
        Intake(cup, lambda _: None),
        pytest.raises(ArenaError, match="is in use by another intake"),
        Intake(cup, lambda _: None),
    ):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS, ids="-".join)
def test_a_killed_intake_goes_on(db: HandIns, cup: Path, moment: tuple[str, str]) -> None:
    one = hand_in(db, person(db, "ada"))
    with IntakeProcess(cup) as intake:
        intake.read_until(lambda event: (event.get("state"), event.get("step")) == moment)
    with IntakeProcess(cup) as intake:
        intake.until_idle()
        assert intake.end() == ""
    assert get(db, one.number).state == "playing"
    check_whole(db)


@pytest.mark.slow
def test_nothing_is_lost_stuck_or_doubled_by_thirty_kills(public: Path) -> None:
    assert kill_at_random(public, kills=30, seed=1)["playing"]


def test_a_standard_error_of_long_lines_holds_up_nobody(db: HandIns) -> None:
    bad = b"import sys\nsys.stderr.write('x' * 30000 + '\\n' + 'y' * 30000)\nsys.exit(1)\n"
    one = hand_in(db, person(db, "ada"), bad)
    began = time.process_time()
    assert take_in(db, one).state == "refused"
    assert time.process_time() - began < 3


@pytest.mark.slow
@pytest.mark.parametrize("step", ["", "build", "check"])
def test_what_an_author_who_is_removed_has_on_the_way_is_refused(db: HandIns, step: str) -> None:
    one = hand_in(db, person(db, "ada"))

    def removed(event: dict[str, Any]) -> None:
        if event.get("step") == step:
            remove(db, "ada")

    if not step:
        remove(db, "ada")
    found = take_in(db, one, removed)
    assert (found.state, found.reason) == ("refused", "its author was removed.")
    assert "ada" not in entries.folders(db.league)


@pytest.mark.slow
def test_what_was_built_of_a_refused_bot_is_removed(
    db: HandIns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    toml = 'command = ["./bot"]\nbuild = ["sh", "make.sh"]\nfiles = ["bot"]\n'
    make = b"cp made bot && chmod +x bot\n"
    unfit = {"bot.toml": toml.encode(), "made": b"#!/bin/sh\nexit 1\n", "make.sh": make}
    one = hand_in(db, person(db, "ada"), tarred(*unfit.items()), filename="bot.tar")
    found = take_in(db, one)
    assert (found.state, found.step) == ("refused", "check"), found
    assert list((tmp_path / "cache" / "bot-arena" / "built").iterdir()) == []


@pytest.mark.slow  # it is built
def test_what_was_built_goes_too_if_its_packages_are_not_to_be_had(
    db: HandIns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    toml = 'python = "venv"\ncommand = ["{python}", "bot.py"]\nfiles = ["bot.py"]\n'
    files = {
        "bot.toml": f'{toml}sources = ["made"]\nbuild = ["cp", "made", "bot.py"]\n'.encode(),
        "made": b"pass\n",
        "requirements.txt": b"nothere==1.0\n",
        "requirements.lock": b"nothere==1.0 --hash=sha256:" + b"0" * 64 + b"\n",
    }
    one = hand_in(db, person(db, "ada"), tarred(*files.items()), filename="bot.tar")
    found = take_in(db, one)
    assert (found.state, found.step) == ("refused", "build"), found
    assert "nothere" in found.reason
    assert list((tmp_path / "cache" / "bot-arena" / "built").iterdir()) == []


@pytest.mark.slow  # environments are made
def test_the_environment_of_a_refused_bot_goes_unless_others_have_it(
    db: HandIns, public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(public / "cache"))
    place = public / "cache" / "bot-arena" / "environments"
    ada, folder = person(db, "ada"), good(public / "mine")
    said: list[str] = []
    text = (folder / "bot.py").read_text()

    def handed_in(source: str, needed: str, megabytes: int = 0) -> tuple[str, int]:
        (folder / "bot.py").write_text(source)
        wheel(folder / "wheels", "base", needed, files={"base": bytes(megabytes << 20)})
        (folder / "requirements.txt").write_text(f"chooser\nbase=={needed}\n")
        files = [
            (str(path.relative_to(folder)), path.read_bytes())
            for path in folder.rglob("*")
            if path.is_file()
        ]
        one = take_in(db, hand_in(db, ada, tarred(*files), "bot.tar"))
        said.append(one.reason)
        return one.state, len([*place.iterdir()])

    assert handed_in("raise SystemExit", "1.0") == ("refused", 0)
    assert handed_in(text, "1.0") == ("playing", 1)
    assert handed_in("raise SystemExit", "1.0") == ("refused", 1)
    assert handed_in("raise SystemExit", "2.0") == ("refused", 1)
    say_in_hand_in(db.league, "keep_mb = 2")
    assert handed_in(text, "3.0", 3) == ("refused", 1)
    assert said[-1].endswith(" MiB then, and may keep 2.")


@pytest.mark.slow  # an environment is made
def test_the_lock_of_what_is_handed_in_names_the_wheels_that_came_with_it(
    db: HandIns, public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(public / "cache"))
    folder = good(public / "mine")
    [own] = (folder / "wheels").iterdir()
    sums = hashlib.sha256(own.read_bytes()).hexdigest(), "0" * 64
    lock = f"chooser==1.0 --hash=sha256:{sums[0]} --hash=sha256:{sums[1]}\n"
    (folder / "requirements.lock").write_text(lock)
    files = [
        (str(path.relative_to(folder)), path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    ]
    found = take_in(db, hand_in(db, person(db, "ada"), tarred(*files), "bot.tar"))
    assert found.state == "playing", found
    assert "requirements.lock allows the wheels in wheels alone, for chooser==1.0." in found.output
    kept = (db.league / found.folder / "requirements.lock").read_text()
    assert (sums[0] in kept, sums[1] in kept) == (True, False)


@pytest.mark.slow
def test_a_bot_that_is_taken_out_does_not_come_back_with_what_was_on_its_way(db: HandIns) -> None:
    ada = person(db, "ada")
    assert take_in(db, hand_in(db, ada)).state == "playing"
    second = hand_in(db, ada, GOOD + b"# 2")

    def taken_out(event: dict[str, Any]) -> None:
        if event.get("step") == "check":
            take_out(db.league, ["ada"])

    found = take_in(db, second, taken_out)
    assert (found.state, found.step) == ("refused", "enter")
    assert "taken this bot out of the league" in found.reason
    assert take_in(db, hand_in(db, ada, GOOD + b"# 3")).state == "playing"
    check_whole(db)


@pytest.mark.slow
@pytest.mark.parametrize("end", [SystemExit(), KeyboardInterrupt(), OSError("no room")])
def test_one_that_was_entered_just_before_an_end_is_entered_once(
    db: HandIns, monkeypatch: pytest.MonkeyPatch, end: BaseException
) -> None:
    """As if it was killed, was interrupted, or could not note it."""

    def ended(*_: object) -> None:
        raise end

    first = take_in(db, hand_in(db, ada := person(db, "ada")))
    second = hand_in(db, ada, GOOD + b"#")
    with monkeypatch.context() as patch:
        patch.setattr(submissions, "accept", ended)
        with pytest.raises((SystemExit, KeyboardInterrupt, RunError)):
            take_in(db, second)
    assert get(db, second.number).step == "enter"
    third = hand_in(db, ada, UNFIT)
    with Intake(db.league, lambda _: None) as intake:
        intake.resume()
        assert intake.take_next()
        assert not intake.take_next()
    states = [get(db, one.number).state for one in (first, second, third)]
    assert states == ["replaced", "playing", "refused"]
    check_whole(db)


@pytest.mark.slow
def test_what_ends_the_intake_again_and_again_is_refused_at_last(db: HandIns, cup: Path) -> None:
    one = hand_in(db, person(db, "ada"))
    for _ in range(TRIES):
        with IntakeProcess(cup) as intake:
            intake.read_until(lambda event: event.get("state") == "checking")
    with IntakeProcess(cup) as intake:
        intake.until_idle()
    found = get(db, one.number)
    assert (found.state, found.reason) == ("refused", "it ended the intake 3 times.")
    assert found.can_retry
    check_whole(db)


@pytest.mark.slow
def test_what_is_looked_at_when_the_server_ends_is_not_to_blame(db: HandIns, cup: Path) -> None:
    one = hand_in(db, person(db, "ada"))
    for _ in range(TRIES + 1):
        with IntakeProcess(cup) as intake:
            intake.read_until(lambda event: event.get("state") == "checking")
            intake.process.send_signal(
                signal.SIGINT
            )  # as Ctrl-C at a terminal does to all processes
            assert intake.end() == ""
        assert get(db, one.number).state == "received"
    with IntakeProcess(cup) as intake:
        intake.read_until(lambda event: event.get("state") == "checking")
    with IntakeProcess(cup) as intake:
        intake.until_idle()
    assert get(db, one.number).state == "playing"
    check_whole(db)


@pytest.mark.slow
def test_sources_go_a_day_after_they_were_replaced(db: HandIns, clock: Clock) -> None:
    ada = person(db, "ada")
    first = take_in(db, hand_in(db, ada))
    second = take_in(db, hand_in(db, ada, GOOD + b"#"))
    refused = take_in(db, hand_in(db, ada, UNFIT))
    assert not (db.league / "handed-in" / "ada" / str(refused.number)).exists()
    clock.go(hours=23)
    take_in(db, hand_in(db, ada, UNFIT))
    assert (db.league / first.folder).is_dir()
    clock.go(hours=2)
    third = take_in(db, hand_in(db, ada, UNFIT))
    assert not (db.league / first.folder).exists()
    assert (db.league / second.folder).is_dir()
    assert [one.folder for one in all_of(db)] == ["", "", "", second.folder, ""]
    assert third.state == "refused"


@pytest.mark.slow
def test_the_same_files_again_are_told_from_new_ones(db: HandIns) -> None:
    ada, ben = person(db, "ada"), person(db, "ben")
    first, again, other = (take_in(db, hand_in(db, each)) for each in (ada, ada, ben))
    assert [one.steps[0]["title"] for one in (first, other)] == ["can be run", "can be run"]
    assert [again.steps[0][key] for key in ("title", "state", "detail")] == [
        "its files",
        "advice",
        f"the same files as submission {first.number}, which plays",
    ]
    assert [one.state for one in all_of(db) if one.author == ada.name] == ["playing", "replaced"]


@pytest.mark.slow
def test_files_that_come_back_after_others_are_another_version(db: HandIns) -> None:
    """So nobody hands in ten versions, and puts the luckiest back; what plays now goes on."""
    ada, others = person(db, "ada"), (GOOD, GOOD + b"# another\n")
    first, between, back, same, later, last = (
        take_in(db, hand_in(db, ada, others[number])).version for number in (0, 1, 0, 0, 1, 0)
    )
    assert back == same
    assert len({first, between, back, later, last}) == 5
    assert "entry = 3\n" in (db.league / "league.toml").read_text()
    [bot] = (bot for bot in read_league(db.league).bots if bot.name == "ada")
    assert (bot.entry, bot.version) == (3, last)


@pytest.mark.slow
def test_an_intake_ends_with_its_input_even_if_a_fork_server_hangs(db: HandIns) -> None:
    with IntakeProcess(db.league) as intake:
        intake.until_idle()
        servers = children(intake.process.pid)
        assert servers
        try:
            for pid in servers:
                os.kill(pid, signal.SIGSTOP)
            intake.process.communicate(timeout=30)
            assert intake.process.returncode == 1
        finally:
            for pid in servers:
                os.kill(pid, signal.SIGCONT)
    until(lambda: gone(*servers), 10)


@pytest.mark.slow
def test_sources_are_kept_of_so_many_versions_only(db: HandIns) -> None:
    ada = person(db, "ada")
    played = [
        take_in(db, hand_in(db, ada, GOOD + b"#" * number)) for number in range(KEPT_VERSIONS + 2)
    ]
    kept = [(db.league / one.folder).is_dir() for one in played]
    assert kept == [False, *[True] * (KEPT_VERSIONS + 1)]
    check_whole(db)


@pytest.mark.slow
def test_sources_stay_as_long_as_they_may_have_matches_to_finish(db: HandIns) -> None:
    ada = person(db, "ada")
    first = take_in(db, hand_in(db, ada))
    with MatchesUnderWay(db.league) as under_way:
        under_way.enter(read_asked(db.league).bots)
        for number in range(KEPT_VERSIONS + 1):
            take_in(db, hand_in(db, ada, GOOD + b"#" * number))
        assert (db.league / first.folder).is_dir()
        under_way.enter(read_asked(db.league).bots)
    take_in(db, hand_in(db, ada))
    assert not (db.league / first.folder).exists()


@pytest.mark.slow
def test_names_of_bots_lead_nowhere(db: HandIns, cup: Path) -> None:
    for number, name in enumerate(("../../x", "/etc/x", ".", "$(reboot)", "a b;c", "日本")):
        one = take_in(db, hand_in(db, person(db, f"author {number}"), bot=name))
        assert (one.bot, one.state) == (name, "playing")
    inside = sorted(str(path.relative_to(cup)) for path in cup.rglob("bot.toml"))
    assert inside == [
        "handed-in/a-b-c/5/bot.toml",
        *(f"handed-in/bot/{number}/bot.toml" for number in (3, 6)),
        "handed-in/etc-x/2/bot.toml",
        "handed-in/reboot/4/bot.toml",
        "handed-in/x/1/bot.toml",
    ]
    assert sorted(path.name for path in cup.parent.iterdir()) == ["cup"]
    check_whole(db)


HUNGRY = b"held = bytearray(200 << 20)\n" + GOOD
NEEDS = b'command = ["{python}", "bot.py"]\nneeds = { memory_mb = 300, open_files = 80 }\n'


def hungry(db: HandIns, author: Person, more: bytes = b"") -> Submission:
    """Hand in a bot that needs more memory than the league gives."""
    kit = KIT.read_bytes()
    files = {"bot.py": HUNGRY + more, "kit.py": kit, "bot.toml": NEEDS}
    return hand_in(db, author, tarred(*files.items()), filename="hungry.tar")


@pytest.mark.slow
def test_what_a_bot_needs_is_granted_as_far_as_the_league_says(
    db: HandIns, capfd: pytest.CaptureFixture[str]
) -> None:
    file = db.league / "league.toml"
    file.write_text(f"limits.memory_mb = 128\n{file.read_text()}")
    ada = person(db, "ada")
    refused = take_in(db, hungry(db, ada))
    assert refused.state == "refused"
    lacking = "ada needs memory_mb = 300, open_files = 80, and has 128, 64"
    assert refused.steps[0]["detail"] == lacking
    assert f"{lacking}; `grants` of [hand_in] says what bots may have" in capfd.readouterr().err
    say_in_hand_in(db.league, "grants = { memory_mb = 512 }")
    taken = take_in(db, hungry(db, ada, b"# again\n"))
    assert taken.state == "playing", taken.reason
    assert taken.steps[0]["detail"] == "ada needs open_files = 80, and has 64"
    assert read_asked(db.league).grant_of("ada").words == "memory_mb = 300"
    set_keys(db.league, "ada", {"startup": 7})
    taken = take_in(db, hungry(db, ada, b"# once more\n"))
    assert taken.state == "playing", taken.reason
    assert read_asked(db.league).grant_of("ada").words == "memory_mb = 300, startup = 7"


ASKS = b"""\
import kit
def choose(ask):
    kit.fetch("http://localhost:9/v1/x", {})
    return ask.rng.choice(ask.legal or ask.samples)
kit.run(choose)
"""
OUTAGES = {
    "its request failed": ("", "http://localhost:9: Connection refused"),
    "no key": ('keys = { "http://localhost:9" = "NOT_THERE" }', "the server could not go on"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", OUTAGES)
def test_what_cannot_be_had_is_no_fault_of_the_bot_and_the_organizer_is_told(
    db: HandIns, capfd: pytest.CaptureFixture[str], what: str
) -> None:
    terms, said = OUTAGES[what]
    file, asked = db.league / "league.toml", '["POST http://localhost:9/v1/x"]'
    limits = f'[limits]\npace = "slow"\nmove_time = 20\ndoor = {asked}\n'
    door = f"[door]\nallow = {asked}\noutage_wait = 0\n{terms}\n"
    file.write_text(file.read_text().replace("[hand_in]", f"{limits}{door}[hand_in]"))
    command = b'command = ["{python}", "bot.py"]'
    files = {"bot.py": ASKS, "kit.py": KIT.read_bytes(), "bot.toml": command}
    refused = take_in(db, hand_in(db, person(db, "ada"), tarred(*files.items()), filename="a.tar"))
    assert (refused.state, refused.step, refused.can_retry) == ("refused", "check", True)
    assert said in refused.reason
    assert "fault" in refused.reason
    assert "localhost:9" in capfd.readouterr().err
