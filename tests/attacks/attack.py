"""What a hostile bot of the catalogue is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tests.attacks.judges import Judge

Kind = Literal["bot", "seat", "orphan", "memory"]


@dataclass(frozen=True)
class Attack:
    """One hostile bot."""

    group: str
    name: str
    """What the table calls it."""
    program: str
    """The file of the program, without its ending."""
    act: str
    """What the program is told to do."""
    judge: Judge | None = None
    """Who says whether it had effect; None where the way it is run decides."""
    kind: Kind = "bot"
    """`bot` runs alone, `seat` is asked by a referee, `orphan` loses its referee to SIGKILL.

    `memory` is run twice, and the second process is to know what the first was told.
    """
    props: tuple[str, ...] = ()
    """What the scene needs besides the files: links, listeners, terminal, victims, bits, pages,
    packages, a big file, files of /proc or of /sys.

    And what becomes of the bot: it is frozen, ended, left idle, or a rival comes after it; often
    where chance decides.
    """
    feature: str = ""
    """What this kernel must have for the attack to be possible."""
    bits: int = 16
    """How much of a message is tried at a time."""

    @property
    def slug(self) -> str:
        """The attack's name in tests."""
        return f"{self.program}.{self.act}" + (".orphan" if self.kind == "orphan" else "")


Row = tuple[str, str, Judge] | tuple[str, str, Judge, str]


def group_of(
    group: str, program: str, rows: Iterable[Row], props: tuple[str, ...] = ()
) -> list[Attack]:
    """Return the attacks of a group that are one program and one way to be run."""
    return [
        Attack(group, name, program, act, judge, props=props, feature="".join(feature))
        for act, name, judge, *feature in rows
    ]
