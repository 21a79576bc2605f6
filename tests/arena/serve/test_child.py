"""How soon a process beside the server begins again."""

from itertools import count
from pathlib import Path

import pytest

from arena.serve.child import Companion
from tests.arena.coroutines import run_apart


@pytest.mark.parametrize(
    ("sound", "pauses"),
    [(60.0, [0.002, 0.004, 0.008, 0.01, 0.01]), (0.0, [0.002, 0.002, 0.002])],
)
def test_it_waits_longer_each_time_unless_it_lived_long(
    sound: float, pauses: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.serve.child._FIRST_PAUSE", 0.002)
    monkeypatch.setattr("arena.serve.child._LONGEST_PAUSE", 0.01)
    monkeypatch.setattr("arena.serve.child._SOUND_SECONDS", sound)
    said: list[str] = []
    number = count(1)

    def say(sentence: str) -> None:
        said.append(sentence)
        if next(number) == len(pauses):
            companion.kill()

    companion = Companion("__hello__", tmp_path, (), lambda line: None, say)
    run_apart(companion.run())
    name = f"__hello__ of {tmp_path} ended with code 0; it begins again in"
    assert said == [f"{name} {pause:g} s." for pause in pauses]
