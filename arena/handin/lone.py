"""A bot that is one file, as it is pasted into a form: what it lacks is put beside it."""

import os
import shutil
from pathlib import Path

from arena.author.new import TEMPLATES, bot_file, languages
from arena.league.finding import BOT_FILE
from arena.text import toml


def complete(folder: Path) -> str:
    """Let the only file of a folder be a bot as `arena new` makes one; return what was put there.

    That is the kit of its language and what builds it; a program is run as it is. Return nothing
    for what is no program, or more than one file: there must be a bot.toml then, or there is one.
    """
    found = list(folder.iterdir())
    if len(found) != 1 or not found[0].is_file() or found[0].name == BOT_FILE:
        return ""
    [program] = found
    for name, language in languages().items():
        if program.suffix == Path(language.bot).suffix and program.name != language.kit:
            program.rename(folder / language.bot)
            copies = [language.kit, *(["Makefile"] if language.build else [])]
            for copy in copies:
                shutil.copyfile(TEMPLATES / name / copy, folder / copy)
            (folder / BOT_FILE).write_text(bot_file(language), encoding="utf-8")
            return f"as a bot in {language.title}: {', '.join([*copies, BOT_FILE])} were added"
    if os.access(program, os.X_OK):
        text = f"command = {toml([f'./{program.name}'])}\n"
        (folder / BOT_FILE).write_text(text, encoding="utf-8")
        return f"as a program: {BOT_FILE} was added"
    return ""
