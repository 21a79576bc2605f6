"""The runtimes of `languages.toml`, and their table on docs/languages.md."""

import json
import shutil
from pathlib import Path

import msgspec
from tabulate import tabulate

HERE = Path(__file__).parent
PAGE = HERE.parents[2] / "docs" / "languages.md"
BEGIN = "<!-- The runtimes, as tests/arena/languages has them. -->"
END = "<!-- The end of the runtimes. -->"
SANDBOXES = ("landlock", "bwrap", "uid")
YES, NO = "yes", "no"


class LanguageRuntime(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the file says of a runtime."""

    title: str
    package: str
    program: str
    file: str
    command: list[str]
    build: list[str] = []
    landlock: str = YES
    bwrap: str = YES
    uid: str = YES
    says: str = ""
    note: str = ""

    def bot(self, folder: Path) -> Path:
        """Make a bot in it."""
        folder.mkdir()
        shutil.copy(HERE / "bots" / self.file, folder)
        words = {"command": self.command} | ({"build": self.build} if self.build else {})
        lines = (f"{key} = {json.dumps(value)}\n" for key, value in words.items())
        (folder / "bot.toml").write_text("".join(lines))
        return folder


def runtimes() -> dict[str, LanguageRuntime]:
    """Return all of them, by name."""
    text = (HERE / "languages.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[str, LanguageRuntime])


def table() -> str:
    """Return the page's table."""
    rows = [
        [
            each.title,
            f"`{' '.join(each.build)}`" if each.build else "",
            f"`{' '.join(each.command)}`",
            *(_cell(getattr(each, sandbox)) for sandbox in SANDBOXES),
            each.note,
        ]
        for each in runtimes().values()
    ]
    headers = ["", "`build`", "`command`", *(f"`{each}`" for each in SANDBOXES), ""]
    return tabulate(rows, headers, tablefmt="github", disable_numparse=True)


def _cell(fits: str) -> str:
    return fits if fits in (YES, NO) else f"with `{fits}`"
