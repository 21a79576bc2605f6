"""How long it takes to compare programs: `python -m tests.benchmarks.similar --versions 5000`.

Each author writes a program of about 200 lines at random, from the same few kinds of lines, and
changes a tenth of it for each version. One in twenty copies another one's, with all names changed.
"""

import argparse
import random
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from arena.organize.similar import Code, Program, code_of, given, similar

MEASURES = "arena/organize/similar.py arena/organize/winnowing.py"
"""What is measured."""

_NAMES = [f"{one}{two}" for one in ("card", "hand", "best", "move") for two in range(20)]
_SIGNS = ("+", "-", "*", "//", "%", "==", "<", ">", "and", "or", "in", "is")


def value(chance: random.Random, depth: int = 0) -> str:
    """Return an expression, of any form."""
    name = chance.choice(_NAMES)
    if depth > 2 or chance.random() < 0.4:
        return chance.choice((name, str(chance.randrange(100)), f"{name}.{chance.choice(_NAMES)}"))
    one, other = value(chance, depth + 1), value(chance, depth + 1)
    forms = (
        f"{one} {chance.choice(_SIGNS)} {other}",
        f"{name}({one}, {other})",
        f"[{one} for {name} in {other}]",
        f"{name}[{one}]",
        f"({one} if {other} else {name})",
        f"{{{one}: {other}}}",
        f"not {one}",
    )
    return chance.choice(forms)


def line(chance: random.Random) -> str:
    name = chance.choice(_NAMES)
    forms = (f"{name} = ", f"{name} += ", "return ", f"if {name} > ", f"{name}.add", "yield ")
    return f"    {chance.choice(forms)}{value(chance)}\n"


def written(authors: int, versions: int) -> Iterator[tuple[str, str]]:
    """Yield versions of programs, each with its author."""
    chance = random.Random(1)
    known: list[list[str]] = []
    for number in range(authors):
        lines = [line(chance) for _ in range(200)]
        if known and number % 20 == 0:
            lines = [re.sub(r"\b(card|hand|best|move)", "my", each) for each in known[-1]]
        for _ in range(versions // authors):
            for _ in range(len(lines) // 10):
                lines[chance.randrange(len(lines))] = line(chance)
            yield f"author {number}", "".join(lines)
        known.append(lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--versions", type=int, default=5000)
    parser.add_argument("--authors", type=int, default=100)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        file = Path(home) / "bot.py"
        reading, programs = 0.0, []
        for number, (author, text) in enumerate(written(words.authors, words.versions), 1):
            file.write_text(text)
            began = time.process_time()
            code: Code = code_of([file])
            reading += time.process_time() - began
            programs.append(Program(author, "bot", number, code))
    prints = sum(len(each.code.prints) for each in programs) / len(programs)
    print(f"{len(programs)} versions of {words.authors} authors, {prints:.0f} fingerprints each")
    print(f"fingerprints: {reading:.1f} s of CPU time")
    began = time.process_time()
    base = given(None)
    print(f"what all are given: {time.process_time() - began:.1f} s")
    began = time.process_time()
    found = similar(programs, base)
    print(f"compared: {time.process_time() - began:.1f} s; {len(found.pairs) + found.more} pairs")


if __name__ == "__main__":
    main()
