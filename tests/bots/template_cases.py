"""The templates as `arena new` lays them out: built, and asked what a recorded match asks."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from arena.author.new import languages, write_bot
from referee.games import GAMES
from referee.match.match import samples_of
from referee.rules.game import Game
from referee.sandbox import PYTHON
from tests.bots.driver import Message, Program, ask_of, start_of
from tests.referee.games.conformance import cases_of

ENVIRONMENT = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
ASKS = 30
"""The most asks that are recorded of a match; ten times as many where the options are defaults."""
FASTER = {"cpp": ["CXXFLAGS=-std=c++17 -O0 -Wall -Wextra"]}
"""By language, what is said to `make` so that building takes half the time."""
SAMPLES = 4
"""How many samples every kit wants."""
SEED = 2
"""One under which every decision of every game soon comes up."""


LANGUAGES = languages()
PAIRS = list(product(LANGUAGES, GAMES))
NEAR, OTHERS = (
    [pair for number, pair in enumerate(PAIRS) if (number + number // len(GAMES)) % 5 == rest]
    for rest in (0, 2)
)
"""Two fifths of all languages with games: in each of them every language and every game occurs."""
HERE = [name for name, language in LANGUAGES.items() if not language.lacking]
"""The languages that can be tried on this machine."""


class Built(NamedTuple):
    """A bot ready to be started."""

    folder: Path
    command: list[str]
    printed: str
    """What `make` wrote, its commands left out."""

    def started(self) -> Program:
        """Start it, in its folder."""
        return Program(["env", "-C", str(self.folder), *self.command])


def built(language: str, game: str, home: Path) -> Built:
    """Lay out and build a template in `home`, once for all who ask, other processes included."""
    return laid_out(language, home / f"{language}-{game}", GAMES[game])


def laid_out(language: str, folder: Path, game: type[Game], source: str | None = None) -> Built:
    """The same in a folder of any name, if need be with another source in the starter's place."""
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            unfinished = folder.with_name(f"{folder.name}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            write_bot(unfinished, language, game)
            if source is not None:
                (unfinished / LANGUAGES[language].bot).write_text(source)
            build(language, unfinished)
            unfinished.rename(folder)
    command = [sys.executable if word == PYTHON else word for word in LANGUAGES[language].command]
    return Built(folder, command, (folder / "make.txt").read_text())


def build(language: str, folder: Path) -> None:
    """Run `make`, where there is anything to build, and keep what it prints."""
    printed = ""
    if LANGUAGES[language].build:
        command = ["make", "-s", *FASTER.get(language, [])]
        made = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        printed = made.stdout + made.stderr
        assert made.returncode == 0, printed
    (folder / "make.txt").write_text(printed)


class Asked(NamedTuple):
    """A decision of a recorded match, with the game as it stood."""

    game: Game
    seat: int
    match: int
    message: Message
    """The ask, whose id is its number in the recording."""


def recorded(name: str) -> Iterator[Asked]:
    """Play random matches of a game, with every option and number of seats; always the same.

    When all these were played, more follow until every decision has come up.
    """
    cases = cases_of(name)
    number = match = 0
    unseen = set(GAMES[name].decisions)
    while match < len(cases) or unseen or 0 < number < 400:
        case = cases[match] if match < len(cases) else cases[0]
        game, rng = case.new(f"deal {match}"), Random(SEED + match)
        end = number + ASKS * (1 if case.changed else 10)
        while number < end and (seats := game.deciders()):
            for seat in seats:
                number += 1
                message = ask(game, seat, number)
                unseen.discard(message["decision"])
                yield Asked(game, seat, match, message)
            game.apply({seat: game.sample(seat, rng) for seat in seats})
        match += 1


def ask(game: Game, seat: int, number: int) -> Message:
    """Return what a seat is asked now, samples included."""
    message = ask_of(game, seat, number)
    if "legal" not in message:
        message["samples"] = samples_of(game, seat, number, SAMPLES)
    return message


@cache
def conversation(name: str) -> bytes:
    """Return the recorded matches as one process would read them, seat after seat."""
    seated: dict[tuple[int, int], list[Message]] = {}
    for game, seat, match, message in recorded(name):
        seated.setdefault((match, seat), [start_of(game, seat)]).append(message)
    messages: list[Message] = [{"type": "hello", "protocol": 1, "name": "test"}]
    for told in seated.values():
        messages += [*told, {"type": "end", "places": [1, 2], "reason": "stopped"}]
    return b"".join(line(message) for message in messages)


def line(message: Message) -> bytes:
    """Return a message as the referee writes it."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def answers(bot: Built, text: bytes) -> dict[int, Any]:
    """Return the moves of a bot that reads `text` to its end, by the ids of the asks."""
    return {reply["id"]: reply["move"] for reply in replies(bot, text)}


def replies(bot: Built, text: bytes) -> list[Message]:
    """Return what a bot says that reads `text` to its end, after it has said ready."""
    done = subprocess.run(
        bot.command, cwd=bot.folder, env=ENVIRONMENT, input=text, capture_output=True, timeout=100
    )
    assert done.returncode == 0, done.stderr.decode()
    ready, *said = map(json.loads, done.stdout.splitlines())
    assert ready == {"type": "ready", "samples": SAMPLES}
    return said
