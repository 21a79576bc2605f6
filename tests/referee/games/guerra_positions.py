"""Set up positions of Guerra, and play attacks, in the notation of the rules page."""

from referee.games.guerra.battle import DECK, ZONES, Army
from referee.games.guerra.game import Guerra, GuerraOptions
from referee.rules.chance import Chance
from referee.rules.game import Move
from tests.referee.games.tables import play

STOP = {"attackers": [], "target": None}
Table = dict[str, dict[str, int]]


def new_game(seed="a deal", **options) -> Guerra:
    return Guerra(seats=2, options=GuerraOptions(**options), chance=Chance(seed))


def parse(rows: str) -> Table:
    """Read `V 1O 7O*7 / C 6O`."""
    table: Table = {zone: {} for zone in ZONES}
    for row in filter(None, rows.split("/")):
        letter, *cards = row.split()
        zone = next(zone for zone in ZONES if zone[0].upper() == letter)
        for card in cards:
            name, _, wounds = card.partition("*")
            table[zone][name] = int(wounds or 0)
    return table


def fill(army: Army, rows: str, hand: str, pack: str) -> None:
    """Give `army` exactly these cards; the others lie in its cemetery."""
    army.zones = parse(rows)
    army.hand = hand.split()
    army.pack = pack.split()
    used = {*army.hand, *army.pack, *(card for zone in army.zones.values() for card in zone)}
    army.cemetery = [card for card in DECK if card not in used]


def position(a, b, *, hands=("", ""), packs=("", ""), seat=0, turn=None, **options) -> Guerra:
    """Return a game in which `seat` is asked for its orders, with these cards left."""
    game = new_game(**options)
    while game.asked == "deploy":
        play(game, game.default(game.to_move))
    for army, rows, hand, pack in zip(game.armies, (a, b), hands, packs, strict=True):
        fill(army, rows, hand, pack)
    game.to_move = seat
    game.turn = turn or seat + 1
    game.last_turn.clear()
    game.this_turn.clear()
    return game


def written_attack(text: str) -> Move:
    """Read `5O+4C>7E`; a sweep is `11O>`."""
    attackers, target = text.strip().split(">")
    return {"attackers": attackers.split("+"), "target": target or None}


def can_attack(game: Guerra, text: str) -> bool:
    return game.asked == "attack" and game.refusal(game.to_move, written_attack(text)) is None


def order_attacks(game: Guerra, attacks: str = "") -> None:
    """Order an attack without transfers and make each of `attacks`, as `7O>5C, 4O>5C`."""
    play(game, {"action": "attack"})
    for text in filter(None, attacks.split(",")):
        play(game, written_attack(text))


def stop(game: Guerra) -> None:
    """End the attack step, if it has not ended by itself."""
    if game.asked == "attack":
        play(game, STOP)


def tables(game: Guerra) -> tuple[Table, Table]:
    return game.armies[0].zones, game.armies[1].zones


def opening():
    """B is asked for three cards to the Rearguard and two to the Centre."""
    game = new_game()
    play(game, game.default(0))
    fill(game.armies[1], "", hand="2O 3O 4O 5O 6O 7O 2C 3C 4C 5C", pack="7B")
    return game


def at_orders(**options):
    a, b = "V 7O / C 3O 4C 12O / R 5E 6E", "V 5C / R 2B"
    return position(a, b, hands=("7C 2C", ""), packs=("7B", "7B"), **options)


def in_battle(**options):
    """A's 4E has attacked already."""
    a, b = "V 7O 3E 4E 1C 10C 11B 11E / R 5O 12B", "V 3C 7C 7E 11E 11C / C 5B / R 2B"
    game = position(a, b, hands=("7C", ""), packs=("7B", "7B"), **options)
    order_attacks(game, "4E>3C")
    return game


def too_many():
    game = position("R 2B", "R 2B", hands=("2O 3O 4O 5O 6O 7O 2C 3C", ""), packs=("7B", ""))
    order_attacks(game)
    stop(game)
    return game
