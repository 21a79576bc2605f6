"""Joining a league by an invitation: over the web, by those who may and those who may not."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from arena.handin.database import HandIns
from arena.handin.invitations import invitations, invite, revoke
from arena.handin.people import by_token, people
from arena.serve import pages
from arena.serve.pages import WebVisit
from tests.arena.serve.conftest import Contest, Visited
from tests.arena.serve.gallery import Gallery
from tests.arena.serve.serving import Answer, Serving

EVIL = "<script>alert(1)</script>"


@pytest.fixture
def secret(contest: Contest) -> str:
    with HandIns(contest.server.folders[0]) as db:
        return invite(db, 3, datetime.now(UTC) + timedelta(hours=1))[1]


def join(server: Serving, name: str, secret: str, cookie: str = "", **more: str) -> Answer:
    body = urlencode({"name": name, "invitation": secret, "csrf": more.pop("csrf", "")})
    return server.ask("/cup/join", method="POST", cookie=cookie, body=body, **more)


def test_who_was_invited_is_in_and_sees_her_token_once(contest: Contest, secret: str) -> None:
    server = contest.server
    answer = join(server, EVIL, secret)
    assert answer.status == 200, answer.text
    assert EVIL not in answer.text
    assert answer.headers["cache-control"] == "no-store"
    token = re.findall(r"arena_[\w-]{43}", answer.text)[0]
    with HandIns(server.folders[0]) as db:
        found = by_token(db, token)
        assert found is not None
        assert (found.name, found.role) == (EVIL, "author")
    cookie = answer.headers["set-cookie"].partition(";")[0]
    assert server.ask("/cup/submissions", cookie=cookie).status == 200
    again = server.ask("/cup/join", cookie=cookie)
    assert token not in again.text
    assert "here already" in again.text
    assert server.ask("/cup/leave", method="POST", cookie=cookie).status == 403
    csrf = server.csrf(cookie)
    assert join(server, "second", secret, cookie, csrf=csrf).status == 409  # nobody is two
    assert all(secret not in line and token not in line for line in server.logged + server.said)


def test_nobody_else_is_let_in(contest: Contest, secret: str) -> None:
    server = contest.server
    for name, said, status in (
        ("eva", secret[:-1], 401),
        ("eva", contest.organizer, 401),
        ("ada", secret, 409),
        ("one", secret, 409),
        ("", secret, 422),
    ):
        answer = join(server, name, said)
        assert answer.status in (status, 429), answer.text
        assert "set-cookie" not in answer.headers
    evil = {"Origin": "https://evil.example"}
    assert join(server, "eva", secret, **evil).status == 403
    assert join(server, "eva", secret, Sec_Fetch_Site="cross-site").status == 403
    cookie = server.enter(contest.bob)
    assert join(server, "eva", secret, cookie, csrf="wrong").status == 403
    with HandIns(server.folders[0]) as db:
        assert "eva" not in {person.name for person in people(db)}
        revoke(db, invitations(db)[0].number)
    assert "was revoked" in join(server, "eva", secret).text
    assert server.ask("/cup/join").status == 200


def test_the_link_fills_the_form_and_leaves_no_secret_in_the_address(
    gallery: Gallery, visit: Visited
) -> None:
    stranger = WebVisit(league="cup")
    gallery.pages["/cup/join"] = pages.join_page(stranger)
    page = visit("/cup/join#arena_secret")
    expect(page.locator("#by-hand")).to_be_hidden()
    assert page.evaluate("[location.hash, document.activeElement.id]") == ["", "name"]
    assert page.locator("#invitation").input_value() == "arena_secret"
    kept = {"invitation": "arena_secret", "name": EVIL}
    gallery.pages["/cup/join"] = pages.join_page(stranger, problem="It is taken.", **kept)
    page = visit("/cup/join")
    expect(page.locator("#by-hand")).to_be_hidden()
    assert page.locator("#name").input_value() == EVIL
    page = visit("/cup/join", java_script_enabled=False)
    expect(page.locator("#by-hand")).to_be_visible()
