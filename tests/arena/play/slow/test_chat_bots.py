"""The bot that asks a language model, in leagues of khan, by a provider that misbehaves."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.cli import main
from arena.league.finding import BUNDLED
from arena.store.opening import read_league
from arena.store.rows import WholeMatch
from arena.store.store import Store
from tests.arena.conftest import League
from tests.provider import Provider
from tests.referee.process_watch import until

PLAYS = {"kind": "plays"}
KEY = "sk-of-the-organizer"


def arena(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A provider that answers with legal moves."""
    with Provider() as provider:
        provider.behave("plays")
        yield provider


def begin(league: League, provider: Provider, *more: str, turns: int = 2) -> None:
    """Make a league of the bot and a random one, whose door has more terms."""
    made = arena(
        *("new", league.home / "sage", "--game", "khan"),
        *("--chat", f"{provider.url}/v1", "--model", "model-x"),
    )
    assert made.exit_code == 0, made.output
    terms = [
        f'allow = ["{provider.asked}"]',
        f'keys = {{ "{provider.url}" = "EXAMPLE_KEY" }}',
        "requests_per_minute = 100_000",
        "prices = { model-x = { input = 2.5, output = 10 } }",
        *more,
    ]
    league.write(
        f'game = "khan"\nseed = 1\ndeals = 1\noptions.max_turns_per_player = {turns}\n'
        'limits = { sandbox = "none", pace = "slow", move_time = 20 }\n'
        '[[bot]]\nname = "random"\nshipped = "khan_random"\n'
        f'[[bot]]\nname = "sage"\nfolder = "../sage"\ndoor = ["{provider.asked}"]\n'
        "[door]\n" + "\n".join(terms)
    )


def shared(provider: Provider) -> list[str]:
    """Return the term by which the provider is everybody's."""
    return [f'shared = ["GET {provider.url}/v1/models"]']


def environment(provider: Provider) -> dict[str, str]:
    return {**os.environ, "EXAMPLE_KEY": KEY, "SSL_CERT_FILE": str(provider.ca)}


def play(league: League, provider: Provider, code: int = 0) -> "subprocess.CompletedProcess[str]":
    return league.call("run", code=code, env=environment(provider))


def matches(league: League) -> list[WholeMatch]:
    with Store(read_league(league.folder).database) as store:
        _, found = store.everything()
        return [*found]


def asked_of(league: League) -> list[Any]:
    """Return the decisions of the bot in all matches; nobody may have had a fault."""
    found: list[Any] = []
    for whole in matches(league):
        assert not any(entry.fault for entry in whole.replay.entries)
        seat = [bot.name for bot in whole.match.bots].index("sage")
        found += [entry for entry in whole.replay.entries if entry.seat == seat]
    assert found
    return found


def spent(league: League) -> dict[str, Any]:
    ranked = json.loads(arena("rank", league.folder, "--cost", "--format", "json").stdout)
    found: dict[str, Any] = {row["bot"]: row for row in ranked["standings"]}
    return found


@pytest.mark.slow
def test_a_model_plays_khan_and_what_it_costs_is_what_its_provider_counts(
    league: League, provider: Provider
) -> None:
    begin(league, provider)
    before = provider.count
    play(league, provider)
    entries = asked_of(league)
    after = provider.count
    row = spent(league)["sage"]
    assert row["requests"] == len(entries) == after["completions"] - before["completions"]
    assert row["tokens_in"] == after["tokens_in"] - before["tokens_in"]
    exchanges = [each for whole in matches(league) for each in whole.evidence.exchanges]
    cost = sum(exchange.cost for exchange in exchanges)
    assert cost == pytest.approx(after["cost"] - before["cost"])
    assert row["cost"] == pytest.approx(cost)
    for whole in matches(league):
        seat = [bot.name for bot in whole.match.bots].index("sage")
        assert {exchange.seat for exchange in whole.evidence.exchanges} == {seat}
    assert all("I choose" in entry.note for entry in entries)
    (head,) = {request["headers"]["authorization"] for request in provider.forget()}
    assert head == f"Bearer {KEY}"
    assert "none differs" in league.call("verify").stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "I attack them all!",
        "",
        '{"action": "att',
        '{"action": "win"}',
        '{"action": NaN}',
        '{"move": ["attack", 1]}',
        "\udc00\0" * 9000,
        '{"a":' * 5000,
    ],
    ids=["prose", "nothing", "half", "illegal", "nan", "list", "strange", "deep"],
)
def test_a_model_that_talks_nonsense_costs_the_bot_no_fault(
    league: League, provider: Provider, text: str
) -> None:
    begin(league, provider, turns=1)
    provider.behave("says", text=text)
    before = provider.count["completions"]
    play(league, provider)
    entries = asked_of(league)
    assert provider.count["completions"] - before == 3 * len(entries)
    for entry in entries:
        assert entry.note.startswith("Not the model's move. After 3 of 3 tries: ")
    assert "none differs" in league.call("verify").stdout


@pytest.mark.slow
def test_a_model_is_told_what_was_wrong_and_asked_again(league: League, provider: Provider) -> None:
    begin(league, provider, turns=1)
    provider.behave("says", text='{"action": "win"}', times=1, then=PLAYS)
    play(league, provider)
    assert all("I choose" in entry.note for entry in asked_of(league))
    talks = [json.loads(request["body"])["messages"] for request in provider.forget()]
    (again,) = [talk for talk in talks if len(talk) > 2]
    assert [each["role"] for each in again] == ["system", "user", "assistant", "user"]
    assert '{"action": "win"} is not one of the legal moves.' in again[-1]["content"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [
        {"kind": "garbage"},
        {"kind": "half"},
        {"kind": "closed"},
        {"kind": "status", "status": 503},
        {"kind": "limited", "seconds": 1},
        {"kind": "slow", "seconds": 5},
        {"kind": "refused", "seconds": 0.7},
    ],
    ids=lambda how: how["kind"],
)
def test_what_a_provider_does_wrong_for_a_while_costs_nobody_anything(
    league: League, provider: Provider, how: dict[str, Any]
) -> None:
    begin(league, provider, "timeout = 0.5", "outage_wait = 5", turns=1)
    more = {} if how["kind"] == "refused" else {"times": 2}
    provider.behave(**how, **more, then=PLAYS)
    play(league, provider)
    entries = asked_of(league)
    assert all("I choose" in entry.note for entry in entries)
    assert spent(league)["sage"]["requests"] == len(entries)


@pytest.mark.slow
def test_a_slow_model_has_its_time_and_costs_without_prices_are_said_to_be_none(
    league: League, provider: Provider
) -> None:
    begin(league, provider, turns=1)
    file = league.folder / "league.toml"
    file.write_text(file.read_text().replace("prices = {", "# prices = {"))
    provider.behave("plays", seconds=0.1)
    play(league, provider)
    assert all("I choose" in entry.note for entry in asked_of(league))
    said = " ".join(league.call("rank", "--cost").stdout.split())
    assert f"{len(asked_of(league))} requests took tokens and cost nothing here" in said


@pytest.mark.slow
def test_matches_wait_for_a_provider_that_is_down_and_are_asked_nothing_twice(
    league: League, provider: Provider
) -> None:
    begin(league, provider, *shared(provider), "absence = 0.3", "outage_wait = 0")
    before = provider.count["completions"]
    provider.behave("plays", times=1, then={"kind": "status", "status": 502})
    ended = play(league, provider, code=1)
    said = " ".join(ended.stderr.split())
    assert f"{provider.url} does not answer our own request (it answered 502)" in said
    assert "begun and will go on). Run again to go on." in said
    provider.behave("plays")
    ended = play(league, provider)
    assert "anew" not in ended.stderr
    entries = asked_of(league)
    assert all("I choose" in entry.note for entry in entries)
    assert provider.count["completions"] - before == len(entries)


@pytest.mark.slow
def test_a_provider_that_comes_back_is_asked_on_in_the_same_run(
    league: League, provider: Provider
) -> None:
    begin(league, provider, "outage_wait = 30")
    provider.behave("status", status=500, times=9, then=PLAYS)
    play(league, provider)
    assert all("I choose" in entry.note for entry in asked_of(league))


@pytest.mark.slow
def test_what_was_answered_before_a_kill_is_not_asked_again(
    league: League, provider: Provider
) -> None:
    begin(league, provider, turns=4)
    provider.behave("plays", seconds=0.05)
    before = provider.count["completions"]
    run = league.start("run", env=environment(provider))
    until(lambda: provider.count["completions"] - before >= 6, 20)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    ended = play(league, provider)
    assert "anew" not in ended.stderr
    assert provider.count["completions"] - before == len(asked_of(league))


@pytest.mark.slow
def test_other_errors_of_a_provider_are_noted_with_the_move_that_was_played_instead(
    league: League, provider: Provider
) -> None:
    begin(league, provider, turns=1)
    provider.behave("status", status=404)
    play(league, provider)
    notes = {entry.note for entry in asked_of(league)}
    assert notes == {"Not the model's move. The provider answered 404: {}"}


@pytest.mark.slow
def test_no_match_is_played_with_a_key_that_our_own_request_shows_to_be_refused(
    league: League, provider: Provider
) -> None:
    begin(league, provider, *shared(provider))
    provider.behave("status", status=401)
    ended = play(league, provider, code=1)
    assert "it refuses the key in EXAMPLE_KEY" in " ".join(ended.stderr.split())
    assert league.count() == 0


@pytest.mark.slow
def test_a_bot_that_has_spent_all_plays_on_and_notes_that_it_was_not_the_model(
    league: League, provider: Provider
) -> None:
    begin(league, provider, "spend = 0.02")
    play(league, provider)
    notes = [entry.note for entry in asked_of(league)]
    assert any("I choose" in note for note in notes)
    refused = [note for note in notes if "The provider answered 402: {" in note]
    assert any("of the 0.02 that [door] allows" in note for note in refused)


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The bot as a module."""
    monkeypatch.syspath_prepend(str(BUNDLED / "templates" / "python"))
    monkeypatch.syspath_prepend(str(BUNDLED / "bridges"))
    return __import__("chat")


DRAW, RAID = {"action": "draw"}, {"action": "attack", "target": 1}


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ('{"action": "draw"}', DRAW),
        ('```json\n{"target": 1, "action": "attack"}\n```', RAID),
        ('First {"action": "draw"}? No: {"action": "attack", "target": 1}. Yes.', RAID),
        ('{"move": {"action": "draw"}, "why": "{peace}"}', DRAW),
        ('[{"action": "draw"}]', DRAW),
        ('{"action": "draw"} or {"action": "win"}', DRAW),
        ('{"action": "draw"', None),
        ('{"action": "attack", "target": 2}', None),
    ],
)
def test_a_move_is_found_in_what_stands_around_it(
    chat: ModuleType, said: str, move: dict[str, Any] | None
) -> None:
    found = chat.move_in(said, [DRAW, RAID])
    assert isinstance(found, str) if move is None else found == move


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--chat", "https://api.example.org/v1", "--game", "khan"], "--model"),
        (["--model", "x", "--game", "khan"], "--chat"),
        (["--chat", "https://api.example.org/v1", "--model", "x"], "--game"),
        (["--chat", "api.example.org", "--model", "x", "--game", "khan"], "is no address"),
        (["--chat", "http://a.example.org", "--model", "x", "--game", "khan"], "by https"),
        (["--chat", "https://[::1", "--model", "x", "--game", "khan"], "is no address"),
        (["--chat", "https://x.org", "--model", "x", "--lang", "go"], "leave out --lang"),
    ],
)
def test_a_bot_that_cannot_ask_is_refused(tmp_path: Path, words: list[str], says: str) -> None:
    result = arena("new", tmp_path / "bot", *words)
    assert result.exit_code == 2
    assert says in " ".join(result.stderr.split())
    assert not (tmp_path / "bot").exists()


def test_a_bot_that_asks_is_checked_through_its_door(tmp_path: Path, provider: Provider) -> None:
    url = f"{provider.url}/v1"
    words = ("--chat", f"{url}/chat/completions/", "--model", "model-x")
    made = arena("new", tmp_path / "sage", "--game", "casino_war", *words)
    assert made.exit_code == 0, made.output
    file = (tmp_path / "sage" / "bot.toml").read_text()
    assert f'needs = {{ door = ["{provider.asked}"] }}' in file
    assert f'"{url}", "--model", "model-x"' in file
    check = ("check", tmp_path / "sage", "--game", "casino_war", "--sandbox", "none")
    check += ("--option", "rounds=3", "--seconds", "2")
    provider.behave("plays", seconds=0.05)  # the door lets 60 requests a minute through
    runner = CliRunner(env={"EXAMPLE_KEY": KEY, "SSL_CERT_FILE": str(provider.ca)})
    checked = runner.invoke(main, [*map(str, check), "--key", f"{provider.url}=EXAMPLE_KEY"])
    assert checked.exit_code == 0, checked.output
    assert provider.count["completions"]
