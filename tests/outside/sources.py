"""Games from outside, as text: a small one to be written to a file, and packages that hold it."""

from pathlib import Path

NIM = '''"""Nim: who takes the last match wins."""

from typing import Annotated

from msgspec import Meta

from referee.rules.form import Form
from referee.rules.game import Decision, Game, Options


class Take(Form, forbid_unknown_fields=True):
    """Take some of the heap."""

    take: Annotated[int, Meta(ge=1, le=3, description="How many.")]


class Nim(Game):
    """A heap of matches, of which one takes one to three."""

    name = "nim"
    title = "A heap of matches: take one to three, and win by taking the last one."
    seat_counts = range(2, 3)
    options_type = Options
    decisions = {"take": Take}
    typical_decisions = 8

    def __init__(self, *, seats, options, chance):
        super().__init__(seats=seats, options=options, chance=chance)
        self.heap = 10 + chance.die(10, "heap")
        self.to_move = 0

    def deciders(self):
        return (self.to_move,) if self.heap else ()

    def decision(self, seat):
        return Decision("take", legal=[{"take": n} for n in range(1, min(3, self.heap) + 1)])

    def view(self, seat):
        asked = "take" if self.heap else None
        return {"game": self.name, "seat": seat, "decision": asked, "heap": self.heap}

    def check(self, seat, move):
        return None if move in self.decision(seat).legal else "take one to three"

    def apply(self, moves):
        self.heap -= moves[self.to_move]["take"]
        if self.heap:
            self.to_move = 1 - self.to_move
        if self.heap == 1:
            self.heap = 0
        self.reason = "" if self.heap else "last"

    def default(self, seat):
        return {"take": 1}

    def sample(self, seat, rng):
        return rng.choice(self.decision(seat).legal)

    def places(self):
        return [1 if seat == self.to_move else 2 for seat in range(2)]

    def text(self, seat=None):
        return f"{self.heap:2}  {'|' * self.heap}"
'''
"""A whole game in one file."""


def distribution(site: Path, name: str, version: str, games: dict[str, str]) -> Path:
    """Write what pip leaves of an installed distribution with these entry points into `site`."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [f"{game} = {value}" for game, value in games.items()]
    (folder / "entry_points.txt").write_text("\n".join(["[bot_arena.games]", *lines, ""]))
    return site
