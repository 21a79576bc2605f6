"""The games as PettingZoo plays them: one agent a seat, asked one after another (AEC).

It needs an extra: `pip install --editable '.[pettingzoo]'` in this project's folder.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, cast

import msgspec

from protocol.errors import ArenaError, RunError, installing
from referee.catalog.loading import find_game
from referee.match.judging import refusal
from referee.rules.game import Decision, Game, Move, Observation, plain
from referee.rules.options import check_seats, new_game, read_options
from referee.training.actions import AllMoves, actions_of
from referee.training.local import points

try:
    import numpy as np
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"{error}. The adapter needs it: {installing('pettingzoo')}.",
        name=error.name,
    ) from None

VIEW_BYTES = 16 * 1024
"""The length of an observation without `features`: more than the view of any game here takes."""

RENDER_MODES = ("ansi", "human")

Array = np.ndarray[Any, np.dtype[Any]]
Action = int | np.integer[Any] | Sequence[int] | Array
Features = Callable[[Observation], Sequence[float] | Array]
"""What a learner makes of a view: numbers, always equally many."""


def env(game: str, **settings: Any) -> AECEnv:
    """Return a game as `raw_env` makes it, guarded against calls in a wrong order."""
    return OrderEnforcingWrapper(raw_env(game, **settings))


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801 - PettingZoo's own name for it
    """One game, dealt anew by every `reset`; the agents are `seat_0`, `seat_1` ...

    `seats` are by default as few as the game takes, `options` the game's own. Raises ArenaError for
    a game whose moves have no end, and for what the game does not have.

    An action is the number of a move, the same in every match with these seats and options:
    `actions` says which. `action_mask` marks the legal ones, and is empty for a seat that is not
    asked. Where the moves are too many for a number each, an action is a row of numbers, and there
    is no mask; `actions.row` says which row is a move. An action that is not legal raises
    ArenaError; with `illegal="default"` the game's default move is played instead, as in a
    league, and `refused` in the agent's `infos` says why.

    `observation` is what `features` makes of the view, or else the view itself: its JSON as bytes,
    with zeros behind. `infos` of the agent asked hold `decision`, `view` and `legal` as the kit has
    them, and at the end of the match everybody's `place` and its `reason`.

    The rewards come at the end: the share of the other seats beaten, half for those tied with.
    Seats that decide at once are asked one after another, and see nothing of each other's moves.
    """

    def __init__(
        self,
        game: str,
        *,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        features: Features | None = None,
        illegal: Literal["raise", "default"] = "raise",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if illegal not in ("raise", "default"):
            raise ArenaError(f"illegal={illegal!r} is not known, only 'raise' and 'default'.")
        if render_mode not in (None, *RENDER_MODES):
            known = " and ".join(RENDER_MODES)
            raise ArenaError(f"there is no render_mode {render_mode!r}, only {known}.")
        self._kind = find_game(game)
        self._seats = self._kind.seat_counts[0] if seats is None else seats
        check_seats(self._kind, self._seats)
        self._options = read_options(self._kind, options or {}, self._seats)
        self.metadata = {
            "name": f"{self._kind.name}_v{self._kind.rules_version}",
            "render_modes": [*RENDER_MODES],
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        sample = new_game(self._kind, self._seats, self._options, "")
        self.actions = actions_of(sample)
        """Which moves the actions are."""
        self._features = features
        self._plays_default = illegal == "default"
        self.possible_agents = [f"seat_{seat}" for seat in range(self._seats)]
        self.agents: list[str] = []
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        seen = self._seen(plain(sample.view(0)))
        low, high = (-np.inf, np.inf) if features else (0, 255)
        parts: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(low, high, seen.shape, seen.dtype.type)
        }
        if isinstance(self.actions, AllMoves):
            parts["action_mask"] = spaces.Box(0, 1, (len(self.actions),), np.int8)
        self.observation_spaces = {agent: spaces.Dict(parts) for agent in self.possible_agents}
        self.action_spaces = {agent: self._new_space() for agent in self.possible_agents}
        self._seed = 0
        self._resets = 0

    def _new_space(self) -> spaces.Space[Any]:
        if isinstance(self.actions, AllMoves):
            return spaces.Discrete(len(self.actions))
        return spaces.MultiDiscrete(self.actions.sizes)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new match: that of `seed`, or without one the next of the series of the last.

        The series of seed 0 comes first; `options` are PettingZoo's and mean nothing here.
        """
        if seed is not None:
            self._seed, self._resets = seed, 0
        deal = f"{self._seed}+{self._resets}" if self._resets else f"{self._seed}"
        self._resets += 1
        self._game = new_game(self._kind, self._seats, self._options, deal)
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._moves: dict[int, Move] = {}
        """What the deciders of this step have answered so far."""
        self._ask_next()
        if self.render_mode == "human":
            self.render()

    def step(self, action: Action | None) -> None:
        """Play the move of an action for the agent asked; None for one whose match is over.

        Raises ArenaError for one that is not legal, unless the default is played instead.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seat = self._seat[agent]
        info = {}
        move = self._move(seat, action)
        if isinstance(move, str):
            if not self._plays_default:
                raise ArenaError(move)
            info["refused"] = move
            move = self._game.default(seat)
        self._moves[seat] = move
        self._clear_rewards()
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = info
        if len(self._moves) == len(self._game.deciders()):
            self._game.apply(self._moves)
            self._moves = {}
        self._ask_next()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, Array]:
        """Return what an agent may know now, and which moves it may choose from."""
        seen = self._seen(plain(self._game.view(self._seat[agent])))
        shape = self.observation_spaces[agent]["observation"].shape
        if seen.shape != shape:
            raise ArenaError(f"`features` returned an array of shape {seen.shape}, before {shape}.")
        if not isinstance(self.actions, AllMoves):
            return {"observation": seen}
        mask = np.zeros(len(self.actions), np.int8)
        if agent == self.agent_selection and not self.terminations[agent]:
            mask[self._legal] = 1
        return {"observation": seen, "action_mask": mask}

    def render(self) -> str | None:
        """Return the table as text, all cards open, or print it."""
        if self.render_mode is None:
            raise ArenaError('render() needs a mode: env(..., render_mode="ansi").')
        if self.render_mode == "ansi":
            return self._game.text()
        print(self._game.text())
        return None

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _ask_next(self) -> None:
        """Select the agent that is asked next; end the match if there is none."""
        game = self._game
        waiting = [seat for seat in game.deciders() if seat not in self._moves]
        if not waiting:
            self._end()
            return
        seat = waiting[0]
        self.agent_selection = self.possible_agents[seat]
        self._decision = decision = game.decision(seat)
        if isinstance(self.actions, AllMoves):
            self._legal = _legal(game, seat, decision, self.actions)
        self.infos[self.agent_selection] = {
            **self.infos[self.agent_selection],
            "decision": decision.name,
            "view": plain(game.view(seat)),
            "legal": decision.legal or [],
        }

    def _end(self) -> None:
        places = self._game.places()
        for agent, place, reward in zip(self.agents, places, points(places), strict=True):
            self.rewards[agent] = reward
            self.terminations[agent] = True
            self.infos[agent] |= {"place": place, "reason": self._game.reason}
        self._accumulate_rewards()
        self.agent_selection = self.agents[0]

    def _seen(self, view: Observation) -> Array:
        """Return a view as numbers."""
        if self._features:
            return np.asarray(self._features(view), np.float32)
        text = msgspec.json.encode(view)
        if len(text) > VIEW_BYTES:
            raise RunError(
                f"a view of {self._kind.name} takes {len(text)} bytes, and an observation holds"
                f" {VIEW_BYTES}: give `features` of your own."
            )
        seen = np.zeros(VIEW_BYTES, np.uint8)
        seen[: len(text)] = np.frombuffer(text, np.uint8)
        return seen

    def _move(self, seat: int, action: Action | None) -> Move | str:
        """Return the legal move of an action, as it is recorded, or why it is refused."""
        asked, reason = self._decision, ""
        if isinstance(self.actions, AllMoves):
            number = -1 if action is None else int(action)  # type: ignore[arg-type]  # whatever is no number raises
            if not 0 <= number < len(self.actions):
                last = len(self.actions) - 1
                return f"{action!r} is not an action: actions are 0 to {last}."
            decision, move = self.actions.decisions[number], self.actions.moves[number]
            if decision != asked.name:
                reason = f"action {number} answers the decision {decision}"
        else:
            row = np.asarray(action)
            if not self.action_spaces[self.possible_agents[seat]].contains(row):
                sizes = len(self.actions.sizes)
                return (
                    f"{action!r:.80} is not an action: actions are rows of {sizes} whole numbers,"
                    " each from 0 on and less than its size."
                )
            move = self.actions.move(asked.name, row.tolist())
        read = reason or self._game.read(seat, move)
        if isinstance(read, str):
            return f"{self._kind.name}, seat {seat}, {asked.name}: {refusal(asked, move, read)}"
        return cast("Move", msgspec.to_builtins(read))


def _legal(game: Game, seat: int, decision: Decision, actions: AllMoves) -> list[int]:
    """Return the numbers of the legal moves, which a decision may list."""
    if decision.legal:
        return [actions.number(decision.name, move) for move in decision.legal]
    numbers = actions.by_decision.get(decision.name, [])
    return [number for number in numbers if not game.refusal(seat, actions.moves[number])]
