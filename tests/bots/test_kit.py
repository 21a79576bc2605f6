"""The kit of Python, which the bundled bots use, too."""

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bots.driver import CLOCK, KIT, Program

BOT = """\
import sys
sys.path.insert(0, {kit!r})
import kit

def choose(ask):
    print("asked for", ask.decision)
    if ask.decision == "fail":
        raise ValueError("no idea")
    if ask.decision == "facts":
        return {{
            "game": ask.game, "seat": ask.seat, "seats": ask.seats, "options": ask.options,
            "table": ask.table, "seed": ask.seed, "judge": ask.match.clock["judge"],
            "clock": ask.clock, "view": ask.view, "limits": ask.limits, "legal": ask.legal,
        }}
    ask.memory["asks"] = ask.memory.get("asks", 0) + 1
    ask.note = f"ask {{ask.memory['asks']}} of this match: ¡olé!"
    return ask.rng.choice(ask.legal)

kit.run(
    choose,
    on_start=lambda match: print("start", match.seat),
    on_end=lambda match, end: print("end", match.seat, end["places"], end["reason"]),
)
print("done")
"""

LEGAL = [{"card": n} for n in range(1000)]


@pytest.fixture
def bot(tmp_path: Path) -> list[str]:
    path = tmp_path / "bot.py"
    path.write_text(BOT.format(kit=str(KIT)))
    return [sys.executable, str(path)]


def start(seed: int = 5, **changes: Any) -> dict[str, Any]:
    message = {"type": "start", "match": "3f9a-0", "game": "guerra", "seat": 1, "seats": 2}
    return message | {"options": {}, "table": {}, "clock": CLOCK, "seed": seed} | changes


def ask(number: int, decision: str = "pick", **changes: Any) -> dict[str, Any]:
    message = {"type": "ask", "id": number, "decision": decision, "view": {}, "legal": LEGAL}
    return message | {"clock": {"move_time": 1.0, "bank": 0.0}} | changes


def test_it_wants_samples_and_hands_them_on(tmp_path: Path) -> None:
    for words, wanted in (("choose", 4), ("choose, samples=0", 0)):
        path = tmp_path / "bot.py"
        text = BOT.replace('"legal": ask.legal', '"legal": ask.legal, "samples": ask.samples')
        text = text.replace("    choose,\n", f"    {words},\n")
        path.write_text(text.format(kit=str(KIT)))
        with Program([sys.executable, str(path)]) as program:
            program.tell({"type": "hello", "protocol": 1, "name": "x"})
            assert program.hear() == {"type": "ready", "samples": wanted}
            program.tell(start())
            for more, samples in (({"samples": LEGAL[:2]}, LEGAL[:2]), ({}, [])):
                program.tell(ask(1, "facts", legal=None, **more))
                assert program.hear()["move"]["samples"] == samples


def test_a_whole_conversation_of_which_what_is_printed_goes_to_standard_error(
    bot: list[str],
) -> None:
    with Program(bot) as program:
        program.greet()
        for seed in (1, 2):
            program.tell(start(seed))
            for number in (1, 2):
                program.tell(ask(number))
                reply = program.hear()
                assert (reply["id"], reply["move"] in LEGAL) == (number, True)
                assert reply["note"] == f"ask {number} of this match: ¡olé!"
            program.tell({"type": "end", "places": [2, 1], "reason": "breakthrough"})
        assert program.leave() == 0
        assert program.read(1.0) == b""
        printed = program.errors().splitlines()
    match = ["start 1", "asked for pick", "asked for pick", "end 1 [2, 1] breakthrough"]
    assert sorted(printed) == sorted([*match, *match, "done"])


def test_the_dice_and_the_memory_begin_anew_in_every_match(bot: list[str]) -> None:
    def replies(program: Program, seed: int) -> list[Any]:
        program.tell(start(seed))
        for number in range(5):
            program.tell(ask(number))
        program.tell({"type": "end", "places": [2, 1], "reason": "breakthrough"})
        return [program.hear() for _ in range(5)]

    with Program(bot) as used, Program(bot) as fresh:
        used.greet()
        fresh.greet()
        other, again = replies(used, 8), replies(used, 9)
        assert again == replies(fresh, 9)
        assert again != other


def test_it_is_for_python_3_8_imports_little_and_leaves_out_a_note_that_is_none() -> None:
    tree = ast.parse((KIT / "kit.py").read_text(), feature_version=(3, 8))
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [alias.name for node in imports for alias in node.names]
    assert names == ["annotations", "json", "os", "random", "stat", "sys"]
    code = f"import sys; sys.path.insert(0, {str(KIT)!r}); import kit; kit.run(lambda ask: {{}})"
    lines = b"".join(json.dumps(m).encode() + b"\n" for m in (start(), ask(3)))
    done = subprocess.run([sys.executable, "-c", code], input=lines, capture_output=True)
    assert (done.stdout, done.stderr) == (b'{"id":3,"move":{}}\n', b"")
