"""A bot that is one file, as it is pasted into a form: what it lacks is put beside it."""

import os
import shutil
from pathlib import Path

from arena.author.new import TEMPLATES, bot_file, languages
from arena.league.finding import BOT_FILE
from arena.text import toml


def complete(folder: Path) -> str:
    """Let the only program of a folder be a bot as of `arena new`; return what was put there.

    That is the kit of its language, unless it lies beside it, and what builds it; a program is run
    as it is. Return nothing for what is no program, or more files: there must be a bot.toml then,
    or there is one.
    """
    kits = {language.kit for language in languages().values()}
    found = [path for path in folder.iterdir() if path.name not in kits]
    if len(found) != 1 or not found[0].is_file() or found[0].name == BOT_FILE:
        return ""
    [program] = found
    for name, language in languages().items():
        if program.suffix == Path(language.bot).suffix:
            program.rename(folder / language.bot)
            needed = [language.kit, *(["Makefile"] if language.build else [])]
            copies = [copy for copy in needed if not (folder / copy).exists()]
            for copy in copies:
                shutil.copyfile(TEMPLATES / name / copy, folder / copy)
            (folder / BOT_FILE).write_text(bot_file(language), encoding="utf-8")
            added = " and ".join([*copies, BOT_FILE])
            return f"taken as a bot in {language.title}, with {added} of `arena new`"
    if os.access(program, os.X_OK):
        text = f"command = {toml([f'./{program.name}'])}\n"
        (folder / BOT_FILE).write_text(text, encoding="utf-8")
        return f"taken as a program, with a {BOT_FILE} that runs it"
    return ""
