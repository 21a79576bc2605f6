"""The Containerfile as its steps are read; `tests.machines.containerfile` does them."""

import pytest

from tests.machines.containerfile import FILE, steps


def test_the_steps_are_read_with_their_lines() -> None:
    text = "# a\nFROM x AS y\nRUN one \\\n    && two\n\nUSER me\n"
    assert [*steps(text)] == [
        (2, "FROM", "x AS y"),
        (3, "RUN", "one     && two"),
        (6, "USER", "me"),
    ]


def test_a_step_that_could_not_be_done_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^Containerfile:2: ADD is not among FROM, RUN"):
        [*steps("FROM x\nADD a b\n")]


def test_the_image_is_not_run_by_root() -> None:
    words = [step.word for step in steps(FILE.read_text())]
    assert words.count("FROM") == 2
    last = words[len(words) - words[::-1].index("FROM") :]
    assert last.index("COPY") < last.index("USER") < last.index("ENTRYPOINT")
