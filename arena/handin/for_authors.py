"""What authors are told of a check or a build: all of it, but for the server's own paths."""

import json
import re
from dataclasses import replace
from pathlib import Path

from arena.author.verdict import Step, step_rows
from arena.text import quoted, safe
from protocol.errors import ArenaError

_LINES = 400  # that are kept of what shows a step
_LONGEST = 2000  # characters of a line that is kept
_CACHE = "/bot-arena/"
_BUILDS = re.compile(
    rf"[^\s'\"]{{0,300}}{_CACHE}(?:built|choices|environments)/[^/\s]{{1,100}}/(?:files/)?"
)


def steps_json(steps: list[Step], folder: Path) -> str:
    """Return steps as `arena check --format json` shows them, and as they may be shown anywhere."""

    def shown(line: str) -> str:
        return safe(cleaned(line, folder))

    said = (
        replace(step, detail=shown(step.detail), evidence=[*map(shown, step.evidence[:_LINES])])
        for step in steps
    )
    return json.dumps(step_rows(said))


def without_name(error: ArenaError, bot: str) -> str:
    """Return what is wrong with a bot; its author knows which."""
    return str(error).removeprefix(f"bot {bot!r}: ")


def cleaned(text: str, folder: Path) -> str:
    """Return text without the server's own paths, and not too long to be stored and shown."""
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    for path in (str(folder.resolve()), str(folder)):  # the longer one holds the other
        text = text.replace(f"--fetch {quoted(path)}", "--fetch .")
        text = text.replace(f"{path}/", "").replace(path, "its folder")
    return _BUILDS.sub("", text) if _CACHE in text else text
