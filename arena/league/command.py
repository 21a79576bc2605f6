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
    if why := _unfit(command):
        raise ArenaError(f"bot {name!r}: {why}")


def _unfit(command: Sequence[str]) -> str:
    """Return why a command cannot be passed on, and what to do about it; or nothing."""
    if not command:
        return "its command is empty."
    if command[0] == REMOTE and not (len(command) == 2 and _DIGEST.fullmatch(command[1])):
        return (
            f"a bot that runs on its author's machine has the command {toml([REMOTE, '...'])}, "
            f"with the hash of its files, which `arena connect` writes."
        )
    for word in command:
        if re.search("[\ud800-\udfff]", word):
            return f"{word[:40]!r} in its command is not UTF-8; rename it."
        if "\0" in word:
            return f"{word[:40]!r} in its command holds \\0; take that out."
    if len(json.dumps(command)) > _LIMIT:
        return (
            f"its command is too long ({len(command)} words; {_LIMIT >> 10} KiB at the most). Put "
            f"a part of it into a file of the bot."
        )
    return ""
