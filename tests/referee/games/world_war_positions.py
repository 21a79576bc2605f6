"""Set up positions of World War, with dice that fall as the rules page's examples say."""

from referee.games.world_war.board import (
    CARD_NUMBER,
    CONTINENTS,
    MEMBERS,
    NUMBER,
    TERRITORIES,
    Forces,
)
from referee.games.world_war.course import Fall, Territories
from referee.games.world_war.forms import WorldWarOptions
from referee.games.world_war.game import WorldWar
from referee.rules.chance import Chance
from referee.rules.game import Move, plain
from tests.referee.games.tables import play

OUT_OF_REACH = Territories(42, 1000)
STOP = {"action": "stop"}
STAY = {"action": "stay"}
KEEP = {"cards": []}


class LoadedDice(Chance):
    """Chance whose rolls are written down beforehand, as `6,2,1 v 3`."""

    def __init__(self, rolls=()):
        super().__init__("a deal")
        self.rolls = [*rolls]

    def dice(self, count, sides, *event):
        if not self.rolls:
            return super().dice(count, sides, *event)
        ours, theirs = self.rolls.pop(0).split(" v ")
        return [*_padded(ours), *_padded(theirs)]


def _padded(faces):
    given = [int(face) for face in faces.split(",")]
    return [*given, *[0] * (3 - len(given))]  # a die too many would be seen: it shows 0


def new_game(seats=3, seed="a deal", chance=None, **options) -> WorldWar:
    dice = chance or Chance(seed)
    return WorldWar(seats=seats, options=WorldWarOptions(**options), chance=dice)


def holding(text: str) -> dict[int, int]:
    """Read `alaska:6 peru africa` as armies by territory; one where no number stands."""
    armies = {}
    for word in text.split():
        name, _, number = word.partition(":")
        inside = MEMBERS[CONTINENTS.index(name)] if name in CONTINENTS else [NUMBER[name]]
        armies.update(dict.fromkeys(inside, int(number or 1)))
    return armies


def cards(text: str) -> list[int]:
    return sorted(CARD_NUMBER[name] for name in text.split())


def position(*holdings, seats=3, others=None, at="start", **more) -> WorldWar:
    """Return a game in which one seat begins its turn, or stands at `attack` or `fortify`.

    A seat holds what its text says; all that nobody holds is seat `others`', the last one's.
    """
    taken = ("round", "turn", "hands", "used", "draw", "missions", "fallen", "dice", "exchanges")
    given = {name: more.pop(name) for name in taken if name in more}
    game = new_game(seats, chance=LoadedDice(given.get("dice", ())), **more)
    war = game.war
    rest = seats - 1 if others is None else others
    owners, armies = [rest] * len(TERRITORIES), [1] * len(TERRITORIES)
    for seat, text in enumerate(holdings):
        for territory, number in holding(text).items():
            owners[territory], armies[territory] = seat, number
    war.forces = Forces(owners, seats, armies)
    war.left = [0] * seats
    war.missions = [*given.get("missions", [OUT_OF_REACH] * seats)]
    hands = [cards(hand) for hand in given.get("hands", ())]
    war.hands = [*hands, *([] for _ in range(seats - len(hands)))]
    war.used_pile = cards(given.get("used", ""))
    held = {*war.used_pile, *(card for hand in war.hands for card in hand)}
    war.draw_pile = cards(given["draw"]) if "draw" in given else [
        card for card in war.draw_pile if card not in held
    ]  # fmt: skip
    war.exchanges = given.get("exchanges", 0)
    war.fallen = [Fall(*fall) for fall in given.get("fallen", ())]
    begin(game, given.get("turn", 0), given.get("round", 5), at)
    return game


def begin(game: WorldWar, seat: int, number: int, at: str = "start") -> None:
    """Let `seat` begin its turn in the round of this number, or stand later in it."""
    war = game.war
    war.round = number
    if at == "start":
        war._begin_turn(seat)
    else:
        war.in_turn = seat
        war.log.begin_turn(seat, number, war.living())
        war._ask_attack()
        if at == "fortify":
            play(game, STOP)
    game.reason = war.reason


def refusal(game: WorldWar, move: Move) -> str:
    """Return why the seat that decides may not make `move`."""
    (seat,) = game.deciders()
    reason = game.refusal(seat, move)
    assert reason is not None
    return reason


def attack(source, target, dice=3, rolls=1, stop_at=1) -> Move:
    return {
        "action": "attack",
        "from": source,
        "to": target,
        "dice": dice,
        "rolls": rolls,
        "stop_at": stop_at,
    }


def single(source, target, dice=3) -> Move:
    return {"action": "attack", "from": source, "to": target, "dice": dice}


def move(source, goal, armies) -> Move:
    return {"action": "move", "from": source, "to": goal, "armies": armies}


def place(text: str = "", **armies) -> Move:
    return {"armies": {TERRITORIES[t]: n for t, n in holding(text).items()} | armies}


def asked(game: WorldWar) -> str | None:
    """Return the name of the decision that is awaited."""
    for seat in game.deciders():
        return game.decision(seat).name
    return None


def armies(game: WorldWar, *names: str) -> list[int]:
    return [plain(game.view(0))["armies"][NUMBER[name]] for name in names]


def owner(game: WorldWar, name: str) -> int:
    return plain(game.view(0))["owner"][NUMBER[name]]


def to_deploy(game: WorldWar) -> int:
    """Return the reinforcements that the seat in turn has to place; 0 if none are asked for."""
    if asked(game) != "deploy":
        return 0
    (seat,) = game.deciders()
    return game.decision(seat).limits["armies"]


def default_until(game: WorldWar, seat: int, decision: str | None = None) -> None:
    """Play defaults until `seat` is asked for something, or for this decision, or all is over."""
    while game.deciders() and not (
        seat in game.deciders() and asked(game) == (decision or asked(game))
    ):
        game.apply({each: game.default(each) for each in game.deciders()})
