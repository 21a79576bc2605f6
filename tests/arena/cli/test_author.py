"""The commands for the people of a league that is served."""

import csv
import json
import re
from pathlib import Path

import pytest

from arena.handin.database import HandIns
from arena.handin.invitations import join
from arena.handin.people import by_token, people
from arena.league.file import read_asked
from tests.arena.conftest import Arena
from tests.golden import Golden

TOKEN = r"arena_[\w-]{43}"


@pytest.fixture
def cup(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A league, named as a person would."""
    monkeypatch.chdir(tmp_path)
    arena("init", "cup", "--game", "khan", "sensible", "random")
    return Path("cup")


def roles(cup: Path) -> list[tuple[str, str]]:
    """Return who may hand in, and as what."""
    with HandIns(cup) as db:
        return [(person.name, person.role) for person in people(db)]


def owner(cup: Path, token: str) -> tuple[str, str] | None:
    """Return whom a token is for."""
    with HandIns(cup) as db:
        found = by_token(db, token)
        return found and (found.name, found.role)


CLASS = [("ada", "author"), ("ben", "author"), ("olga", "organizer")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("\ufeffname,role\r\nada,\r\n\r\n  ben  \r\nolga,organizer\r\n", CLASS),
        ("Name;Role\r\nada;\r\nben;author\r\nolga;organizer;\r\n", CLASS),
        ("NAME\tROLE\nada\t\nben\nolga\tOrganizer\n", CLASS),
        ('ada,,,\n"ben"\nolga;organizer\n', CLASS),
        ('"Roe, Jim",reader\n"a;b"\n', [("Roe, Jim", "reader"), ("a;b", "author")]),
        ("Doe, Jane;author\n", [("Doe, Jane", "author")]),
    ],
)
def test_a_class_is_added_from_a_file_of_any_spreadsheet(
    arena: Arena, cup: Path, text: str, found: list[tuple[str, str]]
) -> None:
    Path("names.csv").write_text(text)
    result = arena("author", "add", "cup", "--from", "names.csv", "--format", "json")
    rows = json.loads(result.stdout)["people"]
    assert [owner(cup, row["token"]) for row in rows] == roles(cup) == found


def test_an_author_is_added_and_the_token_is_shown_with_its_link(
    arena: Arena, cup: Path, golden: Golden
) -> None:
    result = arena("author", "add", "cup", "ada", "--url", "https://bots.example.org/")
    token, link = re.findall(rf"^    (\S*{TOKEN})$", result.stdout, re.MULTILINE)
    assert link == f"https://bots.example.org/cup/enter#{token}"
    golden(result.stdout.replace(token, "TOKEN"))
    assert owner(cup, token) == ("ada", "author")


def test_a_file_with_more_names_is_given_again(arena: Arena, cup: Path, golden: Golden) -> None:
    add = ("author", "add", "cup", "--from", "names.csv")
    Path("names.csv").write_text("ada\nben\n")
    arena(*add)
    again = arena(*add)
    assert (again.exit_code, again.stdout) == (0, "")
    Path("names.csv").write_text("ada\ncyd,reader\nben\ndan\n")
    again = arena(*add, "--format", "csv")
    rows = list(csv.DictReader(again.stdout.splitlines()))
    assert [row["name"] for row in rows] == ["cyd", "dan"]
    golden(again.stderr)
    assert owner(cup, rows[0]["token"]) == ("cyd", "reader")


def test_the_address_may_be_the_servers_or_the_leagues(arena: Arena, cup: Path) -> None:
    arena("author", "add", "cup", "ada")
    for url, server in (
        ("http://127.0.0.1:8765", "http://127.0.0.1:8765"),
        ("http://127.0.0.1:8765/cup/", "http://127.0.0.1:8765"),
        ("https://example.org/arena/cup/bots/cup", "https://example.org/arena"),
        ("http://cup/", "http://cup"),
    ):
        said = arena("author", "renew", "cup", "ada", "--url", url).stdout
        assert f"\n    {server}/cup/enter#arena_" in said


def test_a_token_is_renewed_an_author_removed_and_a_list_has_everybody_and_no_token(
    arena: Arena, cup: Path
) -> None:
    [old] = re.findall(TOKEN, arena("author", "add", "cup", "ada").stdout)
    [new] = re.findall(TOKEN, arena("author", "renew", "cup", "ada").stdout)
    assert (owner(cup, old), owner(cup, new)) == (None, ("ada", "author"))
    arena("author", "add", "cup", "olga", "--organizer")
    listed = arena("author", "list", "cup").stdout
    assert [line.split()[:2] for line in listed.splitlines()[2:]] == [
        *(["ada", "author"], ["olga", "organizer"])
    ]
    assert not re.search(TOKEN, listed)
    removed = arena("author", "remove", "cup", "ada")
    assert removed.stdout == "ada may not hand in to cup any more.\n"


def test_a_mistake_is_refused_in_words(arena: Arena, cup: Path, golden: Golden) -> None:
    bad = {"empty": b"", "bytes": b"ada\nb\xffn\n", "quotes": b'ada\n"ben\n'}
    for name, data in bad.items():
        Path(name).write_bytes(data)
    for line in (
        *(f"add cup --from {name}" for name in bad),
        *("add cup", "add nowhere ada", "list cup", "renew cup ada"),
        *("add cup ada --url ftp://x", "add cup ada --url https://x/#y"),
    ):
        result = arena("author", *line.split())
        assert result.exit_code == 2
        golden(result.stderr)


def test_of_a_class_with_mistakes_nobody_is_added_and_each_line_is_named(
    arena: Arena, cup: Path, golden: Golden
) -> None:
    add = ("author", "add", "cup", "--from", "names.csv")
    for text in (
        "ada\nben,king\nada\n\x1b[2J\ncora,author,x\n",
        "eva\nada,organizer\nben,author\n",  # who have another role already
    ):
        Path("names.csv").write_text(text)
        result = arena(*add)
        assert result.exit_code == 2
        golden(result.stderr)
        assert "eva" in text or not (cup / "handin.db").exists()
        arena("author", "add", "cup", "ada", "ben", "--reader")
        assert roles(cup) == [("ada", "reader"), ("ben", "reader")]
    golden(arena("author", "add", "cup", "Sensible", "cyd").stderr)  # called as a bot of theirs
    assert arena("author", "add", "cup", "random", "--reader").stderr == ""


def test_an_invitation_is_made_listed_and_revoked(arena: Arena, cup: Path, golden: Golden) -> None:
    url = "https://bots.example.org/cup/"
    made = arena("author", "invite", "cup", "--until", "2099-12-24T12:00Z", "--url", url).stdout
    secret, link = re.findall(rf"^    (\S*{TOKEN})$", made, re.MULTILINE)
    assert link == f"https://bots.example.org/cup/join#{secret}"
    golden(made.replace(secret, "SECRET"))
    with HandIns(cup) as db:
        join(db, read_asked(cup), secret, "eva")
    listed = arena("author", "list", "cup").stdout
    assert secret not in listed
    golden(re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d  ", "DATE  ", listed))
    golden(arena("author", "revoke", "cup", "1").stdout)
    found = json.loads(arena("author", "list", "cup", "--format", "json").stdout)
    assert [each["state"] for each in found["invitations"]] == ["revoked"]
    assert [each["invitation"] for each in found["people"]] == [1]
    for line in ("invite cup --until soon", "invite cup --until 2020-01-01Z", "revoke cup 9"):
        result = arena("author", *line.split())
        assert result.exit_code == 2
        golden(result.stderr)
