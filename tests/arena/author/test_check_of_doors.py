"""Bots that ask through a door are checked with it: answered, paid once, and judged as any."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.store.under_way import MatchesUnderWay
from tests.arena.conftest import ARENA, ROOT, Arena, League
from tests.arena.play.slow.test_doors import ASKER, KEY, environment, write
from tests.provider import Provider


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """A provider of chat completions."""
    with Provider() as made:
        yield made


@pytest.fixture
def bot(tmp_path: Path, provider: Provider) -> Path:
    """A bot that asks the provider for every move."""
    folder = tmp_path / "asker"
    folder.mkdir()
    shutil.copy(ROOT / "bots" / "templates" / "python" / "kit.py", folder)
    (folder / "bot.py").write_text(ASKER.replace("URL", provider.url))
    needs = f'needs = {{ door = ["{provider.asked}"] }}\n'
    (folder / "bot.toml").write_text(f'command = ["{{python}}", "bot.py"]\n{needs}')
    provider.behave("good")
    provider.forget()
    return folder


def checked(bot: Path, provider: Provider, *words: str, code: int = 0) -> tuple[str, str]:
    """Check a bot; return what was printed, and said on standard error."""
    game = ["--game", "openspiel:tic_tac_toe", "--sandbox", "none"]
    runner = CliRunner(env={"SSL_CERT_FILE": str(provider.ca), "CHAT_KEY": KEY})
    ended = runner.invoke(main, ["check", str(bot), *game, *words], catch_exceptions=False)
    assert ended.exit_code == code, ended.output
    return " ".join(ended.stdout.split()), " ".join(ended.stderr.split())


def test_what_it_asks_is_answered_and_paid_once(bot: Path, provider: Provider) -> None:
    before = provider.count["completions"]
    out, err = checked(bot, provider, "--key", f"{provider.url}=CHAT_KEY")
    assert f'is checked with door = ["{provider.asked}"]' in err
    assert "plays whole matches: 2 matches of 2 seats" in out
    assert "answers alike when all is repeated: 2 matches" in out
    assert "is fit to play" in out
    answers = provider.count["completions"] - before
    assert f"answers with legal moves: {answers} answers" in out  # though all was played again
    assert any(KEY in str(each["headers"]) for each in provider.forget())


def test_a_provider_that_fails_fails_the_step(bot: Path, provider: Provider) -> None:
    provider.behave("status", status=401, headers={})
    out, _ = checked(bot, provider, "--key", f"{provider.url}=CHAT_KEY", code=1)
    assert "FAILED plays whole matches:" in out
    assert "401" in out
    assert "Whether asker is fit to play openspiel:tic_tac_toe is not known" in out


def test_keys_that_cannot_be_meant_are_refused(arena: Arena, bot: Path, provider: Provider) -> None:
    for key, says in (
        ("URL=NOT_SET", "the variable NOT_SET is not set"),
        ("https://api.example.org=CHAT_KEY", "to which allow lets nothing through"),
        ("URL", "--key takes ORIGIN=VARIABLE"),
    ):
        _, err = checked(bot, provider, "--key", key.replace("URL", provider.url), code=2)
        assert says in err
    (bot / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
    _, err = checked(bot, provider, "--key", "https://api.example.org=CHAT_KEY", code=2)
    assert "--key goes with --limit door=REQUEST" in err
    limit = ("--limit", "door=POST https://api.example.org/v1")
    ended = arena("play", "guerra", "random", "random", *limit)
    assert ended.exit_code == 2
    assert "asks through its door in `arena check`, and in leagues" in ended.stderr


@pytest.mark.slow  # three checks of a bot that asks for every move
def test_what_a_check_costs_counts_in_the_league(
    bot: Path, provider: Provider, league: League
) -> None:
    write(league, provider, door="spend = 0.001\n")
    file = league.folder / "league.toml"
    file.write_text(f"seats = 2\n{file.read_text()}")
    words = ["add", str(league.folder), f"asker={bot}", "--grant", "--replace"]
    asked = []
    for _ in range(3):
        env = environment(provider)
        ended = subprocess.run([*ARENA, *words], env=env, capture_output=True, cwd=ROOT)
        asked.append(provider.count["completions"])
    assert ended.returncode == 0  # it is answered 402 from then on, and plays legal moves
    assert asked[1] == asked[2]  # once all is spent, nothing is asked for any more
    with MatchesUnderWay(league.folder) as under_way:
        assert under_way.spent()["asker"] >= 0.001
