"""World War's board: 42 territories, their borders, continents and cards.

Inside the game a territory is its number in the board's order, a continent its number in the same
order, and a card the number of its territory; the two jokers follow.
"""

from typing import Any

_BOARD = """
north_america +5
  alaska infantry: alberta kamchatka northwest_territory
  northwest_territory cannon: alaska alberta greenland ontario
  greenland cavalry: iceland northwest_territory ontario quebec
  alberta cavalry: alaska northwest_territory ontario western_united_states
  ontario cavalry: alberta eastern_united_states greenland northwest_territory quebec \
    western_united_states
  quebec cavalry: eastern_united_states greenland ontario
  western_united_states cannon: alberta central_america eastern_united_states ontario
  eastern_united_states cannon: central_america ontario quebec western_united_states
  central_america cannon: eastern_united_states venezuela western_united_states
south_america +2
  venezuela infantry: brazil central_america peru
  peru infantry: argentina brazil venezuela
  brazil cannon: argentina north_africa peru venezuela
  argentina infantry: brazil peru
europe +5
  iceland infantry: great_britain greenland scandinavia
  great_britain cannon: iceland northern_europe scandinavia western_europe
  scandinavia cavalry: eastern_europe great_britain iceland northern_europe
  northern_europe cannon: eastern_europe great_britain scandinavia southern_europe western_europe
  western_europe cannon: great_britain north_africa northern_europe southern_europe
  southern_europe cannon: eastern_europe egypt middle_east north_africa northern_europe \
    western_europe
  eastern_europe cavalry: afghanistan middle_east northern_europe scandinavia southern_europe ural
africa +3
  north_africa cavalry: brazil congo east_africa egypt southern_europe western_europe
  egypt infantry: east_africa middle_east north_africa southern_europe
  east_africa infantry: congo egypt madagascar middle_east north_africa south_africa
  congo infantry: east_africa north_africa south_africa
  south_africa cannon: congo east_africa madagascar
  madagascar cavalry: east_africa south_africa
asia +7
  ural cavalry: afghanistan china eastern_europe siberia
  siberia cavalry: china irkutsk mongolia ural yakutsk
  yakutsk cavalry: irkutsk kamchatka siberia
  kamchatka infantry: alaska irkutsk japan mongolia yakutsk
  irkutsk cavalry: kamchatka mongolia siberia yakutsk
  mongolia infantry: china irkutsk japan kamchatka siberia
  japan cannon: kamchatka mongolia
  afghanistan cavalry: china eastern_europe india middle_east ural
  china infantry: afghanistan india mongolia siberia southeast_asia ural
  middle_east infantry: afghanistan east_africa eastern_europe egypt india southern_europe
  india cavalry: afghanistan china middle_east southeast_asia
  southeast_asia infantry: china india indonesia
oceania +2
  indonesia cannon: new_guinea southeast_asia western_australia
  new_guinea infantry: eastern_australia indonesia western_australia
  western_australia cannon: eastern_australia indonesia new_guinea
  eastern_australia cannon: new_guinea western_australia
"""
"""By continent with its bonus: each territory, the weapon on its card, its neighbours.

(Rules page, "The board, in order".)
"""

JOKER = "joker"


def _read(board: str) -> tuple[dict[str, int], list[tuple[str, str, str, list[str]]]]:
    """Return the continents with their bonuses, and every territory's row."""
    bonuses: dict[str, int] = {}
    rows = []
    for line in board.strip().splitlines():
        name, word, *neighbours = line.split()
        if word.startswith("+"):
            bonuses[name] = int(word)
        else:
            rows.append((name, word.rstrip(":"), [*bonuses][-1], neighbours))
    return bonuses, rows


_BONUSES, _ROWS = _read(_BOARD)

TERRITORIES = tuple(name for name, *_ in _ROWS)
NUMBER = {name: number for number, name in enumerate(TERRITORIES)}
BORDERS = tuple(tuple(NUMBER[other] for other in neighbours) for *_, neighbours in _ROWS)

CONTINENTS = tuple(_BONUSES)
BONUS = tuple(_BONUSES.values())
CONTINENT = tuple(CONTINENTS.index(continent) for _, _, continent, _ in _ROWS)
"""By territory, the number of its continent."""
MEMBERS = tuple(
    tuple(territory for territory, of in enumerate(CONTINENT) if of == continent)
    for continent in range(len(CONTINENTS))
)
"""By continent, its territories."""
SIZE = tuple(map(len, MEMBERS))

CARDS = (*TERRITORIES, "joker_1", "joker_2")
CARD_NUMBER = {name: number for number, name in enumerate(CARDS)}
WEAPON = (*(weapon for _, weapon, _, _ in _ROWS), JOKER, JOKER)
"""By card, what it shows."""


def table() -> dict[str, Any]:
    """Return the board and the cards as they are sent at the start of a match."""
    return {
        "territories": {
            name: {
                "number": number,
                "continent": CONTINENTS[CONTINENT[number]],
                "borders": [TERRITORIES[other] for other in BORDERS[number]],
            }
            for number, name in enumerate(TERRITORIES)
        },
        "continents": {
            name: {
                "bonus": BONUS[number],
                "territories": [TERRITORIES[member] for member in MEMBERS[number]],
            }
            for number, name in enumerate(CONTINENTS)
        },
        "cards": dict(zip(CARDS, WEAPON, strict=True)),
    }
