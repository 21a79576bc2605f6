"""The organizers' pages: what they do, who may, and who is kept from having them do it."""

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest

from arena.handin.database import HandIns
from arena.handin.people import people
from arena.handin.submissions import get
from arena.league.file import read_asked
from arena.serve.deeds import DEEDS
from tests.arena.serve.conftest import Contest
from tests.arena.serve.serving import Answer, Serving, add_person, bot_zip, serving, write_league


def do(server: Serving, cookie: str, deed: str, of: str = "", **fields: str) -> Answer:
    """Confirm something on its page, as a browser without scripts does."""
    asked = server.ask(f"/cup/organize/{deed}?{urlencode({'of': of})}", cookie=cookie)
    assert asked.status == 200, asked.text
    [csrf] = set(re.findall(r'name="csrf" value="([^"]+)"', asked.text))
    body = urlencode({"csrf": csrf, "of": of, **fields})
    return server.ask(f"/cup/organize/{deed}", method="POST", cookie=cookie, body=body)


def test_the_page_is_for_organizers_alone(contest: Contest) -> None:
    server = contest.server
    pages = ["organize", "similar", *(f"organize/{deed}?of=one" for deed in DEEDS)]
    for token, status in (("", 401), (contest.ada, 403), (contest.reader, 403)):
        cookie = server.enter(token) if token else ""
        for page in pages:
            assert server.ask(f"/cup/{page}", cookie=cookie).status == status, page
        for deed in DEEDS:
            body = f"of=one&reason=x&csrf={server.csrf(server.enter(contest.ada))}"
            answer = server.ask(f"/cup/organize/{deed}", method="POST", cookie=cookie, body=body)
            assert answer.status == status, deed
    names = read_asked(server.folders[0]).names
    assert {"one", "two"} <= names.keys()
    cookie = server.enter(contest.organizer)
    assert server.ask("/cup/organize/unheard", cookie=cookie).status == 404
    assert "Similar" not in server.ask("/cup/", cookie=server.enter(contest.ada)).text


def test_nothing_is_done_by_another_sites_form_or_by_a_link(contest: Contest) -> None:
    server = contest.server
    cookie = server.enter(contest.organizer)
    csrf = server.csrf(cookie)
    for deed in DEEDS:
        path = f"/cup/organize/{deed}"

        def post(body: str, path: str = path, **headers: str) -> int:
            return server.ask(path, method="POST", cookie=cookie, body=body, **headers).status

        fields = "of=one&reason=x&most=1&days=1"
        assert post(fields) == 403
        assert post(f"{fields}&csrf=wrong") == 403
        theirs = server.csrf(server.enter(contest.ada))
        assert post(f"{fields}&csrf={theirs}") == 403
        evil = {"Origin": "https://evil.example"}
        assert post(f"{fields}&csrf={csrf}", **evil) == 403
        assert post(f"{fields}&csrf={csrf}", Sec_Fetch_Site="cross-site") == 403
        assert server.ask(f"{path}?{fields}&csrf={csrf}", cookie=cookie).status == 200  # it asks
    plan = read_asked(server.folders[0])
    assert plan.disqualified == ()
    assert {"one", "two"} <= plan.names.keys()


def test_a_mistake_is_said_and_changes_nothing(contest: Contest) -> None:
    server = contest.server
    cookie = server.enter(contest.organizer)
    evil = "<script>alert(9)</script>"
    for deed, of, fields, said in (
        ("disqualify", "one", {"reason": " "}, "Say why a bot is disqualified"),
        ("disqualify", "one", {"reason": "x" * 301}, "Say why a bot is disqualified"),
        ("disqualify", evil, {"reason": "x"}, "There is no bot"),
        ("readmit", "one", {}, "is not disqualified"),
        ("remove", evil, {}, "There is no bot"),
        ("remove-author", "org", {}, "You cannot remove yourself"),
        ("remove-author", evil, {}, "There is nobody called"),
        ("revoke", "99", {}, "There is no invitation 99"),
        ("revoke", "-1", {}, "is a number from 1"),
        ("invite", "", {"most": "9999", "days": "7"}, "is a number from 1 to 1000"),
        ("invite", "", {"most": "1", "days": "1e9"}, "is a number from 1 to 366"),
    ):
        answer = do(server, cookie, deed, of, **fields)
        assert (answer.status, said in answer.text) == (409, True), (deed, answer.text)
        assert evil not in answer.text
        assert str(server.folders[0].parent) not in answer.text


@pytest.mark.slow
def test_each_deed_is_done_as_by_its_command(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup")
    ada, org = add_person(folder, "ada"), add_person(folder, "org", "organizer")
    with serving(folder) as server:
        number = server.hand_in(ada, bot_zip()).json["submission"]["number"]
        assert server.decided(ada, number)["state"] == "playing"
        cookie = server.enter(org)
        page = server.ask("/cup/organize", cookie=cookie).text
        assert page.count("Disqualify</a>") == 3
        done = do(server, cookie, "disqualify", "ada", reason="it <copied>")
        assert "ada is disqualified." in done.text
        [gone] = read_asked(folder).disqualified
        assert (gone.name, gone.reason) == ("ada", "it <copied>")
        assert "It &lt;copied&gt;" in server.ask("/cup/organize", cookie=cookie).text
        assert "ada plays and counts again." in do(server, cookie, "readmit", "ada").text
        assert read_asked(folder).disqualified == ()
        assert "not in the league" in do(server, cookie, "remove", "ada").text
        assert "ada" not in read_asked(folder).names
        made = do(server, cookie, "invite", most="3", days="1").text
        [secret] = re.findall(r"/cup/join#(arena_[\w-]{43})", made)
        body = urlencode({"invitation": secret, "name": "eva"})
        joined = server.ask("/cup/join", method="POST", body=body)
        assert joined.status == 200
        assert "makes nobody any more; it made 1 author" in do(server, cookie, "revoke", "1").text
        assert "eva may not hand in" in do(server, cookie, "remove-author", "eva").text
        with HandIns(folder) as db:
            assert get(db, number).reason == "the organizer has taken it out."
            assert [each.name for each in people(db)] == ["ada", "org"]
        assert server.ask("/cup/similar", cookie=cookie).status == 200
        assert secret not in "".join([*server.said, *server.logged])
        assert any("org, an organizer, on the web: Take out ada." in line for line in server.said)
