"""Hooks: what they are told, and that one that fails, hangs or floods harms nothing."""

import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.handin import hooks, submissions, telling
from arena.handin.database import HandIns
from arena.handin.hooks import LOG, Message, hook_trouble, next_message, note_events, note_ranks
from arena.handin.telling import RunningHook, tell, unfit
from arena.league.file import read_asked
from protocol.errors import Refusal
from tests.arena.conftest import Arena
from tests.arena.handin.conftest import Clock, person, receive, say_in_hand_in
from tests.arena.serve.serving import answer_of, answering
from tests.referee.process_watch import gone, until

MESSAGE = Message(7, "accepted", '{"number": 7}')


def tell_hook(cup: Path, *words: str) -> str:
    """Tell a hook a message; return what was wrong."""
    return tell(words, MESSAGE, cup, RunningHook())


def messages(db: HandIns) -> list[dict[str, Any]]:
    """Return all messages, as a hook gets them."""
    return [json.loads(row["body"]) for row in db.rows("SELECT body FROM message ORDER BY number")]


# --- what is told


def test_what_becomes_of_submissions_is_told_once(db: HandIns, cup: Path) -> None:
    ada, plan = person(db, "ada"), read_asked(cup)
    first, second, third = (
        receive(db, plan, ada, name, b"x", "x.py").number for name in ("ada", "", "")
    )
    submissions.refuse(db, first, Refusal(422, "it is <b>late</b>.", "Be early."))
    note_events(db, plan)
    assert messages(db) == []
    submissions.accept(db, second)
    submissions.note(db, third, step="check")
    submissions.refuse(db, third, Refusal(422, "it is worse.", "Mend it."))
    check = receive(db, plan, ada, "", b"x", "x.py", only_check=True).number
    submissions.refuse(db, check, Refusal(422, "it is a check.", "Mend it."))
    for _ in range(2):
        note_events(db, plan)
    accepted, refused = messages(db)
    assert accepted.pop("at")
    known = {"league": "cup", "bot": "ada", "author": "ada", "version": ""}
    assert accepted == {"number": 1, "event": "accepted", "submission": second, **known}
    found = [refused[key] for key in ("event", "step", "reason")]
    assert found == ["refused", "check", "it is worse."]


@pytest.mark.slow
def test_a_suspension_is_told_once_and_not_while_frozen(
    db: HandIns, cup: Path, arena: Arena
) -> None:
    plan = read_asked(cup)
    note_events(db, plan)
    (cup / "late").mkdir()
    (cup / "late" / "bot.py").write_text("raise SystemExit(3)")
    with (cup / "league.toml").open("a") as file:
        file.write('[[bot]]\nname = "late"\nfolder = "late"\ncommand = ["{python}", "bot.py"]\n')
    arena("run", cup)
    frozen = msgspec.structs.replace(plan.hand_in, freezes=datetime(2026, 1, 1, tzinfo=UTC))
    note_events(db, replace(plan, hand_in=frozen))
    assert messages(db) == []
    for _ in range(2):
        note_events(db, plan)
    [message] = messages(db)
    assert (message["event"], message["bot"]) == ("suspended", "late")
    assert message["reason"].startswith("it ")


def test_a_bot_is_overtaken_when_its_ranks_begin_behind_those_it_had(
    db: HandIns, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "now", clock)
    note_ranks(db, {"ada": ("v1", 1, 2), "bob": ("v1", 1, 2), "eve": ("v1", 3, 3)})
    note_ranks(db, {"ada": ("v1", 2, 3), "bob": ("v1", 1, 1), "eve": ("v1", 2, 3)})
    assert messages(db) == []  # ranks that overlap may be the same place
    note_ranks(db, {"ada": ("v1", 3, 3), "bob": ("v1", 1, 1), "eve": ("v1", 2, 2)})
    [message] = messages(db)
    assert (message["event"], message["bot"]) == ("overtaken", "ada")
    assert (message["before"], message["now"]) == ([1, 2], [3, 3])
    clock.go(minutes=59)
    note_ranks(db, {"ada": ("v1", 4, 4), "bob": ("v1", 1, 1)})
    assert len(messages(db)) == 1
    clock.go(minutes=1)
    note_ranks(db, {"ada": ("v1", 4, 4), "bob": ("v2", 9, 9)})
    assert [each["bot"] for each in messages(db)] == ["ada", "ada"]  # bob's is another version


def test_more_than_may_wait_are_given_up(db: HandIns, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "_MOST_WAITING", 2)
    for place in (1, 2, 3, 4):
        note_ranks(db, dict.fromkeys(("a", "b", "c"), ("v", place, place)))
    assert len(messages(db)) == 3
    waiting = db.rows("SELECT number FROM message WHERE state = 'waiting'")
    assert [row["number"] for row in waiting] == [1, 2]
    assert "more than 2 messages waited" in hook_trouble(db)


def test_a_message_is_tried_three_times_even_if_whoever_tries_is_killed(db: HandIns) -> None:
    note_ranks(db, {"a": ("v", 1, 1)})
    note_ranks(db, {"a": ("v", 2, 2)})
    for _ in range(3):
        message = next_message(db)
        assert message is not None
        assert message.number == 1
    assert next_message(db) is None
    assert "whoever tried it was ended" in hook_trouble(db)


# --- a command


def test_a_command_gets_the_message_in_a_fixed_environment_and_no_shell(
    cup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_TOKEN", "secret")
    script = "import os,sys,json; print(sys.argv[1:], sorted(os.environ), sys.stdin.read())"
    assert tell_hook(cup, sys.executable, "-c", script, "$HOME;`id`") == ""
    log = (cup / LOG).read_text()
    assert "7 accepted: told" in log
    assert """  ['$HOME;`id`'] ['LANG', 'PATH'] {"number": 7}\n""" in log
    assert (cup / LOG).stat().st_mode & 0o777 == 0o600


def test_why_a_command_fails_is_said(cup: Path) -> None:
    for words, said in (
        (["false"], "it exited with code 1"),
        (["sh", "-c", "kill -9 $$"], "it was ended by SIGKILL"),
        (["sh", "-c", "kill -40 $$"], "it was ended by signal 40"),
        (["no-such-program"], "no-such-program cannot be run: No such file or directory"),
        (["nul\0"], "nul\\x00 cannot be run: embedded null byte"),
        (["http://127.0.0.1:1/"], "it cannot be reached: Connection refused"),
    ):
        assert tell_hook(cup, *words) == said
        assert said in (cup / LOG).read_text()


def test_a_command_that_is_not_there_is_told_before_it_has_to_be_run(cup: Path) -> None:
    (cup / "tell.sh").write_text("#!/bin/sh\n")
    assert "no program './tell.sh' beside league.toml" in unfit(["./tell.sh"], cup)
    (cup / "tell.sh").chmod(0o755)
    assert "there is no program 'tell.sh' in /usr/" in unfit(["tell.sh"], cup)
    for hook in (["./tell.sh"], ["sh", "-c", "true"], ["https://example.org/x"]):
        assert unfit(hook, cup) == ""


def test_a_command_that_hangs_is_ended(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "SECONDS", 0.5)
    problem = tell_hook(cup, "sh", "-c", "echo $$ > pids; sleep 60 & echo $! >> pids; wait")
    assert problem == "it ran longer than 0.5 s"
    pids = [int(word) for word in (cup / "pids").read_text().split()]
    assert len(pids) == 2
    until(lambda: gone(*pids))
    assert tell_hook(cup, "sh", "-c", "sleep 60 & echo $! > pid") == ""  # holds nobody up
    until(lambda: gone(int((cup / "pid").read_text())))


@pytest.mark.slow
def test_a_flood_leaves_a_short_log(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "SECONDS", 0.5)
    assert tell_hook(cup, "yes", "\x1b[31m") == "it ran longer than 0.5 s"
    log = (cup / LOG).read_text()
    assert len(log) < 20_000
    assert "\x1b" not in log
    monkeypatch.setattr(telling, "_LOG_BYTES", 1000)
    for _ in range(20):
        tell_hook(cup, "echo", "x" * 90)
    log = (cup / LOG).read_text()
    assert len(log) <= 1000
    assert log.splitlines()[-1] == "  " + "x" * 90


# --- an address


def test_an_address_gets_the_message_and_leads_nowhere(cup: Path) -> None:
    for status, head, said in (
        ("204 No Content", "", ""),
        ("302 Found", "Location: /elsewhere\r\n", "it leads elsewhere, which is not followed"),
        ("500 Oh", "", "it answered 500"),
    ):
        with answering(answer_of(status=status, head=head)) as (port, heard):
            problem = tell_hook(cup, f"http://127.0.0.1:{port}/hook?key=k")
        assert problem.removeprefix("it answered 302: ") == said
        (request,) = heard
        assert request.startswith(b"POST /hook?key=k HTTP/1.1\r\n")
        assert request.endswith(b'\r\n\r\n{"number": 7}\n')
    assert "key=k" not in (cup / LOG).read_text()


# --- the process


@pytest.mark.slow
def test_a_failure_is_said_once_and_hangs_end_with_the_server(cup: Path, db: HandIns) -> None:
    say_in_hand_in(cup, 'hook = ["sh", "-c", "cat >> told; test -e mended"]')
    command = [sys.executable, "-m", "arena.handin.messenger", str(cup)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        until(lambda: db.fact("hook_history"))
        for place in (1, 2):
            ranks = {bot: ["v", place, place] for bot in ("a", "b")}
            process.stdin.write(json.dumps({"ranks": ranks}) + "\n")
        said = json.loads(process.stdout.readline())["words"]
        failed = "The hook was not told message 1 (overtaken): it exited with code 1."
        assert said.startswith(failed)
        tried = [json.loads(line)["number"] for line in (cup / "told").read_text().splitlines()]
        assert tried[:3] == [1, 1, 1]
        (cup / "mended").touch()
        until(lambda: not hook_trouble(db))
        states = db.rows("SELECT state FROM message ORDER BY number")
        assert [row["state"] for row in states] == ["failed", "told"]
        file = cup / "league.toml"
        hangs = "echo $$ > pid; sleep 60"
        file.write_text(file.read_text().replace("cat >> told; test -e mended", hangs))
        one = receive(db, read_asked(cup), person(db, "ada"), "ada", b"x", "x.py")
        submissions.accept(db, one.number)
        process.stdin.write("{}\n")
        until((cup / "pid").exists)
        until(lambda: (cup / "pid").read_text().strip())
        process.stdin.close()
        process.stdin = None
        assert process.wait(10) == 0
        until(lambda: gone(int((cup / "pid").read_text())))
