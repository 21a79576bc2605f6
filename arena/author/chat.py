"""New bots that let a language model play: it is asked by the API of chat completions."""

import json
from pathlib import Path
from typing import Any

from arena.author.new import TEMPLATES, check_free, check_new, write_files
from arena.league.bot import check_name
from arena.league.finding import BUNDLED
from arena.text import toml
from protocol.errors import ArenaError
from referee.allowed import AllowedRequest, allowed_of
from referee.catalog.folder import rules_of
from referee.rules.game import Game

CHAT = BUNDLED / "bridges" / "chat.py"
"""The bot that asks a model."""
RULES, SCHEMA = "rules.md", "schema.json"
_ENDPOINT = "/chat/completions"


def write_chat(
    folder: Path, game: type[Game], url: str, model: str
) -> tuple[list[str], AllowedRequest]:
    """Write a bot into `folder`, which is made, that asks a model for its moves.

    `url` is what its provider's documentation calls the base: `https://api.example.org/v1`.
    Returns the names of the bot's files, and the request that its league must allow.

    Raises ArenaError as `write_bot` does, and for an address that no door leads to.
    """
    name = folder.resolve().name
    check_name(name)
    check_free(name, game.name)
    url = url.removesuffix("/").removesuffix(_ENDPOINT)
    request = _request_of(url)
    command = ["{python}", CHAT.name, "--url", url, "--model", model, "--schema", SCHEMA]
    kit = TEMPLATES / "python" / "kit.py"
    contents = {
        CHAT.name: CHAT.read_bytes(),
        kit.name: kit.read_bytes(),
        SCHEMA: json.dumps(moves_schema(game), indent=2).encode(),
    }
    try:
        contents[RULES] = rules_of(game).encode()
    except ArenaError:  # it has none: then the model must know the game by its name
        pass
    else:
        command += ["--rules", RULES]
    contents["bot.toml"] = (
        f"command = {toml(command)}\nneeds = {{ door = {toml([str(request)])} }}\n"
    ).encode()
    check_new(folder)
    return write_files(folder, contents), request


def moves_schema(game: type[Game]) -> dict[str, Any]:
    """Return the JSON Schema of a game's moves: one `$defs` entry for each decision."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Moves of {game.name}, by decision",
        "$defs": game.schemas(),
    }


def _request_of(url: str) -> AllowedRequest:
    """Return the request that asks a model there, as `[door]` of a league allows it."""
    try:
        return allowed_of(f"POST {url}{_ENDPOINT}")
    except ValueError as error:
        raise ArenaError(
            f"--chat {url!r} is no address: write it like https://api.example.org/v1 ({error})."
        ) from None
