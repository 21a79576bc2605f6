"""Messages of commands: broken at spaces on a terminal, and whole lines everywhere else."""

from hypothesis import example, given
from hypothesis import strategies as st

from arena.text import width, wrapped
from tests.arena.conftest import Arena
from tests.arena.terminal import COLUMNS, at_terminal


@example(["          a"], 5)
@given(st.lists(st.text("ab c`", max_size=30), max_size=5), st.integers(5, 40))
def test_lines_fit_and_hold_the_same_words(lines: list[str], most: int) -> None:
    found = wrapped("\n".join(lines), most)
    assert all(width(line) <= most or line.count("`") > 1 for line in found.splitlines())
    assert "".join(found.split()) == "".join("".join(lines).split())


def test_what_fits_stays_as_it_is_and_what_is_typed_is_never_broken() -> None:
    table = "  a    b\n\n  1    2"
    assert wrapped(table, 20) == table
    assert wrapped("  Now `arena run cup` goes on.", 20) == "  Now\n  `arena run cup`\n  goes on."
    assert wrapped("Now `arena run cup`. Go", 10) == "Now\n`arena run cup`.\nGo"


def test_an_error_is_one_line_unless_at_a_terminal(arena: Arena) -> None:
    words = ("play", "snapdragon", "random", "random", "--sandbox", "none")
    whole = arena(*words).stderr
    assert whole.startswith("arena: there is no game 'snapdragon'. ")
    assert (whole.count("\n"), whole[-1]) == (1, "\n")
    with at_terminal(*words) as terminal:
        assert terminal.end() == 2
    shown = terminal.shown.splitlines()
    assert len(shown) > 1
    assert max(map(len, shown)) <= COLUMNS
    assert " ".join(shown) == whole.strip()
