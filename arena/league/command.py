"""The command of a bot, as a file gives it."""

import json
import re
from collections.abc import Sequence

from arena.text import toml
from protocol.errors import ArenaError

REMOTE = "{remote}"
"""The first word of the command of a bot that runs on its author's machine, before its digest."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LIMIT = 64 << 10  # bytes in JSON, half of what the fork server takes


def check_command(name: str, command: Sequence[str]) -> None:
    """Raise ArenaError for a command that cannot be passed on."""
    if not command:
        raise ArenaError(f"bot {name!r}: its command is empty.")
    if command[0] == REMOTE and not (len(command) == 2 and _DIGEST.fullmatch(command[1])):
        raise ArenaError(
            f"bot {name!r}: a bot that runs on its author's machine has the command "
            f"{toml([REMOTE, '...'])}, with the hash of its files, which `arena connect` writes."
        )
    for word in command:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise ArenaError(
                f"bot {name!r}: {word[:40]!r} in its command is not UTF-8; rename it."
            ) from None
        if "\0" in word:
            raise ArenaError(
                f"bot {name!r}: {word[:40]!r} in its command holds \\0; take that out."
            )
    if len(json.dumps(command)) > _LIMIT:
        raise ArenaError(
            f"bot {name!r}: its command is too long ({len(command)} words; "
            f"{_LIMIT >> 10} KiB at the most). Put a part of it into a file of the bot."
        )
