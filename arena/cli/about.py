"""Commands about what is bundled: games, bots."""

import ast
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from arena.author.describing import decision_rows, option_rows
from arena.author.new import TEMPLATES, find_language, moves_schema
from arena.cli import completion, main
from arena.cli.options import output_format, trust_option
from arena.cli.saying import show
from arena.league.finding import bots_for
from arena.league.games import family_of, find_game
from arena.tables.table import Column, Table, render
from arena.text import quoted, safe
from protocol.door import door_schemas
from protocol.errors import ArenaError
from protocol.game_messages import game_message_schemas
from protocol.messages import message_schemas
from protocol.remote import remote_schemas
from referee.catalog.finding import OPENSPIEL, Source, installed
from referee.catalog.folder import rules_of
from referee.catalog.loading import Listed
from referee.games import GAMES
from referee.rules.game import Game
from referee.rules.options import suggestion


@main.command()
@click.argument("game", required=False, shell_complete=completion.games)
@click.option("--rules", is_flag=True, help="Print only the rules of the game.")
@click.option(
    "--schema", is_flag=True, help="Print the JSON Schema of the game's moves; alone, of messages."
)
@output_format
@trust_option
def games(game: str | None, rules: bool, schema: bool, form: str) -> None:
    """List the games, or describe one: its seats, options, decisions and rules.

    GAME is a name of the list, or a file such as ./nim.py. Of a family of games, the names are
    listed.

    With --schema, GAME may also be `door`: the requests through a bot's door, and their answers;
    `remote`: what is said for a bot that runs on its author's machine; `game-protocol`: the
    messages of a game that is a program; or `api`: what a server is asked.

    \b
    arena games
    arena games guerra | less
    arena games guerra --rules > guerra.md
    arena games guerra --schema
    arena games --schema
    arena games api --schema
    """
    if rules and schema:
        raise ArenaError("--rules and --schema do not go together; choose one.")
    if schema:
        found = _SCHEMAS[game]() if game in _SCHEMAS else moves_schema(find_game(str(game))[0])
        click.echo(json.dumps(found, indent=2))
    elif game is None and rules:
        raise ArenaError("say of which game: `arena games GAME --rules`.")
    elif game is None:
        show(_games_table(), form)
    elif family := family_of(game):
        show(_family_table(family), form)
        refused = sum(bool(each.refusal) for each in family)
        if form == "simple" and refused:
            click.echo(f"\n{len(family) - refused} games can be played, {refused} cannot.")
    elif rules:
        click.echo(rules_of(find_game(game)[0]), nl=False)
    else:
        _tell(find_game(game)[0], game, form)


def _games_table() -> Table:
    return Table(
        "games",
        (
            Column("Game", "game"),
            Column("Seats", lambda row: _counts(row["seats"])),
            Column("What it is", "title", width=56),
        ),
        [
            *(
                {"game": game.name, "seats": list(game.seat_counts), "title": game.title}
                for game in GAMES.values()
            ),
            *(
                {"game": each.word, "seats": None, "title": _said(each)}
                for each in installed()
                if each.word not in GAMES
            ),
        ],
    )


def _said(source: Source) -> str:
    if source.word == OPENSPIEL:
        return f"About a hundred games of OpenSpiel: arena games {OPENSPIEL}"
    return f"A game {source.said}."


def _family_table(games: Sequence[Listed]) -> Table:
    rows = [
        {
            "game": each.name,
            "seats": [*each.seats],
            "title": each.title,
            "refusal": each.refusal,
        }
        for each in sorted(games, key=lambda each: (bool(each.refusal), each.name))
    ]
    prefix = games[0].name.partition(":")[0]
    columns = (
        Column(f"{prefix}:", lambda row: row["game"].partition(":")[2]),
        Column("Seats", lambda row: _counts(row["seats"])),
        Column(
            "What it is",
            lambda row: f"Not playable: {row['refusal']}" if row["refusal"] else row["title"],
            width=36,
        ),
    )
    return Table("games", columns, rows)


def _parts(options: Table, decisions: Table) -> list[dict[str, Any]]:
    """Return the rows of both in one form."""
    keys = ("name", "default", "values", "meaning")
    rows = []
    for part, table in (("option", options), ("decision", decisions)):
        for row in table.rows:
            told = {**row, "name": row[part]}
            rows.append({"part": part, **{key: told.get(key) for key in keys}})
    return rows


def _counts(seats: Sequence[int] | None) -> str:
    if not seats:
        return "-"
    return str(seats[0]) if len(seats) == 1 else f"{seats[0]}-{seats[-1]}"


def _tell(game: type[Game], word: str, form: str) -> None:
    options = Table(
        "options",
        (
            Column("Option", "option"),
            Column("Default", lambda row: json.dumps(row["default"])),
            Column("Values", "values", width=18),
            Column("Meaning", "meaning", width=32),
        ),
        option_rows(game),
    )
    decisions = Table(
        "decisions",
        (Column("Decision", "decision"), Column("What is chosen", "meaning", width=60)),
        decision_rows(game),
    )
    if form == "json":
        facts = {
            "game": game.name,
            "seats": list(game.seat_counts),
            "title": game.title,
            **({"score": game.score} if game.score else {}),
            **({"numbers": dict(game.measures)} if game.measures else {}),
        }
        click.echo(
            json.dumps({**facts, "options": options.rows, "decisions": decisions.rows}, indent=2)
        )
        return
    if form == "csv":
        show(Table("parts", (), _parts(options, decisions)), form)
        return
    head = [f"{game.name}: {game.title}", f"Seats: {_counts(game.seat_counts)}"]
    head += [f"Score: {game.score}"] if game.score else []
    head += [f"Number of a match: {name}, {words}" for name, words in game.measures.items()]
    parts = ["\n".join(head), render(options, form) if options.rows else "It has no options."]
    parts.append(render(decisions, form) if decisions.rows else "Nobody decides anything.")
    if form == "simple":
        parts += [
            f"Moves as JSON Schema: arena games {quoted(word)} --schema",
            "-" * 80,
            rules_text(game),
        ]
    click.echo_via_pager("\n\n".join(part.rstrip("\n") for part in parts))


def rules_text(game: type[Game]) -> str:
    """Return the rules of a game, or that there are none to be read."""
    try:
        return rules_of(game)
    except ArenaError as error:
        return safe(f"The rules cannot be shown: {error}")


@main.command()
@click.argument("game", required=False, shell_complete=completion.games)
@click.option(
    "--kit",
    is_flag=False,
    flag_value="python",
    metavar="[LANGUAGE]",
    help="Print the kit for bots in a language, to copy: Python unless another is named.",
)
@click.option("--show", "shown", metavar="BOT", help="Print the program of a bot of GAME.")
@output_format
@trust_option
def bots(game: str | None, kit: str | None, shown: str | None, form: str) -> None:
    """List the bundled bots of all games, or of one.

    \b
    arena bots
    arena bots guerra
    arena bots guerra --show sensible | less
    arena bots --kit > kit.py
    arena bots --kit javascript > kit.js
    """
    if kit is not None:
        name, language = find_language(kit)
        click.echo((TEMPLATES / name / language.kit).read_text(), nl=False)
        return
    if shown is not None:
        click.echo(_program(game, shown).read_text(), nl=False)
        return
    kinds = [find_game(game)[0]] if game else GAMES.values()
    rows = [
        {"game": kind.name, "bot": bot, "description": _first_line(path)}
        for kind in kinds
        for bot, path in bots_for(kind).items()
    ]
    columns = (
        Column("Game", "game"),
        Column("Bot", "bot"),
        Column("How it plays", "description", width=52),
    )
    show(Table("bots", columns, rows), form)


def _program(game: str | None, bot: str) -> Path:
    """Return the file of a bundled bot; raise ArenaError if there is none of that name."""
    if game is None:
        raise ArenaError(f"say of which game: `arena bots GAME --show {bot}`.")
    kind, _ = find_game(game)
    known = bots_for(kind)
    path = known.get(bot.removeprefix(f"{kind.name}_"))
    if path is None:
        raise ArenaError(f"{kind.name} has no bot {bot!r}. {suggestion(bot, known)}")
    return path


def _first_line(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    return text.partition("\n")[0]


def _api_schema() -> Any:
    from arena.serve.api import api_schema  # here, as it costs the others a while

    return api_schema()


_SCHEMAS: dict[str | None, Callable[[], Any]] = {
    None: message_schemas,
    "game-protocol": game_message_schemas,
    "door": door_schemas,
    "remote": remote_schemas,
    "api": _api_schema,
}
"""What `arena games WORD --schema` prints; another word is a game's."""
