"""New bots that let a language model play: it is asked by the API of chat completions."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from arena.author.new import TEMPLATES, check_free, write_files
from arena.league.bot import check_name
from arena.league.finding import BUNDLED
from arena.text import toml
from protocol.errors import ArenaError, ProtocolError
from referee.door.names import Doorplate, place_of
from referee.folder import rules_of
from referee.game import Game

CHAT = BUNDLED / "bridges" / "chat.py"
"""The bot that asks a model."""
RULES, SCHEMA = "rules.md", "schema.json"
_ENDPOINT = "/chat/completions"


def write_chat(folder: Path, game: type[Game], url: str, model: str) -> tuple[list[str], str]:
    """Write a bot into `folder`, which is made, that asks a model for its moves.

    `url` is what its provider's documentation calls the base: `https://api.example.org/v1`.
    Returns the names of the bot's files, and the name that its league must let it ask.

    Raises ArenaError as `write_bot` does, and for an address that no door leads to.
    """
    name = folder.resolve().name
    check_name(name)
    check_free(name, game.name)
    url = url.removesuffix("/").removesuffix(_ENDPOINT)
    door = _door_of(url)
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
        f"command = {toml(command)}\nneeds = {{ door = {toml([door])} }}\n"
    ).encode()
    return write_files(folder, contents, ""), door


def moves_schema(game: type[Game]) -> dict[str, Any]:
    """Return the JSON Schema of a game's moves: one `$defs` entry for each decision."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Moves of {game.name}, by decision",
        "$defs": game.schemas(),
    }


def _door_of(url: str) -> str:
    """Return the name in an address, as `[door]` of a league allows it."""
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("https", "http") and parts.netloc and not parts.query
    except ValueError:  # brackets that do not close
        is_whole = False
    if not is_whole:
        raise ArenaError(f"--chat {url!r} is no address: write it like https://api.example.org/v1.")
    try:
        try:
            place = place_of(parts.netloc if parts.scheme == "https" else url)
        except ValueError:  # a model of one's own is written out
            place = place_of(f"{parts.scheme}://{parts.netloc}")
        Doorplate([place]).find(f"{url}{_ENDPOINT}")
    except (ValueError, ProtocolError) as error:
        raise ArenaError(f"--chat {url!r} is no address: {str(error).rstrip('.')}.") from None
    return place.name
