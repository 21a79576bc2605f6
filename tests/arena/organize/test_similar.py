"""Programs that are alike: found though they were changed, and nothing hostile that holds it up."""

import re
import time
from pathlib import Path

import pytest

from arena.organize.similar import Code, Program, Similar, code_of, files_below, given, similar
from arena.organize.winnowing import fingerprints, form, language_of

ROOT = Path(__file__).parents[3]
ONE = (ROOT / "bots" / "duel" / "duel_sensible.py").read_text()
OTHER = (ROOT / "bots" / "khan" / "khan_sensible.py").read_text()
NOTHING = Code(frozenset(), frozenset(), frozenset())


def program(home: Path, author: str, files: dict[str, str | bytes], number: int = 1) -> Program:
    folder = home / f"{author}-{number}"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return Program(author, f"{author}'s", number, code_of(files_below(folder)))


def compared(*programs: Program, base: Code = NOTHING) -> list[tuple[str, str, str]]:
    found = similar(programs, base)
    return [(pair.how, pair.one.author, pair.other.author) for pair in found.pairs]


def renamed(text: str) -> str:
    """Return a program with other names, numbers and comments, and other spaces."""
    text = re.sub(r"\b(hand|card|ask|value|best|options?)\w*", r"zz_\1", text)
    text = re.sub(r"\b\d+\b", "77", text).replace("    ", "  ")
    return "# mine alone\n" + "\n\n".join(text.splitlines()) + "\n"


def test_copies_are_found_however_they_were_changed(tmp_path: Path) -> None:
    half = "\n".join(ONE.splitlines()[: len(ONE.splitlines()) * 2 // 3])
    ada = program(tmp_path, "ada", {"bot.py": ONE, "bot.toml": "# a"}, 1)
    ben = program(tmp_path, "ben", {"main.py": ONE, "bot.toml": "# b"}, 2)
    cyd = program(tmp_path, "cyd", {"bot.py": renamed(ONE)}, 3)
    dan = program(tmp_path, "dan", {"bot.py": f"{OTHER}\n{renamed(half)}"}, 4)
    eve = program(tmp_path, "eve", {"bot.py": OTHER.replace("def ", "async def ")}, 5)
    assert compared(ada, ben) == [("same files", "ada", "ben")]
    assert compared(cyd, ada) == [("same form", "ada", "cyd")]
    [found] = similar([ada, dan], NOTHING).pairs
    assert found.how == "shared parts"
    assert found.one.share > 0.5 > found.other.share  # who hides it among other lines hides nothing
    assert compared(ada, eve) == []


def test_what_all_are_given_is_left_out_and_so_are_ones_own_versions(tmp_path: Path) -> None:
    kit = (ROOT / "bots" / "templates" / "python" / "kit.py").read_text()
    mine = "".join(f"print('{letter}' if x > {letter} else y.{letter}[1])\n" for letter in "abc")
    ada = program(tmp_path, "ada", {"bot.py": ONE, "kit.py": kit}, 1)
    ben = program(tmp_path, "ben", {"bot.py": ONE, "kit.py": renamed(kit)}, 2)
    again = program(tmp_path, "ada", {"bot.py": OTHER + mine, "kit.py": kit}, 3)
    assert compared(ada, ben, base=given(None)) == []
    assert compared(ada, again) == []


def test_programs_are_compared_within_a_language(tmp_path: Path) -> None:
    ada = program(tmp_path, "ada", {"bot.py": ONE})
    ben = program(tmp_path, "ben", {"bot.rb": ONE + "#"})
    assert compared(ada, ben) == []
    assert [language_of(name) for name in ("a.H", "b.cc", "x.tsx", "x", "y.json")] == [
        *("c", "c", "javascript", "", "")
    ]
    assert language_of("run", "#!/usr/bin/env python3\n") == "python"
    assert form("a = 'x' # y\n", "python") == form('b= """z"""', "python") == b'n="'
    assert form("a /* b\n */ ; // c\nd", "c") == b"n;n"


HOSTILE = {
    "open comments": "/* " * 60_000,
    "open triple quotes": "'''" * 66_667,
    "quotes": '"' * 200_001,
    "backslashes": "\\" * 200_000,
    "backquotes": "`" * 200_001,
    "one word": "a" * 200_000,
    "one number": "0." * 100_000,
    "one comment": "#" * 200_000,
    "marks": "\u0301\U0001f47e" * 50_000,
    "brackets": "((" * 100_000,
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_no_longer_than_other_text(name: str) -> None:
    for language in ("python", "c", "lisp"):
        began = time.process_time()
        fingerprints(form(HOSTILE[name], language), language)
        assert time.process_time() - began < 1


def test_hostile_files_are_counted_and_hold_nothing_up(tmp_path: Path) -> None:
    tiny: dict[str, str | bytes] = {f"{number}.py": f"x = {number}\n" for number in range(2100)}
    odd: dict[str, str | bytes] = {"huge.py": b"x " * (1 << 20), "nul.py": b"x\0", "a.bin": b"\xff"}
    assert program(tmp_path, "tiny", tiny).code.left == 100
    found = program(tmp_path, "odd", odd).code
    assert (found.left, len(found.files), len(found.prints)) == (2, 3, 0)
    folder = tmp_path / "linked"
    folder.mkdir()
    (folder / "secret.py").symlink_to("/etc/passwd")
    (folder / "round").symlink_to(folder)
    assert code_of(files_below(folder)) == NOTHING


def test_what_very_many_have_says_nothing_of_two(tmp_path: Path) -> None:
    """But whoever has all of it is named."""
    prints = frozenset(range(100))
    crowd = [
        Program(f"a{n}", "bot", n, Code(frozenset(), frozenset([n]), prints | {1000 + n}))
        for n in range(1, 40)
    ]
    assert compared(*crowd) == []
    same = [each._replace(code=each.code._replace(forms=frozenset([7]))) for each in crowd]
    found: Similar = similar(same, NOTHING)
    assert [pair.how for pair in found.pairs] == ["same form"] * 38
