"""The pages for who begins: what they show of a game, what they give to take home, and to whom."""

import io
import json
import time
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from starlette.requests import Request

from arena.author.describing import SEED, conversation
from arena.author.new import languages, write_bot
from arena.serve.beginning import address_for, begin_page, game_page, starter_zip
from arena.serve.brief import GameView, StarterView, game_view, starter_view
from arena.serve.markdown import markdown
from arena.serve.pages import WebVisit
from protocol.messages import Ask, End, Hello, Ready, Reply, Start
from referee.games import GAMES
from referee.limits import Limits
from referee.rules.options import new_game, read_options
from tests.arena.report.test_summary import league_of
from tests.arena.serve.conftest import Contest
from tests.arena.serve.serving import add_person, serving, write_league

VISIT = WebVisit(league="cup")


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    return league_of(tmp_path / "cup", ("ann", "bob"))


def unpacked(data: bytes) -> dict[str, tuple[int, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {
            each.filename: (each.external_attr >> 16, archive.read(each))
            for each in archive.infolist()
        }


# --- rules as HTML


def test_rules_are_shown_with_their_headings_lists_tables_and_code() -> None:
    text = """\
# Nim ##
Take *some*,
**never** none; `a*b*` <i>. See [there](https://x.org/a) or [here](../war/rules.md#b).
<!-- a note -->
1. one

   | a | b |
   |---|---|
   | `x|y` | z \\| w |
2. two
   - in it

```json
{"a": "<b>"}
```
"""
    assert str(markdown(text)).splitlines() == [
        "<h2>Nim</h2>",
        "<p>Take <em>some</em>, <strong>never</strong> none; <code>a*b*</code> &lt;i&gt;. See "
        '<a href="https://x.org/a" rel="noreferrer noopener">there</a> or here.</p>',
        "<ol><li><p>one</p>",
        '<div class="scroll" role="region" aria-label="Table of the rules" tabindex="0">'
        '<table class="told"><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>'
        "<tbody><tr><td><code>x|y</code></td><td>z | w</td></tr></tbody></table></div></li>",
        "<li><p>two</p>",
        "<ul><li><p>in it</p></li></ul></li></ol>",
        '<pre tabindex="0" role="group" aria-label="Text as it is">{&#34;a&#34;: &#34;&lt;b&gt;'
        "&#34;}</pre>",
    ]


def test_no_markup_of_a_rules_page_gets_through() -> None:
    for text in (
        "<script>alert(1)</script>",
        "# <img src=x onerror=alert(1)>",
        "`</code><script>`",
        "| <td onclick=x> |\n|---|\n| <b> |",
        "- <svg onload=alert(1)>",
        "```\n</pre><script>\n```",
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:x) [b](data:text/html,x) [c](//evil.org) [d](http://evil.org)",
        '[a](https://x/"onmouseover="alert(1))',
        "**<b>** *<i>* _<u>_",
    ):
        made = str(markdown(text))
        for tag in ("<script", "<img", "<svg", "<b>", "<i>", "<u>", "<td onclick", 'ver="'):
            assert tag not in made, text
        assert 'href="' not in made or 'href="https://x/' in made
    assert "[U+202E]" in markdown("a \u202e b")


@pytest.mark.parametrize(
    "piece",
    [
        *("*", "[", "`", "_a", "- ", "|", "|`", "[a](", "a|\n", "- a\n\n", "<!--", "**a", "\\|"),
        *("#", "```\n", "  - a\n", "1. ", "> ", "~~~"),
    ],
)
@pytest.mark.slow
def test_a_hostile_page_of_rules_takes_no_time(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    began = time.process_time()
    markdown(text)
    assert time.process_time() - began < 3


def test_lists_as_deep_as_can_be_are_an_end() -> None:
    deep = "\n".join(f"{' ' * 2 * depth}- x" for depth in range(200))
    assert "x" in markdown(deep)


def test_all_rules_pages_of_ours_are_understood() -> None:
    for name, game in GAMES.items():
        text = Path(str(__import__(game.__module__, fromlist=["x"]).__file__)).parent / "rules.md"
        made = str(markdown(text.read_text()))
        assert made.startswith("<h2>"), name
        assert not any(left in made for left in ("**", "](", "\n|")), name


# --- what a game says


@pytest.mark.parametrize("name", ["khan", "cold_war"])
def test_the_lines_of_an_example_are_those_of_the_protocol(name: str) -> None:
    kind = GAMES[name]
    options = read_options(kind, {})
    seats, limits = kind.seat_counts[0], Limits(threads=2)
    said = conversation(kind, seats, options, limits)
    assert said == conversation(kind, seats, options, limits)
    assert [each.by_bot for each in said.opening] == [False, True, False, False, True]
    kinds: tuple[Any, ...] = (Hello, Ready, Start, Ask, Reply)
    hello, _, start, ask, reply = (
        msgspec.json.decode(each.line, type=kind)
        for each, kind in zip(said.opening, kinds, strict=True)
    )
    assert (hello.threads, start.game, start.seats, ask.id) == (2, name, seats, reply.id)
    assert start.clock == limits.time_control
    dealt = new_game(kind, seats, options, SEED)
    assert json.loads(msgspec.json.encode(dealt.view(start.seat))) == ask.view
    assert dealt.decision(start.seat).name == ask.decision
    if ask.legal is not None:
        assert reply.move in ask.legal
    else:
        assert len(ask.samples or ()) == 2
    for decision, (asked, _) in said.asks.items():
        assert msgspec.json.decode(asked.line, type=Ask).decision == decision
    [end] = said.end
    assert len(msgspec.json.decode(end.line, type=End).places) == seats


def test_the_game_is_that_of_the_league_and_tells_no_secret(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup")
    file = folder / "league.toml"
    file.write_text(file.read_text().replace("seed = 1\n", 'seed = "sesame"\n'))
    view = game_view(folder)
    values = {row.option: (row.value, row.default) for row in view.options}
    assert (view.game, view.is_bundled, view.limits.sandbox) == ("guerra", True, "none")
    assert values["max_turns"] == (20, 200)
    text = msgspec.json.encode(view).decode()
    assert "sesame" not in text
    assert str(tmp_path) not in text
    page = game_page(VISIT, view)
    for words in ("<code>20</code>, usually <code>200</code>", "<h2>Guerra</h2>"):
        assert words in page, words


WICKED = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u202e{{7*7}}"


def test_what_a_game_of_strangers_says_is_text() -> None:
    view = msgspec.json.decode(msgspec.json.encode(hostile_game(WICKED)), type=GameView)
    page = game_page(VISIT, view)
    for markup in ("<script>", "<img", "\u202e"):
        assert markup not in page
    assert "{{7*7}}" in page


def hostile_game(words: str) -> dict[str, Any]:
    lines = [(True, words), (False, words * 200)]
    limits = {
        **dict.fromkeys(("move_time", "bank", "increment", "startup"), 1.0),
        **dict.fromkeys(("faults_allowed", "memory_mb", "files_mb", "threads"), 1),
        **dict.fromkeys(("judge", "sandbox", "pace"), words),
        **dict.fromkeys(("fresh", "has_door"), True),
    }
    option = {"option": words, "value": words, "default": [words]}
    return {
        **dict.fromkeys(("league", "game", "title", "score", "rules"), words),
        "is_bundled": False,
        "seats": 2,
        "measures": {words: words},
        "options": [{**option, "values": words, "meaning": words}],
        "limits": limits,
        "decisions": {words: [("", words), ("  ", words)]},
        "opening": lines,
        "end": lines,
        "asks": {words: lines},
    }


# --- what is taken home


def test_a_starter_is_what_arena_new_makes_in_the_same_bytes(cup: Path, tmp_path: Path) -> None:
    for language in ("python", "rust", "shell"):
        starter = starter_view(cup, language)
        data = starter_zip(starter)
        assert data == starter_zip(starter_view(cup, language))
        folder = tmp_path / language / "mine"
        folder.parent.mkdir()
        write_bot(folder, language, GAMES["guerra"])
        found = {
            f"mine/{path.name}": (0o100644 | 0o111 * (path.stat().st_mode & 1), path.read_bytes())
            for path in folder.iterdir()
        }
        assert unpacked(data) == found


def test_an_address_is_said_only_if_it_is_one() -> None:
    def seen(host: str, scheme: str = "https") -> str:
        url = SimpleNamespace(scheme=scheme)
        request = SimpleNamespace(headers={"host": host}, url=url)
        return address_for(cast("Request", request), "cup")

    assert seen("bots.example.org") == "https://bots.example.org/cup"
    assert seen("127.0.0.1:8000", "http") == "http://127.0.0.1:8000/cup"
    assert seen("[::1]:80", "ws") == "http://[::1]:80/cup"
    for host in (
        *("", "a b", "a;reboot", "$(reboot)", "a'b", 'a"b', "a/b", "a@b", "<b>", "x" * 300, "-a"),
        *("a\nb", "a:b", "a:123456", "é.org", "`x`", "a\\b", "a?b", "a#b"),
    ):
        assert seen(host) == "", host
    page = begin_page(VISIT, game="khan", is_bundled=True, address="")
    assert "arena submit ADDRESS" in page


# --- on a server

PAGES = ("game", "begin", "cross-table", "table.csv", "cross-table.csv")
HOME = ("starters/python", "kits/rust")


def test_strangers_may_read_all_of_it_and_take_it_home(contest: Contest) -> None:
    server = contest.server
    for page in (*PAGES, *HOME):
        assert server.ask(f"/cup/{page}").status == 200, page
    begin = server.ask("/cup/begin").text
    assert f"arena submit http://127.0.0.1:{server.port}/cup ./mine --check" in begin
    assert 'href="/cup/enter"' in begin
    matches = server.ask("/cup/matches").text
    assert "Authors alone see matches" in matches
    assert "There are none" not in matches
    taken = unpacked(server.ask("/cup/starters/python").body)
    _, readme = taken["mine/README.md"]
    assert f"arena submit http://127.0.0.1:{server.port}/cup ." in readme.decode()
    kit = server.ask("/cup/kits/rust")
    assert kit.headers["content-disposition"] == 'attachment; filename="kit.rs"'
    assert kit.headers["x-content-type-options"] == "nosniff"
    for path in ("starters/perl", "starters/..", "kits/%2e%2e", "kits/python%2fkit.py", "kits/"):
        assert server.ask(f"/cup/{path}").status == 404, path


def test_a_host_that_is_none_is_said_nowhere(contest: Contest) -> None:
    for host in ('x"><script>alert(1)</script>', "x; rm -rf ~", "$(reboot)", "`x`"):
        head = f"GET /cup/begin HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        answer = contest.server.raw(head.encode()).decode()
        assert host not in answer
        assert "arena submit http" not in answer


def test_a_starter_as_it_is_passes_the_check_of_its_league(contest: Contest) -> None:
    server, token = contest.server, contest.onlooker
    data = server.ask("/cup/starters/python").body
    path = "/submissions?bot=begun&filename=mine.zip&check=1"
    sent = server.api(path, method="POST", token=token, body=data)
    number = sent.json["submission"]["number"]
    assert server.decided(token, number)["state"] == "checked"


def test_all_languages_have_a_starter(cup: Path) -> None:
    for language in languages():
        found = starter_view(cup, language)
        assert {found.bot, found.kit} <= found.files.keys()
        assert msgspec.json.decode(msgspec.json.encode(found), type=StarterView) == found


@pytest.mark.slow
def test_a_league_without_readers_shows_strangers_none_of_it(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "secret", hand_in="readers = false")
    token = add_person(folder, "eve", "reader")
    with serving(folder) as server:
        cookie = server.enter(token)
        for page in (*PAGES, *HOME):
            assert server.ask(f"/secret/{page}").status == 401, page
            assert server.ask(f"/secret/{page}", cookie=cookie).status == 200, page
        for path in ("/game", "/cross-table"):
            assert server.api(path).status == 401
