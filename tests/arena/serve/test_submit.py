"""The command `arena submit`, on real servers: what it says, and how it exits."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.arena.serve.conftest import Contest
from tests.arena.serve.serving import BOT, DECIDED, KIT, bot_zip, run_arena
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


def test_a_bot_that_is_not_fit_exits_with_1_and_says_why(
    contest: Contest, bot: Path, tmp_path: Path
) -> None:
    (bot / "bot.py").write_text("import sys\nsys.exit('no book')\n")
    token = tmp_path / "token"
    token.write_text(f"{contest.bob}\n")
    done = run_arena("submit", contest.server.url, bot, "--bot", "bob", "--token-file", token)
    assert done.returncode == 1, done
    assert "FAILED     says ready" in done.stdout
    assert "no book" in done.stdout
    assert "bob is refused; the step that failed shows why." in done.stdout


def test_a_lone_program_is_handed_in_and_not_waited_for(contest: Contest, tmp_path: Path) -> None:
    program = tmp_path / "bot.py"
    program.write_text("print('hello')\n")
    url = f"{contest.server.url}/hand-in"  # any page of the league will do
    done = run_arena("submit", url, program, "--bot", "bob", "--no-wait", ARENA_TOKEN=contest.bob)
    assert done.returncode == 0, done
    assert "Received as submission" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--bot", "ada2"], "you may have one bot"),
        (["--bot", "one"], "the organizer has entered"),
        (["--bot", "x" * 41], "a bot's name is 1 to 40 printable characters"),
    ],
)
def test_what_the_server_refuses_is_said_in_its_words(
    contest: Contest, bot: Path, words: list[str], said: str
) -> None:
    run_arena(
        "submit", contest.server.url, bot, "--bot", "ada", "--no-wait", ARENA_TOKEN=contest.ada
    )
    done = run_arena("submit", contest.server.url, bot, *words, ARENA_TOKEN=contest.ada)
    assert (done.returncode, said in done.stderr) == (2, True), done


def test_a_wrong_token_and_none_are_mistakes(contest: Contest, bot: Path) -> None:
    wrong = run_arena("submit", contest.server.url, bot, ARENA_TOKEN="arena_x")
    assert (wrong.returncode, "the token is wrong" in wrong.stderr) == (2, True), wrong
    none = run_arena("submit", contest.server.url, bot, ARENA_TOKEN="")
    assert (none.returncode, "there is no token" in none.stderr) == (2, True)


def test_a_league_that_is_not_there_is_said_with_the_address_of_the_list(
    contest: Contest, bot: Path
) -> None:
    home = contest.server.url.removesuffix("cup")
    done = run_arena("submit", f"{home}cop", bot, ARENA_TOKEN=contest.bob)
    said = "arena: there is no such league on this server. Look at the list of leagues: "
    assert (done.returncode, done.stderr) == (2, f"{said}{home}\n")


def test_what_is_too_large_is_not_sent(contest: Contest, bot: Path) -> None:
    import secrets

    (bot / "big").write_bytes(secrets.token_bytes(3 << 20))
    done = run_arena("submit", contest.server.url, bot, "--bot", "bob", ARENA_TOKEN=contest.bob)
    assert (done.returncode, "at most 1 MiB are taken" in done.stderr) == (2, True), done


@contextmanager
def answering(data: bytes) -> Iterator[int]:
    """Return the port of a server that answers one thing to everybody."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(data)

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def said_by(text: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text)


ODD = "does not answer as an arena does"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (said_by(b"[" * 50_000), ODD),
        (said_by(b'{"calendar": null}'), ODD),
        (said_by(b'{"calendar": {"size_mb": "x"}, "submission": null}'), ODD),
        (
            said_by(b'{"submission": {"number": "\\u001b]", "bot": "b", "state": "playing"}}'),
            ODD,
        ),
        (said_by(b'{"submission": {"number": 1, "bot": "b", "state": "odd"}}'), ODD),
        (
            said_by(b'{"submission": {"number": 1, "bot": "b", "state": "playing", "steps": [1]}}'),
            ODD,
        ),
        (b"SSH-2.0-OpenSSH\r\n", "gave no answer of HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "does not answer as an arena does"),
        (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", "answered 502"),
        (b"HTTP/1.1 301 Moved\r\nLocation: https://x/\r\nContent-Length: 0\r\n\r\n", "leads to"),
        (b"", "gave no answer of HTTP"),
    ],
    ids=[
        *("deep", "no calendar", "no size", "terminal", "no state", "no steps"),
        *("ssh", "page", "gateway", "moved", "nothing"),
    ],
)
def test_another_server_is_told_from_an_arena(bot: Path, data: bytes, said: str) -> None:
    with answering(data) as port:
        done = run_arena("submit", f"http://127.0.0.1:{port}/cup", bot, ARENA_TOKEN="arena_x")
    assert (done.returncode, said in done.stderr) == (2, True), done


def test_a_server_that_is_not_there_is_said_to_be_so(bot: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    done = run_arena("submit", f"http://127.0.0.1:{port}/cup", bot, ARENA_TOKEN="arena_x")
    assert (done.returncode, "cannot be reached: Connection refused" in done.stderr) == (2, True)
    tls = run_arena("submit", "ftp://x/cup", bot, ARENA_TOKEN="arena_x")
    assert (tls.returncode, "is no address of a league" in tls.stderr) == (2, True)


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
