"""What makes a bot of files without a bot.toml: their program, found and completed as a bot."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from arena.author.new import TEMPLATES, Language, bot_file, languages
from arena.handin.filenames import is_junk
from arena.league.bot import SOURCES
from arena.league.files import is_archive, near_miss
from arena.league.finding import BOT_FILE
from arena.text import safe, toml
from referee.sandbox import is_program
from referee.sandbox.sources import read_at_most

_MAIN = "main"  # what a program is called, besides the name in its language
_KIT_BYTES = 256 << 10  # of what may be a kit
_SHOWN = 3  # files that are named
_NO_BOT_FILE = "put a bot.toml beside it that says how it is built and run"
_KINDS = {
    ".ipynb": "is a notebook, which cannot be run: save it as a program (.py)",
    ".txt": "is a text: if it is a program, give it the ending of its language, such as .py",
    **dict.fromkeys(SOURCES, f"is in a language that is not built by itself: {_NO_BOT_FILE}"),
}
"""What is said of files that are no program of ours, by their endings."""


def language_of(path: Path) -> str:
    """Return the language of `arena new` in which a program is, by its ending; or nothing."""
    ending = path.suffix.lower()
    found = (name for name, each in languages().items() if Path(each.bot).suffix == ending)
    return next(found, "")


def kit_of(path: Path) -> str:
    """Return which of our kits a file is, by what is in it; or nothing."""
    for name, language in languages().items():
        if path.suffix.lower() == Path(language.kit).suffix:
            ours = (TEMPLATES / name / language.kit).read_bytes()
            try:
                if _plain(read_at_most(path, _KIT_BYTES)) == _plain(ours):
                    return language.kit
            except OSError:  # whoever reads it next says what it is
                return ""
    return ""


def _plain(text: bytes) -> bytes:
    """Return a text without what editors on Windows put into it."""
    return text.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").strip()


def inner(folder: Path) -> Path:
    """Return the folder in it that has all there is: archives are often packed too deep."""
    while not (folder / BOT_FILE).exists():
        inside = [path for path in folder.iterdir() if not is_junk(path.name)]
        if len(inside) != 1 or inside[0].is_symlink() or not inside[0].is_dir():
            break
        folder = inside[0]
    return folder


def complete(folder: Path) -> str:
    """Let the program of a folder be a bot as of `arena new`; return what was put there.

    That is the kit of its language, unless it lies beside it, and what builds it; a program is run
    as it is. Return nothing if there is a bot.toml, or there must be one as it is not known which
    file is the program: neither the only one, nor called as the language's is, or main.
    """
    kits = {language.kit for language in languages().values()}
    files = [path for path in folder.iterdir() if not is_junk(path.name)]
    for path in files:
        if path.name not in kits and (kit := kit_of(path)):  # as Kit.py, or kit (1).py
            path.rename(folder / kit)
    found = [path for path in files if path.name not in kits and path.exists()]
    if any(path.name == BOT_FILE for path in found):
        return ""
    known = {path: name for path in found if path.is_file() and (name := language_of(path))}
    if (program := _chosen(known)) is not None:
        return _completed(folder, program, known[program], has_more=len(found) > 1)
    if not known and len(found) == 1 and found[0].is_file() and os.access(found[0], os.X_OK):
        text = f"command = {toml([f'./{found[0].name}'])}\n"
        (folder / BOT_FILE).write_text(text, encoding="utf-8")
        return f"taken as a program, with a {BOT_FILE} that runs it"
    return ""


def _chosen(programs: Mapping[Path, str]) -> Path | None:
    """Return the one that is run of programs with their languages, if that is plain."""
    if len(programs) == 1:
        return next(iter(programs))
    ours = {path for path, name in programs.items() if path.name == languages()[name].bot}
    named = ours or {path for path in programs if path.stem.lower() == _MAIN}
    return named.pop() if len(named) == 1 else None


def _completed(folder: Path, program: Path, name: str, *, has_more: bool) -> str:
    language: Language = languages()[name]
    program.rename(folder / language.bot)
    needed = [language.kit, *(["Makefile"] if language.build else [])]
    copies = [copy for copy in needed if not (folder / copy).exists()]
    for copy in copies:
        shutil.copyfile(TEMPLATES / name / copy, folder / copy)
    kept = replace(language, files=None) if has_more else language  # all files may be the bot's
    (folder / BOT_FILE).write_text(bot_file(kept), encoding="utf-8")
    added = " and ".join([*copies, BOT_FILE])
    return f"taken as a bot in {language.title}, with {added} of `arena new`"


def lacking(folder: Path) -> str:
    """Return why a folder without a bot.toml is no bot, and what its author can do about it."""
    files = sorted(path for path in folder.iterdir() if not is_junk(path.name))
    programs = [path for path in files if language_of(path) and not kit_of(path)]
    if len(programs) > 1:
        language = languages()[language_of(programs[0])]
        return (
            f"there are several programs ({_named(programs)}), and nothing says which is the bot: "
            f"call that {language.bot}, or add a {BOT_FILE} that says how it is run."
        )
    if near := near_miss((path.name for path in files), BOT_FILE):
        return f"it has no {BOT_FILE}, but {safe(near)}: call that {BOT_FILE}, in small letters."
    if len(files) == 1 and files[0].is_file():
        return no_program(files[0])
    what = f"there is no program in it ({_named(files)})" if files else "it is empty"
    return f"{what}: hand in the program, such as {languages()['python'].bot}."


def no_program(path: Path) -> str:
    """Return why a file is no program, and what its author can do about it."""
    name = safe(path.name)
    if kit_of(path):
        return f"{name} is the kit, and no bot: hand in your own program."
    if path.name in {language.kit for language in languages().values()}:
        return (
            f"{name} is called as the kit is, and is another file: a bot has another name; and a "
            f"program that needs a kit of its own lies with it in a folder or an archive."
        )
    if is_archive(path):
        return f"{name} is an archive in an archive: pack the files themselves."
    why = _KINDS.get(path.suffix.lower(), "is no program: hand in the program, such as bot.py")
    return f"{name} {why}."


def _named(files: Sequence[Path]) -> str:
    more = f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
    return safe(", ".join(path.name for path in files[:_SHOWN]) + more)


def is_plain(path: Path) -> bool:
    """Return whether a file is written for a kit, and is a bot only with a bot.toml beside it."""
    is_source = path.is_file() and bool(language_of(path)) and not os.access(path, os.X_OK)
    return is_source and not (path.parent / BOT_FILE).exists()


def is_lone(path: Path) -> bool:
    """Return whether a file is a program that can be a bot by itself."""
    return not kit_of(path) and bool(language_of(path) or is_program(str(path)))
