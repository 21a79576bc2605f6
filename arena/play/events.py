"""What happens in a run, as its caller sees it; bots are called by their names."""

from typing import TypeAlias

import msgspec

from arena.play.messages import News, Underway
from arena.store.result import PlayedMatch
from arena.text import counted


class Stored(msgspec.Struct, frozen=True):
    """Matches were played, and are stored."""

    matches: list[PlayedMatch]
    missing: int
    """How many are still to be played."""

    @property
    def played(self) -> int:
        """How many matches were played."""
        return len(self.matches)

    def __str__(self) -> str:
        return f"{counted(self.played, 'match', 'matches')} played, {self.missing:,} missing."


class Started(msgspec.Struct, frozen=True):
    """A bot got ready when it was started for the first time."""

    bot: str
    memory: int
    """The bytes that it uses then."""

    def __str__(self) -> str:
        return f"{self.bot} gets ready, and uses {self.memory / 1e6:.0f} MB then."


class Suspended(msgspec.Struct, frozen=True):
    """A bot takes no further part in this run."""

    bot: str
    reason: str
    """The reason, as what follows «it»."""

    def __str__(self) -> str:
        return f"{self.bot} is suspended for this run: it {self.reason}."


class Forfeiting(msgspec.Struct, frozen=True):
    """A bot has, for the first time, forfeited many matches in a row."""

    bot: str
    match: str
    """The id of the last of them."""
    stderr: str
    """What the bot wrote to its standard error in that one."""

    def __str__(self) -> str:
        return f"{self.bot} forfeits match after match, such as {self.match}."


class Problem(msgspec.Struct, frozen=True):
    """An error that is not any bot's; a run that had one is not whole."""

    text: str

    def __str__(self) -> str:
        return self.text


class RoundBegan(msgspec.Struct, frozen=True):
    """The next round was drawn, in a league that goes by results."""

    number: int
    """Which it is, from 1."""
    asked: int
    """The matches of all rounds so far."""
    missing: int
    """How many of them are still to be played."""

    def __str__(self) -> str:
        return f"Round {self.number} begins, with {counted(self.missing, 'match', 'matches')}."


Notice: TypeAlias = Started | Suspended | Forfeiting | News | Underway | Problem
"""Something worth knowing besides the results."""

RunEvent: TypeAlias = Stored | RoundBegan | Notice
