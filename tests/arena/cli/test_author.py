"""The commands for the people of a league that is served."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from arena.handin.database import HandIns
from arena.handin.people import by_token, people

Arena = Callable[..., Result]
TOKEN = r"arena_[\w-]{43}"


@pytest.fixture
def cup(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A league, named as a person would."""
    monkeypatch.chdir(tmp_path)
    arena("init", "cup", "--game", "khan", "sensible", "random")
    return Path("cup")


def test_an_author_is_added_and_the_token_is_shown_with_its_link(arena: Arena, cup: Path) -> None:
    result = arena("author", "add", "cup", "ada", "--url", "https://bots.example.org/")
    token, link = re.findall(rf"^    (\S*{TOKEN})$", result.stdout, re.MULTILINE)
    assert link == f"https://bots.example.org/cup/enter#{token}"
    assert result.stdout == (
        f"ada may hand in bots to cup. The token, shown only now, is\n\n    {token}\n\n"
        f"and this link enters with it:\n\n    {link}\n\n"
    )
    with HandIns(cup) as db:
        found = by_token(db, token)
        assert found is not None
        assert (found.name, found.role) == ("ada", "author")


def test_a_class_is_added_from_a_file(arena: Arena, cup: Path) -> None:
    Path("names.csv").write_text("\ufeffname,role\r\nada,\r\n\r\n  ben  \r\nolga,organizer\r\n")
    result = arena("author", "add", "cup", "--from", "names.csv", "--format", "json")
    rows = json.loads(result.stdout)["people"]
    assert [(row["name"], row["role"]) for row in rows] == [
        *(("ada", "author"), ("ben", "author"), ("olga", "organizer"))
    ]
    with HandIns(cup) as db:
        for row in rows:
            found = by_token(db, row["token"])
            assert found is not None
            assert found.name == row["name"]


@pytest.mark.parametrize(
    "text",
    [
        "Name;Role\r\nada;\r\nben;author\r\nolga;organizer;\r\n",
        "NAME\tROLE\nada\t\nben\nolga\tOrganizer\n",
        'ada,,,\n"ben"\nolga;organizer\n',
    ],
    ids=["semicolons", "tabs", "each line its own"],
)
def test_a_file_of_any_spreadsheet_is_read(arena: Arena, cup: Path, text: str) -> None:
    Path("names.csv").write_text(text)
    assert arena("author", "add", "cup", "--from", "names.csv").exit_code == 0
    with HandIns(cup) as db:
        assert [(person.name, person.role) for person in people(db)] == [
            *(("ada", "author"), ("ben", "author"), ("olga", "organizer"))
        ]


def test_a_name_may_hold_what_separates_elsewhere(arena: Arena, cup: Path) -> None:
    Path("names.csv").write_text('Doe, Jane;author\n"Roe, Jim",reader\n"a;b"\n')
    arena("author", "add", "cup", "--from", "names.csv")
    with HandIns(cup) as db:
        assert [person.name for person in people(db)] == ["Doe, Jane", "Roe, Jim", "a;b"]


def test_a_file_with_more_names_is_given_again(arena: Arena, cup: Path) -> None:
    Path("names.csv").write_text("ada\nben\n")
    arena("author", "add", "cup", "--from", "names.csv")
    again = arena("author", "add", "cup", "--from", "names.csv")
    assert again.exit_code == 0
    assert again.stdout == ""
    assert again.stderr == "2 persons were there already, with the tokens that they have.\n"
    Path("names.csv").write_text("ada\ncyd,reader\nben\ndan\n")
    again = arena("author", "add", "cup", "--from", "names.csv", "--format", "csv")
    rows = list(csv.DictReader(again.stdout.splitlines()))
    assert [row["name"] for row in rows] == ["cyd", "dan"]
    assert again.stderr == (
        "2 tokens, shown only now.\n2 persons were there already, with the tokens that they have.\n"
    )
    with HandIns(cup) as db:
        found = by_token(db, rows[0]["token"])
        assert found is not None
        assert (found.name, found.role) == ("cyd", "reader")


def test_another_role_than_before_is_a_mistake_of_its_line(arena: Arena, cup: Path) -> None:
    arena("author", "add", "cup", "ada", "ben")
    Path("names.csv").write_text("eva\nada,organizer\nben,author\n")
    said = arena("author", "add", "cup", "--from", "names.csv")
    assert said.exit_code == 2
    assert said.stderr == (
        "arena: names.csv:2: 'ada' is here already, as author and not as organizer. After `arena "
        "author remove cup ada`, add the name in the new role.\n"
    )
    with HandIns(cup) as db:
        assert [person.name for person in people(db)] == ["ada", "ben"]
    arena("author", "remove", "cup", "ada")
    assert arena("author", "add", "cup", "--from", "names.csv").exit_code == 0


def test_several_are_added_by_name_or_none(arena: Arena, cup: Path) -> None:
    arena("author", "add", "cup", "ada", "ben", "ada", "--organizer", "--format", "csv")
    said = arena("author", "add", "cup", "cyd", "ben", "--organizer")
    assert said.stderr.startswith("arena: 'ben' is here already. `arena author renew cup ben`")
    with HandIns(cup) as db:
        assert [(person.name, person.role) for person in people(db)] == [
            *(("ada", "organizer"), ("ben", "organizer"))
        ]


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("http://127.0.0.1:8765", "http://127.0.0.1:8765"),
        ("http://127.0.0.1:8765/cup/", "http://127.0.0.1:8765"),
        ("https://example.org/arena/cup/bots/cup", "https://example.org/arena"),
        ("http://cup/", "http://cup"),
    ],
)
def test_the_address_may_be_the_servers_or_the_leagues(
    arena: Arena, cup: Path, url: str, server: str
) -> None:
    said = arena("author", "add", "cup", "ada", "--url", url).stdout
    assert f"\n    {server}/cup/enter#arena_" in said
    said = arena("author", "renew", "cup", "ada", "--url", url).stdout
    assert f"\n    {server}/cup/enter#arena_" in said


def test_who_is_called_as_a_bot_of_the_organizers_is_told(arena: Arena, cup: Path) -> None:
    said = arena("author", "add", "cup", "Sensible", "ada")
    assert said.stderr == (
        "2 tokens, shown only now.\n"
        "Sensible cannot hand in a bot called 'Sensible', as another has that name. `arena submit "
        "--bot NAME`, or the page, gives it another one; `arena remove` frees the name of a bot "
        "that you entered.\n"
    )
    assert arena("author", "add", "cup", "random", "--reader").stderr == ""


def test_of_a_class_with_mistakes_nobody_is_added_and_each_line_is_named(
    arena: Arena, cup: Path
) -> None:
    Path("names.csv").write_text("ada\nben,king\nada\n\x1b[2J\ncora,author,x\n")
    result = arena("author", "add", "cup", "--from", "names.csv")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "arena: nobody was added:",
        "names.csv:2: 'king' is no role; the roles are author, organizer, reader.",
        "names.csv:3: 'ada' stands in line 1 already.",
        r"names.csv:4: a person's name is 1 to 40 printable characters, not '\x1b[2J'.",
        "names.csv:5: 3 columns; a line is a name, and perhaps a role.",
    ]
    assert not (cup / "handin.db").exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "names.csv has no names; write one in each line."),
        (b"ada\nb\xffn\n", "names.csv:2: not UTF-8; save it as UTF-8."),
        (b'ada\n"ben\n', "names.csv:2: not CSV: unexpected end of data."),
    ],
)
def test_a_file_that_is_none_is_refused_in_words(
    arena: Arena, cup: Path, data: bytes, said: str
) -> None:
    Path("names.csv").write_bytes(data)
    assert arena("author", "add", "cup", "--from", "names.csv").stderr == f"arena: {said}\n"


def test_a_token_is_renewed_and_an_author_removed(arena: Arena, cup: Path) -> None:
    [old] = re.findall(TOKEN, arena("author", "add", "cup", "ada").stdout)
    [new] = re.findall(TOKEN, arena("author", "renew", "cup", "ada").stdout)
    with HandIns(cup) as db:
        assert by_token(db, old) is None
        assert by_token(db, new) is not None
    assert (
        arena("author", "remove", "cup", "ada").stdout == "ada may not hand in to cup any more.\n"
    )
    assert arena("author", "renew", "cup", "ada").stderr == (
        "arena: there is nobody called 'ada' in cup: nobody is here.\n"
    )


def test_a_list_has_everybody_and_no_token(arena: Arena, cup: Path) -> None:
    arena("author", "add", "cup", "ada")
    arena("author", "add", "cup", "olga", "--organizer")
    arena("author", "add", "cup", "rita", "--reader")
    listed = arena("author", "list", "cup")
    assert [line.split()[:2] for line in listed.stdout.splitlines()[2:]] == [
        *(["ada", "author"], ["olga", "organizer"], ["rita", "reader"])
    ]
    with HandIns(cup) as db:
        assert len(people(db)) == 3
    assert not re.search(TOKEN, listed.stdout)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["add", "cup"], "name persons, or a file of many: --from names.csv."),
        (["add", "none", "ada"], "there is no league 'none': no such folder."),
        (["add", "cup", "ada", "--url", "ftp://x"], "--url ftp://x is no address of a server"),
        (["add", "cup", "ada", "--url", "https://x/#y"], "--url https://x/#y is no address"),
        (["list", "cup"], "nobody may hand in to cup yet: `arena author add cup NAME` makes"),
    ],
)
def test_a_mistake_is_refused_in_words(
    arena: Arena, cup: Path, words: list[str], said: str
) -> None:
    result = arena("author", *words)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"arena: {said}")
