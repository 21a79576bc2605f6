"""The scenes of the bundled games, as the page draws them: nothing hidden, nothing missing, small.

What a terminal shows of the same scenes is held to the byte by the playthroughs, and
`tests/referee/games/test_conformance.py` shows that they tell a seat no secret.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import hypot
from random import Random
from typing import Any

import msgspec
import pytest

from arena.report.frames import shortened
from referee.games import GAMES
from referee.games.guerra.battle import ZONES
from referee.games.tod_und_leben.game import areas as areas_of_pairs
from referee.games.world_war.course import Continents, Destroy
from referee.games.world_war.table import GROUND
from referee.rules.cards import back, french, pack, spanish, suit_first
from referee.rules.game import Game, plain
from referee.rules.options import new_game, read_options
from referee.rules.scene import Area, Card, Facts, Group, Row, Token
from tests.referee.games import casino_war_positions as casino
from tests.referee.games import cold_war_notation as cold_war
from tests.referee.games import duel_positions as duels
from tests.referee.games import guerra_positions as guerra
from tests.referee.games import khan_positions as khan
from tests.referee.games import steal_war_positions as steal_war
from tests.referee.games import war_positions as packs
from tests.referee.games import world_war_positions as war
from tests.referee.games.tables import play, play_at_once

CODE = re.compile(r"\b(?:[OCEB](?:1[0-2]|[1-9])|(?:[1-7]|1[0-2])[OCEB]|[2-9TJQKA][CDHS]|X[12])\b")
"""A card in the words of these games."""
MATCHES = [
    ("guerra", 2, {"max_turns": 40}),
    ("steal_war", 2, {"max_tricks": 60}),
    ("steal_war", GAMES["steal_war"].seat_counts[-1], {"max_tricks": 12}),
    ("world_war", 3, {"max_rounds": 5}),
    ("world_war", 4, {"max_rounds": 3, "objective": "world", "defence": "max"}),
    ("world_war", 6, {"max_rounds": 2, "setup": "in_turn", "attack_mode": "single"}),
    ("khan", 2, {}),
    ("khan", 3, {"deck": 48, "first_player": "random"}),
    ("khan", 5, {"max_turns_per_player": 15}),
    *(("duel", 2, {"deck": deck}) for deck in (40, 40, 48)),
    ("war", 2, {"max_battles": 60}),
    ("war", 4, {"max_battles": 60, "order_seen": "winner"}),
    ("pyanitsa", 2, {"max_battles": 60}),
    ("casino_war", GAMES["casino_war"].seat_counts[-1], {"rounds": 5}),
    ("cold_war", 4, {"max_rounds": 20}),
    ("cold_war", 4, {"max_rounds": 8, "talk": True, "talk_exchanges": 3}),
]
HELD = {
    "guerra": ("Hand", "hand"),
    "steal_war": ("Drawn", "card"),
    "world_war": ("Cards", "cards"),
    "khan": ("Hand", "hand"),
    "duel": ("Hand", "hand"),
}
"""Where a seat's secret cards are drawn, and by which key its view has them."""


def moments(name: str, seats: int, raw: dict[str, Any], every: int = 3) -> Iterator[Game]:
    """Yield a random match at every third moment or so, and at its end."""
    kind, rng = GAMES[name], Random(7)
    game, at = new_game(kind, seats, read_options(kind, raw), f"deal {raw}"), 0
    while deciders := game.deciders():
        if at % every == 0:
            yield game
        game.apply({seat: game.sample(seat, rng) for seat in deciders})
        at += 1
    yield game


def drawn(game: Game, eyes: int | None = None) -> Sequence[Area]:
    """Return what the page draws of a moment, with all eyes open or only those of one seat."""
    return [short for area in game.scene(eyes) if (short := shortened(area))]


def within(areas: Sequence[Area]) -> Iterator[Area]:
    """Yield the areas and all that stand in groups."""
    for area in areas:
        yield area
        if isinstance(area, Group):
            yield from within(area.areas)


def items_of(areas: Sequence[Area]) -> list[Card | Token]:
    return [item for area in within(areas) if isinstance(area, Row) for item in area.items]


def codes(items: Sequence[Card | Token]) -> Counter[str]:
    """Return what the cards that can be seen are called in views."""
    return Counter(item.code.split(" ")[0] for item in items if item.code)


def labelled(areas: Sequence[Area], *labels: str) -> list[Any]:
    """Return the areas whose labels begin so, in the order of the labels."""
    found = [*within(areas)]
    return [area for label in labels for area in found if area.label.startswith(label)]


def camp(areas: Sequence[Area], seat: int) -> list[Area]:
    """Return all that stands in the groups of a seat."""
    groups = [each for each in within(areas) if isinstance(each, Group) and each.seat == seat]
    return [inner for group in groups for inner in within(group.areas)]


def sketch(areas: Sequence[Area]) -> str:
    """Return all that areas say: a line an area, and a line for whatever lies in it."""
    return "\n".join(_lines(msgspec.to_builtins(areas), ""))


def _lines(areas: list[dict[str, Any]], indent: str) -> Iterator[str]:
    for area in areas:
        kind, items = area.pop("t"), area.pop("items", ())
        inner = area.pop("areas", ())
        words = (f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in area.items())
        yield f"{indent}{kind} {' '.join(words)}"
        for item in items:
            told = ", ".join(f"{key} {value}" for key, value in item.items())
            yield f"{indent}    {told or 'a back'}"
        yield from _lines(inner, f"{indent}  ")


@pytest.mark.parametrize(("name", "seats", "raw"), MATCHES)
def test_every_hand_is_on_the_board_and_of_others_what_is_public(name, seats, raw):
    rng = Random(3)
    for game in moments(name, seats, raw):
        board, views = drawn(game), [plain(game.view(seat)) for seat in range(seats)]
        facts = sum(len(area.rows) for area in within(board) if isinstance(area, Facts))
        assert len(items_of(board)) + facts <= 84  # all cards of Steal War, for instance
        if name == "cold_war" or (name == "duel" and not views[0]["turn"]):
            continue  # nobody holds any cards, in Duel before traits are chosen
        for eyes, view in enumerate(views if name in HELD else ()):
            label, key = HELD[name]
            hands = [each[key] or () for each in views]
            hands = [[hand] if isinstance(hand, str) else hand for hand in hands]
            assert codes(labelled(camp(board, eyes), label)[0].items) == Counter(hands[eyes])
            for seat in {*range(seats)} - {eyes}:
                hand = labelled(camp(drawn(game, eyes), seat), label)[0].items
                assert codes(hand) == Counter(view["seen_in_hand"][seat] if name == "khan" else ())
                assert sum(card.count for card in hand) == len(hands[seat])
            if name == "guerra":
                standing = {card for zone in ZONES for card in view["zones"][eyes][zone]}
                assert all(
                    standing <= {*codes(items_of(camp(drawn(game, seat), eyes)))} for seat in (0, 1)
                )
        if name != "world_war":
            shown = {item.code for item in items_of(board) if isinstance(item, Card)}
            piles = () if name in ("khan", "duel") else items_of(board)
            under = sum(item.count - 1 for item in piles if isinstance(item, Card) and item.code)
            for seat in game.deciders():
                words = {*CODE.findall(game.describe(seat, game.sample(seat, rng)))}
                assert len(words - shown) <= under  # in a pile, only the top is seen


def test_a_pack_shows_how_many_it_has_and_the_next_card_that_anybody_knows():
    for match in (match for match in MATCHES if match[0] in ("war", "pyanitsa")):
        for game in moments(*match):
            views, board = [plain(game.view(seat)) for seat in range(game.seats)], drawn(game)
            for seat in range(game.seats):
                (row,) = labelled(camp(board, seat), "Pack")
                known = {view["packs"][seat][0] for view in views if view["packs"][seat]} - {None}
                assert known == {*codes(row.items[:1])}
                assert len(row.items) <= 8
                assert sum(card.count for card in row.items) == len(views[0]["packs"][seat])


def test_the_map_has_the_territories_and_borders_of_world_war_apart_and_no_roads_that_cross():
    def turn(a, b, c):
        return (b.x - a.x) * (c.y - a.y) > (c.x - a.x) * (b.y - a.y)

    territories, names = (
        war.new_game().table()["territories"],
        [each.name for each in GROUND.places],
    )
    assert war.new_game().ground == GROUND
    assert names == [*territories]
    assert [each.region for each in GROUND.places] == [
        territory["continent"] for territory in territories.values()
    ]
    roads = [frozenset(names[end] for end in road) for road in GROUND.roads]
    borders = {frozenset((name, to)) for name in names for to in territories[name]["borders"]}
    assert (len(roads), {*roads}) == (83, borders)
    for place in GROUND.places:
        assert 30 <= place.x <= 970
        assert 30 <= place.y <= 570
    for one, two in combinations(GROUND.places, 2):
        assert hypot(one.x - two.x, one.y - two.y) >= 52
    around = (names.index("alaska"), names.index("kamchatka"))  # it leaves by the sides
    for first, second in combinations([road for road in GROUND.roads if road != around], 2):
        if {*first}.isdisjoint(second):
            a, b, c, d = (GROUND.places[end] for end in (*first, *second))
            assert turn(a, b, c) == turn(a, b, d) or turn(c, d, a) == turn(c, d, b)


def after(rules: Any, game: Any, *moves: Any) -> Any:
    """Return a game after moves that must be legal."""
    (play_at_once if rules in (casino, steal_war) else play)(game, *moves)
    return game


def seen(game: Any, *labels: str, seat: int | None = None, eyes: int | None = None) -> list[Area]:
    """Return what is drawn, or the group of a seat alone, or the areas of these labels alone."""
    board = drawn(game, eyes)
    if seat is not None:
        board = [area for area in board if isinstance(area, Group) and area.seat == seat][:1]
    return labelled(board, *labels) if labels else [*board]


def attacked(*armies: str, **given: Any) -> Any:
    game = war.position(*armies, at="attack", **given)
    return after(war, game, war.attack("alaska", "kamchatka"))


def hold(*armies: str, **given: Any) -> Any:
    return war.position(*(armies or ("alaska:6", "kamchatka:4")), at="attack", **given)


def ordered(attacks: str, *armies: str, **given: Any) -> Any:
    game = guerra.position(*armies, **given)
    guerra.order_attacks(game, attacks)
    return game


def fencers(*moves: Any, **given: Any) -> Any:
    return play(duels.position("B3 B4 E2", "O1 C4", trait=(2, 7), **given), *moves)


def after_a_war(**options: Any) -> Any:
    """Return the game after tens for both, and a king for the house in the war."""
    game = casino.position("T T 3 K", 1000, 1000, **options)
    after(casino, game, casino.bet(10), casino.bet(40))
    return after(casino, game, casino.WAR, casino.SURRENDER)


def exchanged(*steps: dict[int, Any], **options: Any) -> Any:
    game = cold_war.new(**options)
    for moves in steps:
        game.apply(moves)
    return game


THIEVES = ("9 5 6 | 2 3", "K 4 7 | J 9", "3 6 8")
STOLEN = (steal_war.steal(1), None, {"action": "play"})
PAIRS = {
    "round": 3,
    "packs": [["9C", "AS", "7C"], ["9H", "KD", "8C"]],
    "cards_won": [4, 2],
    "rounds_won": [2, 1],
}
CAMP = {"front": ["gold, wood"], "behind": ["2 steel, gold"]}
DESTROYED = [Destroy(0), Continents(["asia", "africa"], 0), Continents(["europe", "oceania"], 1)]
AIMED = ("- 7 0 8 / 2", *cold_war.POSITION_X[1:])
NULLS = ({"play": "arm", "add": [0, 5, 0, 0]}, cold_war.PASS, cold_war.PASS, cold_war.NULL)
FACING = {"hands": ("4E", "2C 3C"), "packs": ("7C", "")}
POSITIONS = {
    "guerra: armies face to face, with wounds and cards that have attacked": lambda: seen(
        ordered("6O>5C", "V 5O 6O / C 10B", "V 5C 7E / R 1B", **FACING), eyes=0
    ),
    "guerra: an attacker that died of it": lambda: seen(
        ordered("2O+6O>7E", "V 2O 6O 4E / R 1B", "V 7E 7O"), "Between the armies"
    ),
    "guerra: wounds against the value beside the banner": lambda: seen(
        guerra.position("V 7O 1O*0 / R 2B", "V 6O*4 1O"), "Vanguard"
    ),
    "war: cards face down, and who takes all": lambda: seen(
        packs.position("9 2 3 5 / 9 4 5 5 / 4 6 K 5")
    ),
    "war: many cards face down": lambda: seen(
        packs.position("8 2 3 4 5 6 7 8 9 / 8 2 3 4 5 6 7 8 T", war_length="razboi"), "Battle"
    ),
    "steal_war: its own card, and the piles": lambda: seen(steal_war.position(*THIEVES), eyes=0),
    "steal_war: a theft until its trick is over": lambda: seen(
        after(steal_war, steal_war.position(*THIEVES), *STOLEN)
    ),
    "casino_war: the round before, and what it brought": lambda: seen(after_a_war()),
    "tod_und_leben: pair by pair, who was higher": lambda: areas_of_pairs(PAIRS),
    "world_war: an attack that awaits an answer": lambda: seen(
        attacked("alaska:6", "kamchatka:4"), "The world", "alaska → kamchatka"
    ),
    "world_war: who is out": lambda: seen(
        hold("alaska:2", "", "japan", seats=4, fallen=[(1, 2, 5)]), "Forces"
    ),
    "world_war: who holds and brings what": lambda: seen(
        hold("south_america:2", "africa"), "Forces", "Continents"
    ),
    "world_war: an objective that has changed": lambda: seen(hold(missions=DESTROYED), "Objective"),
    "world_war: cards with their weapons": lambda: seen(
        hold(hands=["peru joker_1"]), "Cards", seat=0, eyes=0
    ),
    "khan: a camp before and behind the screen": lambda: seen(
        khan.position("E2 E3 B5 C10", "O2 O3 O4", **CAMP), seat=0
    ),
    "khan: the camp of another": lambda: seen(
        khan.position("E2 E3 B5 C10", "O2 O3 O4", **CAMP), seat=0, eyes=1
    ),
    "duel: the pawn, and where an attack drives it": lambda: seen(
        fencers(duels.attack("B3 B4"), pawn=1), "The line", "B is to retreat 2 points"
    ),
    "duel: a hand, potentiators and a trait": lambda: seen(
        fencers(in_play=("B12 O10", "")), seat=0, eyes=0
    ),
    "cold_war: missiles by whom they are aimed at": lambda: seen(cold_war.new(AIMED), seat=0),
    "cold_war: pairs by which of them leads": lambda: seen(
        cold_war.new(AIMED), "Aimed by each pair at the other"
    ),
    "cold_war: what was laid in a null play, where that is shown": lambda: seen(
        exchanged(dict(enumerate(NULLS)), null_plays="shown"), "Last plays"
    ),
}


@pytest.mark.parametrize("position", POSITIONS)
def test_a_position_is_drawn_as_it_was(position, golden):
    golden(sketch(POSITIONS[position]()))


def test_what_changes_from_one_step_to_the_next():
    game = attacked("alaska:6", "kamchatka", dice=["6,5,2 v 1"])
    assert game.war.asked == "occupy"
    assert labelled(drawn(game), "The world")[0].arrows == [(0, 29)]  # while armies may follow
    (world,) = labelled(drawn(after(war, game, {"armies": 0})), "The world")
    assert (world.arrows, world.marked) == ([], [])
    game = steal_war.position("9 5 6 | 2 3", "9 4 7 | J 9", "3 9 8 | J 3")
    after(steal_war, game, {"action": "play"}, None, steal_war.steal(0))
    notes = [row.note for row in camp(drawn(game), 1) if isinstance(row, Row)]
    assert notes == ["", "", "protected"]  # from a second theft
    game = after(packs, packs.position("9 2 3 / 8 4 5", order_seen="winner"), UNDER)
    assert items_of([drawn(game, 0)[1]]) == [back(), french("8C"), french("9C")]
    assert items_of([drawn(game, 1)[1]]) == [back(3)]  # who did not see the order
    money, cards, bets, _ = drawn(after_a_war(rounds=1))  # the end has no places for cards
    assert [area.label for area in (money, cards, bets)] == [
        *("Money in the end", "Round 1: cards", "Round 1: bets")
    ]


UNDER = {"order": ["8C", "9C"]}


def test_messages_are_shown_as_they_came_long_ones_cut_and_of_the_last_exchanges_alone():
    words = "<b>\u202etreason"  # the rules remove what turns the direction
    said = {0: {"say": words}, 1: {"say": "x" * 1200}, 2: {"say": ""}, 3: {"say": "no"}}
    talking = {"talk": True, "talk_exchanges": 3, "talk_chars": 1500}
    (area,) = labelled(drawn(exchanged(said, **talking)), "Messages, exchange 1")
    cut = f"{'x' * 1000}… (200 characters more)"
    assert (area.lines, area.seats) == (["<b>treason", cut, "(silent)", "no"], [0, 1, 2, 3])
    exchanges = [{seat: {"say": word} for seat in range(4)} for word in ("one", "two", "three")]
    game = exchanged(*exchanges, **talking)
    shown = [area.label for area in labelled(drawn(game), "Messages")]
    assert shown == ["Messages, exchange 2", "Messages, exchange 3"]
    assert all(words in game.text(0) for words in ("one", "two", "three"))


def test_a_card_has_its_name_in_words_and_as_its_game_writes_it():
    for card, shown in (
        (spanish("7O"), Card("7", "oros", "seven of coins", "7O")),
        (suit_first("B12"), Card("12", "bastos", "twelve of batons", "B12")),
        (french("KD"), Card("K", "diamonds", "king of diamonds", "KD")),
        (french("TS", "won"), Card("10", "spades", "ten of spades", "TS", mark="won")),
        (french("X1"), Card("X", "joker", "joker 1", "X1")),
        (back(), Card()),
    ):
        assert card == shown
    # neighbours that nobody knows are one back, and what is too long is a pile
    assert pack([None, None, "2C", None]) == [back(2), french("2C"), back()]
    assert pack([]) == [Card(count=0)]
    row = Row("Pack", pack(["2C", "3C", "4C", None, None]), most=3)
    assert shortened(row) == Row("Pack", [french("2C"), french("3C"), french("4C", count=3)])
