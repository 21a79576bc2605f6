"""In which sandbox programs in each language start, and what is said where they do not."""

import re
from pathlib import Path

import pytest

from tests.arena.conftest import Arena
from tests.arena.languages.runtimes import BEGIN, END, NO, PAGE, SANDBOXES, YES, runtimes, table
from tests.ci.packages import is_here
from tests.docs.written import rewrite
from tests.referee.sandbox.sandboxed import need

RUNTIMES = runtimes()


def test_the_page_says_what_is_tested(tmp_path: Path) -> None:
    written = tmp_path / "languages.md"
    written.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    rewrite(written, BEGIN, END, table())
    assert written.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")
    assert len({each.program for each in RUNTIMES.values()}) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("name", RUNTIMES)
def test_a_bot_in_a_language_plays_or_is_told_why_not(
    name: str, sandbox: str, public: Path, arena: Arena
) -> None:
    need(sandbox)
    runtime = RUNTIMES[name]
    if not is_here(runtime.program):
        pytest.skip(f"{runtime.title} IS NOT TESTED HERE: install {runtime.package}")
    fits = getattr(runtime, sandbox)
    words = ("check", runtime.bot(public / name), "--game", "steal_war", "--sandbox", sandbox)
    plain = arena(*words, "--seconds", "1")
    if fits == YES:
        assert plain.exit_code == 0, plain.output
        return
    assert plain.exit_code == 1, "it needs nothing: say so in languages.toml, and on the page"
    assert re.search(runtime.says, " ".join(plain.output.split())), plain.output
    if fits != NO:
        granted = arena(*words, "--seconds", "1", "--limit", fits.replace(" ", ""))
        assert granted.exit_code == 0, granted.output
