"""The page of leagues says that its example of a league.toml has the usual values."""

import tomllib

import msgspec

from referee.games import GAMES
from referee.limits import Limits, WorkLimits
from referee.options import read_options
from tests.docs.pages import ROOT


def test_limits_options_and_builds_have_their_usual_values() -> None:
    text = (ROOT / "docs" / "leagues.md").read_text(encoding="utf-8")
    league = tomllib.loads(text.split("```toml\n")[1].partition("```")[0])
    usual_limits = msgspec.json.decode(msgspec.json.encode(Limits()))
    del usual_limits["remote"]  # of single bots, never of all
    assert league["limits"] == usual_limits
    assert league["build"] == msgspec.to_builtins(WorkLimits())
    guerra = GAMES[league["game"]]
    usual = msgspec.to_builtins(read_options(guerra, {}))
    assert {**usual, **league["options"]} == usual
