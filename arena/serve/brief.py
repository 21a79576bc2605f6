"""What who begins has to know of a league: its game in words and lines, and a program to change."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from arena.author.describing import Spoken, conversation, option_rows
from arena.author.new import bot_files, find_language, languages
from arena.author.starter import in_words
from arena.league.file import read_asked, with_game
from arena.serve.views import league_name
from protocol.errors import ArenaError, Refusal
from referee.catalog.folder import rules_of
from referee.games import GAMES
from referee.rules.game import Game
from referee.rules.options import new_game, read_options

STARTER = "mine"
"""How the bot of a starter is called, and its folder."""
_RULES = 100_000  # characters that are shown
_LINE = 20_000  # characters of a line that are shown
_MOST_BYTES = 1 << 20  # of a starter


class OptionRow(msgspec.Struct, frozen=True, kw_only=True):
    """An option of a game, as the league has it."""

    option: str
    value: Any
    default: Any
    values: str
    """The values that it may have, in words."""
    meaning: str


class LimitsRow(msgspec.Struct, frozen=True, kw_only=True):
    """What every bot is allowed in a league, by the keys of `[limits]`."""

    judge: str
    """The clock that counts: cpu or wall."""
    move_time: float
    bank: float
    increment: float
    startup: float
    faults_allowed: int
    memory_mb: int
    files_mb: int
    threads: int
    sandbox: str
    fresh: bool
    pace: str
    has_door: bool
    """Whether bots may ask something elsewhere."""


_SHOWN = [name for name in LimitsRow.__struct_fields__ if name not in ("judge", "has_door")]


class GameView(msgspec.Struct, frozen=True, kw_only=True):
    """A league's game, as who begins has to know it."""

    league: str
    game: str
    title: str
    is_bundled: bool
    """Whether the arena brings the game along, so that everybody can play it at home."""
    seats: int
    score: str
    """What its scores count; empty in a game without."""
    measures: dict[str, str]
    """Its numbers of a match, each with what it counts."""
    rules: str
    """The page of its rules, in Markdown; empty if nobody wrote one."""
    options: list[OptionRow]
    limits: LimitsRow
    decisions: dict[str, list[tuple[str, str]]]
    """What is asked, in paragraphs that each have an indent."""
    opening: list[tuple[bool, str]]
    """What is said in the beginning of a match, each line with whether the bot says it."""
    end: list[tuple[bool, str]]
    asks: dict[str, list[tuple[bool, str]]]
    """An ask and its answer, for each decision that came up in that match."""


class StarterView(msgspec.Struct, frozen=True, kw_only=True):
    """A new bot in one language, as `arena new` makes it."""

    language: str
    title: str
    """What the language is called."""
    bot: str
    """The file to be changed."""
    kit: str
    executable: str
    """The file that is to be executable; empty if none is."""
    files: dict[str, str]
    """The texts of all of its files, by name."""


class KnownLanguage(msgspec.Struct, frozen=True):
    """A language in which bots can be begun."""

    name: str
    title: str
    kit: str
    lacking: list[str]
    """The programs that it needs which are not on this server."""


@cache
def known_languages() -> Sequence[KnownLanguage]:
    """Return the languages there are, as they can be used on this server."""
    return [
        KnownLanguage(name, each.title, each.kit, each.lacking)
        for name, each in languages().items()
    ]


def game_view(folder: Path) -> GameView:
    """Return what is to be known of the game of a league; raise ArenaError if it cannot be had."""
    league = with_game(read_asked(folder))
    game = league.loaded
    options = read_options(game, league.options, league.seats)
    values = msgspec.to_builtins(options)
    said = conversation(game, league.seats, options, league.limits)
    return GameView(
        league=league_name(league),
        game=game.name,
        title=game.title,
        is_bundled=GAMES.get(game.name) is game,
        seats=league.seats,
        score=game.score,
        measures=dict(game.measures),
        rules=_rules(game),
        options=[OptionRow(**row, value=values[row["option"]]) for row in option_rows(game)],
        limits=LimitsRow(
            judge=league.limits.judge,
            has_door=league.door is not None,
            **{name: getattr(league.limits, name) for name in _SHOWN},
        ),
        decisions=in_words(new_game(game, league.seats, options, "1")),
        opening=_shown(said.opening),
        end=_shown(said.end),
        asks={name: _shown(lines) for name, lines in said.asks.items()},
    )


def starter_view(folder: Path, language: str) -> StarterView:
    """Return a new bot for the game of a league; raise Refusal for an unknown language."""
    if language not in languages():
        raise Refusal(404, f"there is no language {language[:40]!r}.")
    _, kind = find_language(language)
    contents, executable = bot_files(STARTER, language, with_game(read_asked(folder)).loaded)
    if sum(map(len, contents.values())) > _MOST_BYTES:
        raise ArenaError(f"the starter in {kind.title} is too large: the game says too much.")
    return StarterView(
        language=language,
        title=kind.title,
        bot=kind.bot,
        kit=kind.kit,
        executable=executable,
        files={name: content.decode() for name, content in contents.items()},
    )


def _rules(game: type[Game]) -> str:
    try:
        text = rules_of(game)
    except ArenaError:  # which says where they should be on this machine
        return ""
    return text if len(text) <= _RULES else f"{text[:_RULES]}…"


def _shown(lines: list[Spoken]) -> list[tuple[bool, str]]:
    return [(by_bot, line if len(line) <= _LINE else f"{line[:_LINE]}…") for by_bot, line in lines]
