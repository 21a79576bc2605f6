"""Checks a game against its contract, step by step: `arena check-game`, and a game's own test."""

from referee.testing.checking import STEPS, check_game, check_steps
from referee.testing.flaw import Failure, Position, StepResult, told

__all__ = ["STEPS", "Failure", "Position", "StepResult", "check_game", "check_steps", "told"]
