"""A game of OpenSpiel behind the contract that all games fulfil."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any, ClassVar, NamedTuple, Self

import msgspec

from referee.openspiel import chess
from referee.openspiel.act import Act
from referee.openspiel.boards import colour, drawn
from referee.openspiel.hiding import another, own_actions
from referee.openspiel.kind import Recipe
from referee.openspiel.named import ENDLESS, LEAKING
from referee.rules.chance import Chance
from referee.rules.form import AnyForm
from referee.rules.game import Decision, Game, Move, Observation, Options, ranked, twin
from referee.rules.scene import Area

_CHANCE, _ALL = -1, -2
"""Who acts, by OpenSpiel's numbers, where it is no single player."""
_SENT = "send the number of one of the legal actions, or its text"


class OpenSpielGame(Game):
    """One play of a game of OpenSpiel; each game is a class derived from this one.

    Chance before the first decision is the same in every rotation of a deal. Later chance has no
    names in OpenSpiel: it is counted, so that bots who choose otherwise may meet other dice.
    """

    decisions: ClassVar[Mapping[str, AnyForm]] = {"act": Act}
    score = "what OpenSpiel returns to each seat"
    recipe: ClassVar[Recipe]

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self._loaded = _loaded(type(self), options, seats)
        self._state = self._loaded.spiel.new_initial_state()
        self._chances = 0
        self._actor = 0
        """Who acts now: a seat, or OpenSpiel's number for all of them."""
        self._own: list[list[int]] = [[] for _ in range(seats)]
        """By seat, its actions so far."""
        self._legal: dict[int, list[int]] = {}
        """The legal actions of each seat that is asked now."""
        self._texts: dict[int, list[str]] = {}
        """What these are called, once it was asked for: in chess that takes long."""
        self._moves: list[str] | None = [] if self.recipe.name in chess.GAMES else None
        """All moves so far as UCI writes them, in chess."""
        self._start = ""
        """The position that the match began from, in chess, if it is not the usual one."""
        self._unasked: list[tuple[str, str]] = []
        """What was played since the last decision without asking: as OpenSpiel and UCI call it."""
        self._go_on()

    @classmethod
    def check_seats(cls, options: Options, seats: int) -> None:
        """Raise ValueError, mostly in OpenSpiel's words, if it has no such match."""
        try:
            _loaded(cls, options, seats)
        except ValueError as error:
            raise ValueError(f"with {seats} seats, {error}") from None

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a copy, which has the chance that `memo` has for it."""
        copied = object.__new__(type(self))
        vars(copied).update(vars(self))
        copied.chance = memo.get(id(self.chance), self.chance)
        copied._state = self._state.clone()
        copied._own = [[*actions] for actions in self._own]
        copied._legal = {**self._legal}
        copied._texts = {**self._texts}
        copied._moves = None if self._moves is None else [*self._moves]
        copied._unasked = [*self._unasked]
        return copied

    @property
    def state(self) -> Any:
        """OpenSpiel's own state, which is only to be read."""
        return self._state

    def deciders(self) -> Sequence[int]:
        """Return the seats that have a choice now."""
        return [*self._legal]

    def asks(self, seat: int) -> str:
        """Return the one name that all decisions have."""
        return "act"

    def decision(self, seat: int) -> Decision:
        """Return the question for an action, with all that are legal."""
        return Decision("act", legal=[{"action": action} for action in self._legal[seat]])

    def view(self, seat: int) -> Observation:
        """Return what OpenSpiel lets the seat observe, and its own actions so far.

        `observation` and `information` are OpenSpiel's texts; the second holds the past, too, and
        is there where something is hidden. Where nothing is, `history` has all actions so far,
        those of chance among them: OpenSpiel makes the state from it. `texts` calls the legal
        actions, in their order. In chess, `uci` does so as chess programs write moves, and `moves`
        are all so far, from the position `start` if the match began from one.
        """
        legal = self._legal.get(seat)
        state, loaded = self._state, self._loaded
        view: Observation = {
            "game": self.name,
            "seat": seat,
            "decision": None if legal is None else "act",
        }
        if loaded.is_open:
            view["history"] = state.history()
        else:
            view["actions"] = self._own[seat]
        if loaded.has_observation:
            view["observation"] = state.observation_string(seat)
        if loaded.has_information:
            view["information"] = state.information_state_string(seat)
        if loaded.json_of is not None:
            view["state"] = loaded.ready(loaded.json_of(state, seat))
        if legal is not None:
            view["texts"] = self._called(seat)
        if self._start:
            view["start"] = self._start
        if self._moves is not None:
            view["moves"] = self._moves
            if legal is not None:
                view["uci"] = chess.all_uci(state, legal)
        if self.reason:
            view["returns"] = [*map(float, state.returns())]
        return view

    def _called(self, seat: int) -> list[str]:
        """Return what the legal actions of a seat are called, in their order."""
        texts = self._texts.get(seat)
        if texts is None:
            text_of = self._state.action_to_string
            texts = self._texts[seat] = [text_of(seat, action) for action in self._legal[seat]]
        return texts

    def check(self, seat: int, move: Move) -> str | None:
        """Return why an action is not legal, or not to be told from another."""
        if not move:
            return _SENT
        if len(move) == 1 and move.get("action") in self._legal[seat]:
            return None  # nearly all answers
        meant = self._meant(seat, move)
        if len(meant) == 1:
            return None
        names = " and ".join(repr(move[name][:60]) for name in ("text", "uci") if name in move)
        if meant:
            return f"the actions {meant} are all called {names}: send the number of one"
        if "action" not in move:
            return f"no legal action is called {names}: {_SENT}"
        if move["action"] in self._legal[seat]:
            return f"action {move['action']} is not the one called {names}"
        return f"action {move['action']} is not legal now: {_SENT}"

    def canonical(self, seat: int, move: Move) -> Move:
        """Return the action by its number."""
        return move if [*move] == ["action"] else {"action": self._meant(seat, move)[0]}

    def _meant(self, seat: int, move: Move) -> list[int]:
        """Return the legal actions that are all that a move says."""
        meant = self._legal[seat]
        if "action" in move:
            meant = [action for action in meant if action == move["action"]]
        if "text" in move:
            texts = dict(zip(self._legal[seat], self._called(seat), strict=True))
            meant = [action for action in meant if texts[action] == move["text"]]
        if "uci" in move:
            meant = [action for action in meant if chess.uci(self._state, action) == move["uci"]]
        return meant

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Carry out the actions of all who were asked."""
        self._unasked = []
        self._act({seat: move["action"] for seat, move in moves.items()})
        self._go_on()

    def default(self, seat: int) -> Move:
        """Return the first legal action."""
        return {"action": self._legal[seat][0]}

    def sample(self, seat: int, rng: Random) -> Move:
        """Return any legal action."""
        return {"action": rng.choice(self._legal[seat])}

    def places(self) -> list[int]:
        """Return the places by what OpenSpiel returns: the most is best."""
        return ranked([-score for score in self._state.returns()])

    def scores(self) -> list[float]:
        """Return what OpenSpiel returns to each seat."""
        return [float(score) for score in self._state.returns()]

    def resample(self, seat: int, rng: Random) -> Self:
        """Return another state in which the seat has had the same information."""
        other = twin(self, rng)
        if not self._loaded.is_open:
            spiel = self._loaded.spiel
            other._state = another(spiel, self._state, seat, rng)
            other._own = own_actions(spiel, other._state)
            if not self.reason:
                other._ask()
        return other

    def all_moves(self) -> Iterable[tuple[str, list[Move]]]:
        """Yield every action of the game by its number."""
        yield (
            "act",
            [{"action": action} for action in range(self._loaded.spiel.num_distinct_actions())],
        )

    @property
    def was_drawn(self) -> bool:
        """Whether chance has brought the first position, as in Chess960, unless it was set up."""
        return self.recipe.has_chance and not self._start

    def set_up(self, position: str) -> None:
        """Begin a match of chess from a position in FEN."""
        if self.recipe.base != "chess":
            super().set_up(position)
        chess.check_position(position, is_960=self.recipe.has_chance)
        self._state = self._loaded.spiel.new_initial_state(position)
        chess.check_is_possible(self._state)
        self._start, self._moves = position, None if self._moves is None else []
        self._own = [[] for _ in range(self.seats)]
        self._unasked = []
        self._go_on()

    def named(self, seat: int, text: str) -> Move | None:
        """Return the action of a text of OpenSpiel's; in chess also as SAN and UCI have it."""
        legal = self._legal[seat]
        if self._moves is not None:
            uci, state = chess.uci, self._state
            legal = [action for action in legal if chess.may_be(uci(state, action), text)]
        meant = [action for action in legal if self._is_called(self._names(seat, action), text)]
        return {"action": meant[0]} if len(meant) == 1 else None

    def has_played(self, text: str) -> bool:
        """Return whether an action of that text was played since, as it was the only one."""
        return any(self._is_called(names, text) for names in self._unasked)

    def _names(self, seat: int, action: int) -> tuple[str, str]:
        """Return what OpenSpiel and, in chess, UCI call a legal action."""
        uci = "" if self._moves is None else chess.uci(self._state, action)
        return " ".join(self._state.action_to_string(seat, action).split()), uci

    def _is_called(self, names: tuple[str, str], text: str) -> bool:
        return text in names if self._moves is None else chess.is_called(*names, text)

    def called(self, seat: int) -> str:
        """Return what the seat is called: by the colour of its pieces, where it has some."""
        return colour(self.recipe.base, seat) or f"seat {seat}"

    def describe(self, seat: int, move: Move) -> str:
        """Return what OpenSpiel calls the action."""
        text: str = self._state.action_to_string(seat, move["action"])
        return " ".join(text.split()) or f"action {move['action']}"

    def scene(self, seat: int | None = None) -> Sequence[Area]:
        """Return the board, where it has a common shape; else OpenSpiel's own text."""
        eyes = range(self.seats) if seat is None else [seat]
        texts = {each: self._shown(each) for each in eyes}
        if self._loaded.is_open or len({*texts.values()}) == 1:
            return drawn(self.recipe.base, "The table", texts[eyes[0]])
        return [
            area
            for each, text in texts.items()
            for area in drawn(self.recipe.base, f"What {self.called(each)} sees", text)
        ]

    def _shown(self, seat: int) -> str:
        if self._loaded.has_observation:
            return str(self._state.observation_string(seat))
        return str(self._state.information_state_string(seat))

    # --- between decisions

    def _go_on(self) -> None:
        """Go on until somebody has a choice, or the game is over."""
        state = self._state
        self._legal, self._texts = {}, {}
        while not state.is_terminal():
            if self._loaded.most is not None and sum(map(len, self._own)) >= self._loaded.most:
                self.reason = "length"
                return
            if self._ask():
                return
            if self._actor == _CHANCE:
                outcomes = state.chance_outcomes()
                if not outcomes and self._loaded.most is not None:
                    self.reason = "stuck"
                    return
                state.apply_action(self.chance.weighted(outcomes, "chance", self._chances))
                self._chances += 1
            else:
                self._act({})
        self.reason = "end"

    def _ask(self) -> bool:
        """Note who acts and who has a choice now, and return whether anybody has."""
        state = self._state
        self._texts = {}
        self._actor = actor = state.current_player()
        if actor == _CHANCE:
            self._legal = {}
            return False
        seats = range(self.seats) if actor == _ALL else (actor,)
        legal = {seat: state.legal_actions(seat) for seat in seats}
        self._legal = {seat: actions for seat, actions in legal.items() if len(actions) > 1}
        return bool(self._legal)

    def _act(self, chosen: Mapping[int, int]) -> None:
        """Apply what was chosen, and the only legal action of everybody else who acts now."""
        state = self._state
        if self._actor != _ALL:
            seat = self._actor
            action = chosen[seat] if chosen else state.legal_actions(seat)[0]
            if not chosen:
                self._unasked.append(self._names(seat, action))
            if self._moves is not None:
                self._moves.append(chess.uci(state, action))
            self._own[seat].append(action)
            state.apply_action(action)
            return
        joint = []
        for seat in range(self.seats):
            if seat not in chosen:
                only = state.legal_actions(seat)
                joint.append(only[0] if only else 0)  # OpenSpiel's own: who has none sends any
            else:
                joint.append(chosen[seat])
            self._own[seat].append(joint[-1])
        state.apply_actions(joint)


class _Loaded(NamedTuple):
    """A game of OpenSpiel with its options, and what a view of it holds."""

    spiel: Any
    is_open: bool
    """Whether nothing is hidden in it."""
    has_observation: bool
    has_information: bool
    json_of: Callable[[Any, int], str] | None
    """Returns as JSON what a seat may know of a state, where OpenSpiel has that."""
    ready: Callable[[str], Any]
    """Makes a part of a view of it: as it is, where it is written as we write."""
    most: int | None
    """After how many actions of players a match is ended, where it could go on forever."""


@lru_cache(maxsize=32)
def _loaded(game: type[OpenSpielGame], options: Options, seats: int) -> _Loaded:
    fields = msgspec.structs.fields(options)
    given = {field.encode_name: getattr(options, field.name) for field in fields}
    recipe = game.recipe
    spiel = recipe.made(given, seats)
    kind = spiel.get_type()
    is_open = kind.information == type(kind).Information.PERFECT_INFORMATION
    json_of: Callable[[Any, int], str] | None = None
    ready: Callable[[str], Any] = msgspec.json.decode
    if recipe.survey.state and is_open:
        json_of = _whole
        if _is_as_ours(spiel.new_initial_state().to_json()):
            ready = msgspec.Raw
    elif recipe.survey.observed and recipe.base not in LEAKING:
        json_of = _observed
    return _Loaded(
        spiel=spiel,
        is_open=is_open,
        has_observation=kind.provides_observation_string,
        has_information=kind.provides_information_state_string and not is_open,
        json_of=json_of,
        ready=ready,
        most=spiel.max_game_length() if recipe.base in ENDLESS else None,
    )


def _whole(state: Any, _: int) -> str:
    text: str = state.to_json()
    return text


def _observed(state: Any, seat: int) -> str:
    text: str = state.to_observation_struct(seat).to_json()
    return text


def _is_as_ours(text: str) -> bool:
    """Return whether JSON is written as we write it, to the byte."""
    return msgspec.json.encode(msgspec.json.decode(text)) == text.encode()
