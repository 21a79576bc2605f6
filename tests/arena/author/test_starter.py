"""Starters, filled in for a game from its own description alone."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pytest
from msgspec import Meta

from arena.author.new import TEMPLATES, write_bot
from arena.author.starter import filled
from protocol.errors import ArenaError
from referee.games import GAMES
from referee.rules.form import AnyForm, Form
from referee.rules.game import Decision, Move, Observation
from tests.bots.template_cases import HERE, LANGUAGES, build
from tests.golden import Golden
from tests.referee.games_for_tests import Countdown

WICKED = 'a */ """ end\\ \\u000a of\n\x1b[31mline ??/ {{view}} {{name}} $(rm -rf /) `date` <!-- \\'
"""A text that would end a comment, or begin something, in one language or another."""


FIELD = "a */ {{name}} $(rm -rf /) `date` <!-- '"
"""As a name of a field, which may hold neither control characters nor quotes nor backslashes."""


class Wicked(Form, rename={"field": FIELD}):
    __doc__ = WICKED

    field: Annotated[str, Meta(description=WICKED)] = ""


class One(Form):
    a: Literal[WICKED]


class Other(Form):
    a: Literal["b"]


class Described(Countdown):
    """Countdown with a description that is hostile, and a decision without words."""

    name = "described"
    decisions: ClassVar[Mapping[str, AnyForm]] = {
        "take": Wicked,
        "2nd-choice": Form,
        "elección ñ": One | Other,
    }

    def view(self, seat: int) -> Observation:
        return {WICKED: [WICKED] * 9, "\\": "\\", "": None}


@pytest.mark.quick(1)
@pytest.mark.parametrize("language", HERE)
def test_what_a_game_says_of_itself_stays_in_comments(language: str, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    write_bot(folder, language, Described)
    build(language, folder)
    assert (folder / "make.txt").read_text() == ""
    source = folder / LANGUAGES[language].bot
    if language == "python":
        compile(source.read_text(), str(source), "exec")
    elif language in ("shell", "javascript"):
        check = ["sh", "-n"] if language == "shell" else ["node", "--check"]
        assert subprocess.run([*check, source]).returncode == 0


class Unsayable(Countdown):
    """A game with a decision that no program can name."""

    name = "unsayable"
    decisions: ClassVar[Mapping[str, AnyForm]] = {'say "$x"': Form}


def test_a_decision_that_cannot_stand_in_a_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=r"unsayable has a decision .*should call it by letters"):
        write_bot(tmp_path / "mine", "shell", Unsayable)
    assert not (tmp_path / "mine").exists()


class Taking(Form):
    """What is
    taken.
    """


class Some(Taking):
    """Some of it."""

    why: Annotated[Literal["fun"], Meta(description="The reason.")]
    take: Annotated[int, Meta(ge=1, description="How many.")]
    then: Annotated[list[int], Meta(description="And so on.")] = []  # noqa: RUF012 - a default of msgspec


class Nothing(Taking):
    """Nothing."""

    why: Annotated[Literal["fear"], Meta(description="The reason.")]


class Seldom(Countdown):
    """A game with two forms of a move, which lists its moves now and then."""

    name = "seldom"
    decisions: ClassVar[Mapping[str, AnyForm]] = {"take": Some | Nothing}

    def decision(self, seat: int) -> Decision:
        listed = super().decision(seat)
        return Decision("take", limits={"most": 3}) if len(self.taken[seat]) else listed


class Endless(Seldom):
    """A game whose random play does not end, and which is left after a while."""

    name = "endless"

    def apply(self, moves: Mapping[int, Move]) -> None:
        pass


@pytest.mark.parametrize(
    "game", [*(GAMES[name] for name in ("casino_war", "khan", "tod_und_leben")), Seldom, Endless]
)
def test_it_shows_the_forms_of_moves_how_they_are_found_and_the_view_by_example(
    game: Any, golden: Golden
) -> None:
    text = filled((TEMPLATES / "python" / "bot.py").read_text(), game)
    golden(text.partition("def ")[2])
