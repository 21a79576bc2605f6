"""The command `arena submit`, on real servers: what it says, and how it exits."""

import json
import os
import socket
from pathlib import Path

import pytest

from tests.arena.conftest import Arena
from tests.arena.serve.conftest import Contest
from tests.arena.serve.serving import BOT, DECIDED, KIT, answer_of, answering, bot_zip, run_arena
from tests.referee.process_watch import until


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """The folder of a bot, with much in it that no bot needs."""
    folder = tmp_path / "mine"
    for name in (".git", "__pycache__", "data"):
        (folder / name).mkdir(parents=True)
        (folder / name / "x").write_text("x")
    (folder / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
    (folder / "bot.py").write_text(BOT)
    (folder / "kit.py").write_text(KIT)
    return folder


def test_a_bot_is_handed_in_and_its_verdict_is_shown(contest: Contest, bot: Path) -> None:
    done = run_arena("submit", contest.server.url, bot, "--bot", "bob", ARENA_TOKEN=contest.bob)
    assert done.returncode == 0, done
    assert "4 files" in done.stderr
    assert "left out: .git, __pycache__" in done.stderr
    assert "ok         says ready" in done.stdout
    assert "bob is accepted, and plays from now on" in done.stdout
    assert contest.bob not in done.stdout + done.stderr


def test_a_bot_is_checked_there_and_not_entered(contest: Contest, bot: Path, arena: Arena) -> None:
    words = ("submit", contest.server.url, bot, "--bot", "sketch", "--check")
    done = arena(*words, env={"ARENA_TOKEN": contest.onlooker})
    assert done.exit_code == 0, done
    assert "sketch is fit to play. It was only checked" in done.stdout
    assert contest.server.api("/bots/sketch").status == 404


def test_who_is_not_fit_is_told_why(
    contest: Contest, bot: Path, tmp_path: Path, arena: Arena
) -> None:
    (bot / "bot.py").write_text("import sys\nsys.exit('no book')\n")
    token = tmp_path / "token"
    token.write_text(f"{contest.bob}\n")
    done = arena("submit", contest.server.url, bot, "--bot", "bob", "--token-file", token)
    assert done.exit_code == 1, done
    assert "FAILED     says ready" in done.stdout
    assert "no book" in done.stdout
    assert done.stdout.startswith("bob is refused: It did not say ready"), done.stdout
    done = arena(
        *("submit", contest.server.url, bot, "--bot", "bob", "--token-file", token),
        *("--format", "json"),
    )
    told = json.loads(done.stdout)
    assert (done.exit_code, told["state"], told["fit"]) == (1, "refused", False)
    assert [step["title"] for step in told["steps"] if step["state"] == "failed"] == ["says ready"]


def test_a_lone_program_is_not_waited_for(contest: Contest, tmp_path: Path, arena: Arena) -> None:
    program = tmp_path / "bot.py"
    program.write_text("print('hello')\n")
    url = f"{contest.server.url}/hand-in"  # any page of the league will do
    done = arena(
        "submit", url, program, "--bot", "bob", "--no-wait", env={"ARENA_TOKEN": contest.bob}
    )
    assert done.exit_code == 0, done
    assert "Received as submission" in done.stderr


def test_a_refusal_is_said_in_the_servers_words(contest: Contest, bot: Path, arena: Arena) -> None:
    server = contest.server
    assert server.hand_in(contest.ada, bot_zip(), "ada").status == 202
    for name, said in (
        ("ada2", "you may have one bot"),
        ("one", "the organizer has entered"),
        ("x" * 41, "a bot's name is 1 to 40 printable characters"),
    ):
        done = arena("submit", server.url, bot, "--bot", name, env={"ARENA_TOKEN": contest.ada})
        assert (done.exit_code, said in done.stderr) == (2, True), done
    (bot / "big").write_bytes(os.urandom(3 << 20))  # which is not even sent
    done = arena("submit", server.url, bot, "--bot", "bob", env={"ARENA_TOKEN": contest.bob})
    assert (done.exit_code, "at most 1 MiB are taken" in done.stderr) == (2, True), done


def test_mistakes_are_said_in_words(contest: Contest, bot: Path, arena: Arena) -> None:
    server = contest.server
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}/cup"
    home = server.url.removesuffix("cup")
    list_of = f"no such league on this server. Look at the list of leagues: {home}\n"
    for url, token, said in (
        (server.url, "arena_x", "the token is wrong"),
        (server.url, "", "there is no token"),
        (f"{home}cop", contest.bob, list_of),
        (nobody, "arena_x", "cannot be reached: Connection refused"),
        ("ftp://x/cup", "arena_x", "is no address of a league"),
    ):
        done = arena("submit", url, bot, env={"ARENA_TOKEN": token})
        assert (done.exit_code, said in done.stderr) == (2, True), done


PLAYS = '{"submission": {"number": 1, "bot": "b", "state": "playing"}}'
OTHERS = {
    "deep": (answer_of("[" * 50_000), "does not answer as an arena does"),
    "no calendar": (answer_of('{"calendar": null}'), "does not answer as an arena does"),
    "no size": (answer_of('{"calendar": {"size_mb": "x"}, "submission": null}'), "does not answer"),
    "terminal": (answer_of(PLAYS.replace("1", r'"\u001b]"')), "does not answer as an arena does"),
    "no state": (answer_of(PLAYS.replace("playing", "odd")), "does not answer as an arena does"),
    "no steps": (answer_of(PLAYS.replace("}}", ', "steps": [1]}}')), "does not answer as an arena"),
    "page": (answer_of("hi"), "does not answer as an arena does"),
    "ssh": (b"SSH-2.0-OpenSSH\r\n", "gave no answer of HTTP"),
    "gateway": (answer_of(status="502 Bad Gateway"), "answered 502"),
    "moved": (answer_of(status="301 Moved", head="Location: https://x/\r\n"), "leads to"),
    "nothing": (b"", "gave no answer of HTTP"),
}


def test_another_server_is_told_from_an_arena(bot: Path, arena: Arena) -> None:
    for other, (data, said) in OTHERS.items():
        with answering(data) as (port, _):
            url = f"http://127.0.0.1:{port}/cup"
            done = arena("submit", url, bot, env={"ARENA_TOKEN": "arena_x"})
        assert (done.exit_code, said in done.stderr) == (2, True), (other, done)


def test_what_is_being_done_with_it_is_told_meanwhile(contest: Contest) -> None:
    server = contest.server
    sent = server.hand_in(contest.bob, bot_zip(f"import time\ntime.sleep(1)\n{BOT}"), "bob")
    number = sent.json["submission"]["number"]

    def progress() -> bool:
        answer = server.api(f"/submissions/{number}", token=contest.bob)
        found = answer.json["submission"]
        assert found["state"] not in DECIDED
        return "waiting for bob to say ready" in found["progress"]

    until(progress)
