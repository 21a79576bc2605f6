"""Sessions in browsers: what is signed, what ends them, and what other sites cannot do."""

import secrets
from pathlib import Path

import pytest

from arena.handin.database import HandIns
from arena.handin.people import Person, renew
from arena.serve.sessions import Guesses, Sessions
from tests.arena.serve.conftest import Contest
from tests.arena.serve.serving import Answer, add_person, bot_zip, serving, write_league
from tests.referee.process_watch import until

FORM = "multipart/form-data; boundary=xyz"


def form(file: bytes | None = None, called: str = "bot.zip", **fields: str) -> bytes:
    """Return a form with a bot as its file, after some fields."""
    parts = [
        f'--xyz\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = f'--xyz\r\nContent-Disposition: form-data; name="file"; filename="{called}"\r\n\r\n'
    file = bot_zip() if file is None else file
    return b"".join([*parts, head.encode(), file, b"\r\n--xyz--\r\n"])


def test_a_session_is_a_cookie_that_no_script_and_no_other_site_gets(contest: Contest) -> None:
    """Whatever is said as a proxy would: there is none."""
    server = contest.server
    proxied = {"X_Forwarded_Proto": "https", "X_Forwarded_For": "203.0.113.9"}
    answer = server.ask("/cup/enter", method="POST", body=f"token={contest.ada}", **proxied)
    assert answer.status == 303
    until(lambda: server.logged != [])
    assert '"203.0.113.9"' not in "".join(server.logged)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "secure" not in cookie
    page = server.ask("/cup/submissions", cookie=server.enter(contest.ada))
    assert page.status == 200
    assert page.headers["cache-control"] == "no-store"


def test_a_changed_cookie_is_a_strangers(contest: Contest) -> None:
    server = contest.server
    name, _, value = server.enter(contest.ada).partition("=")
    assert server.ask("/cup/submissions", cookie=f"{name}={value}").status == 200
    for at in range(0, len(value) - 1, 3):
        other = "A" if value[at] != "A" else "B"
        changed = f"{name}={value[:at]}{other}{value[at + 1 :]}"
        assert server.ask("/cup/submissions", cookie=changed).status == 401, at
    for odd in ("", ".", "..", "a.b.c", value[: len(value) // 2], value + "x", "\xff", "=" * 5000):
        assert server.ask("/cup/submissions", cookie=f"{name}={odd}").status == 401, odd


def test_a_session_is_of_one_league_and_one_token() -> None:
    key = secrets.token_bytes(32)
    ada = Person(7, "ada", "author", "", 1)
    cookie = Sessions("cup", key).begin(ada)
    found = Sessions("cup", key).read(cookie)
    assert found is not None
    assert (found.person, found.version) == (7, 1)
    assert Sessions("other", key).read(cookie) is None
    assert Sessions("cup", secrets.token_bytes(32)).read(cookie) is None


def test_a_renewed_token_ends_sessions_and_the_old_token(contest: Contest) -> None:
    server, folder = contest.server, contest.server.folders[0]
    token = add_person(folder, "cy")
    cookie = server.enter(token)
    assert server.ask("/cup/submissions", cookie=cookie).status == 200
    with HandIns(folder) as db:
        renew(db, "cy")
    assert server.ask("/cup/submissions", cookie=cookie).status == 401
    assert server.api("/submissions", token=token).status in (401, 429)


def test_nothing_is_handed_in_by_another_sites_form(contest: Contest) -> None:
    server = contest.server
    cookie = server.enter(contest.bob)
    csrf = server.csrf(cookie)
    path = "/cup/hand-in"

    def post(body: bytes, to: str = path, **headers: str) -> int:
        return server.ask(
            to, method="POST", cookie=cookie, body=body, Content_Type=FORM, **headers
        ).status

    assert post(form(bot="bob")) == 403
    assert post(form(bot="bob"), to=f"{path}?check=1") == 403
    assert post(form(csrf="wrong", bot="bob")) == 403
    assert post(form(csrf=csrf, bot="bob"), Origin="https://evil.example") == 403
    assert post(form(csrf=csrf, bot="bob"), Origin="null") == 403
    assert post(form(csrf=csrf, bot="bob"), Sec_Fetch_Site="cross-site") == 403
    assert post(form(csrf=server.csrf(server.enter(contest.ada)), bot="bob")) == 403
    raw = server.api(
        "/submissions?bot=bob&filename=b.zip", method="POST", cookie=cookie, body=bot_zip()
    )
    assert raw.status == 403
    count = len(server.api("/submissions", token=contest.bob).json["submissions"])
    ours = f"http://127.0.0.1:{server.port}"
    assert post(form(csrf=csrf, bot="bob"), Origin=ours, Sec_Fetch_Site="same-origin") == 303
    assert post(form(bot="bob"), X_CSRF_Token=csrf) == 303
    now = server.api("/submissions", token=contest.bob).json["submissions"]
    assert len(now) == count + 2


def test_a_pasted_program_is_handed_in(contest: Contest) -> None:
    server = contest.server
    cookie = server.enter(contest.bob)
    csrf = server.csrf(cookie)

    def pasted(name: str, query: str = "") -> Answer:
        body = form(b"", "", csrf=csrf, bot="bob", filename=name, source="print('hi')\n")
        return server.ask(
            f"/cup/hand-in{query}", method="POST", cookie=cookie, body=body, Content_Type=FORM
        )

    answer = pasted("bot.py")
    assert answer.status == 303, answer
    number = int(answer.headers["location"].rpartition("/")[2])
    assert server.decided(contest.bob, number)["state"] == "refused"  # print is no bot
    check = pasted("bot.py", "?check=1")  # as the button of the form sends it without scripts
    path = check.headers["location"].replace("/cup/", "/")
    assert server.api(path, token=contest.bob).json["submission"]["only_check"]
    unnamed = pasted("")
    assert (unnamed.status, "has no name" in unnamed.text) == (422, True)


def test_leaving_ends_the_session_and_needs_our_page(contest: Contest) -> None:
    server = contest.server
    cookie = server.enter(contest.bob)
    assert server.ask("/cup/leave", method="POST", cookie=cookie, body="csrf=x").status == 403
    answer = server.ask(
        "/cup/leave", method="POST", cookie=cookie, body=f"csrf={server.csrf(cookie)}"
    )
    assert answer.status == 303
    assert "Max-Age=0" in answer.headers["set-cookie"]


def test_nobody_is_entered_by_another_site(contest: Contest) -> None:
    server = contest.server
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "http://[::1"},
        {"Sec_Fetch_Site": "cross-site"},
    ):
        answer = server.ask("/cup/enter", method="POST", body=f"token={contest.bob}", **headers)
        assert answer.status == 403
        assert "set-cookie" not in answer.headers


@pytest.mark.slow
def test_behind_a_proxy_cookies_are_for_tls_alone(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup")
    token = add_person(folder, "ada")
    with serving(folder, words=["--behind-proxy"]) as server:
        answer = server.ask(
            "/cup/enter",
            method="POST",
            body=f"token={token}",
            X_Forwarded_Proto="https",
            X_Forwarded_For="198.51.100.1, 203.0.113.9",
        )
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("__Host-arena-cup=")
        assert "Secure" in cookie
        for number in range(12):
            server.api(token=f"wrong{number}", X_Forwarded_For=f"198.51.100.{number}, 203.0.113.9")
        wrong = server.api(token="wrong", X_Forwarded_For="198.51.100.99, 203.0.113.9")
        assert wrong.status == 429  # the address that the proxy saw, whatever else is said
        assert server.api(token="wrong", X_Forwarded_For="203.0.113.10").status == 401


def test_guesses_are_counted_by_network_and_soon_forgotten() -> None:
    guesses = Guesses()
    for number in range(10):
        assert guesses.wait("2001:db8::1", f"a{number}") == 0
        guesses.note(f"2001:db8::{number}", f"a{number}", right=False)
    assert 0 < guesses.wait("2001:db8::ffff", "b") <= 60
    assert guesses.wait("2001:db8:1::1", "b") == 0
    guesses.note("2001:db8:1::1", "right", right=True)
    assert guesses.wait("2001:db8::1", "right") == 0
