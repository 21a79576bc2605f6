"""Khan for people: the table drawn from what views hold, so that it shows no more."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from referee.game import Move, Observation
from referee.games.khan.cards import ROUNDS, in_order

WIDTH = 80
LEGEND = (
    "E beats B, B beats O, O beats E; C leads. O1 gunpowder, C1 poison, B1 champion,",
    "E1 retreat.",
)


def drawn(
    public: Observation, own: Mapping[int, Observation], most_turns: int, ending: str | None
) -> str:
    """Return the table as it is seen by the seats whose own knowledge is given, together."""
    lines = [
        *_folded("", _headline(public, own, most_turns, ending)),
        f"Scarce, worth 2: {', '.join(public['scarce'])}."
        f" Deck {public['deck']} cards, bag {public['bag']} tokens.",
        *LEGEND,
        "",
    ]
    for seat in range(len(public["front"])):
        lines += _camp(seat, public, own.get(seat), alone=len(own) == 1)
    pile = public["discards"]
    cards = " ".join(in_order(pile)) or "none"
    lines += ["", *_folded(f"Discards ({len(pile)}): ", cards)]
    if public["combat"]:
        lines += ["", *_combat(public["combat"])]
    if public["recent"]:
        lines += ["", "Lately:"]
        for turn in public["recent"]:
            lines += _folded(f"  turn {turn['turn']:<4}", _told(turn))
    return "\n".join(lines)


def deed(decision: str, move: Move, stage: int) -> str:
    """Return what a seat does by `move`, as the predicate of a sentence."""
    match decision:
        case "turn":
            peaceful = move["action"] == "draw"
            return "draws" if peaceful else f"attacks seat {move['target']}"
        case "discard":
            replaced = move.get("replacement")
            more = f", and turns {replaced} face up for it" if replaced else ""
            return f"discards {move['discard']}{more}"
        case "reveal":
            return f"shows {' '.join(in_order(move['cards'])) or 'nothing'} as {ROUNDS[stage]}"
        case "gunpowder" if move["use"]:
            return f"uses gunpowder on {' '.join(in_order(move['discard']))}"
        case "gunpowder" | "poison":
            return f"{'uses' if move['use'] else 'keeps'} its {decision}"
        case "replace_leader":
            return f"sends {move['card'] or 'nobody'} in as leader"
        case "retreat":
            return "retreats" if move["use"] else "does not retreat"
    return f"turns {' '.join(in_order(move['cards']))} face up"


def _headline(
    public: Observation, own: Mapping[int, Observation], most_turns: int, ending: str | None
) -> str:
    if ending:
        return f"Khan, over in turn {public['turn']}: {ending}"
    deciders = [(seat, each["decision"]) for seat, each in own.items() if each["decision"]]
    asked = [f"seat {seat} decides ({decision})" for seat, decision in deciders]
    stage = f"Khan, turn {public['turn']} of at most {most_turns}, seat {public['to_move']}'s"
    return "; ".join([stage, *asked])


def _camp(seat: int, public: Observation, own: Observation | None, *, alone: bool) -> list[str]:
    face_up = " ".join(public["face_up"][seat]) or "none"
    front = _tokens(public["front"][seat]) or "none"
    if own:
        name = f"Seat {seat} (you)" if alone else f"Seat {seat}"
        points = _points(own["points"])
        hand = f"hand {' '.join(own['hand']) or 'empty'}"
        hand += f"; just drawn {own['drawn']}" if own["drawn"] else ""
        behind = f"behind {_tokens(own['behind']) or 'none'}"
    else:
        name, points = f"Seat {seat}", f"{_points(public['seen_points'][seat])} to be seen"
        hand = f"{public['hand_size'][seat]} in hand"
        hand += _known(" ".join(public["seen_in_hand"][seat]))
        behind = f"{public['behind_size'][seat]} behind"
        behind += _known(_tokens(public["seen_behind"][seat]))
    return [
        f"{name}, {points}",
        *_folded("  cards   ", f"face up {face_up}; {hand}"),
        *_folded("  tokens  ", f"in front {front}; {behind}"),
    ]


def _points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"


def _known(things: str) -> str:
    return f", known {things}" if things else ""


def _tokens(tokens: Mapping[str, int]) -> str:
    return ", ".join(kind if count == 1 else f"{kind}*{count}" for kind, count in tokens.items())


def _folded(label: str, words: str) -> list[str]:
    if len(label) + len(words) <= WIDTH:
        return [label + words]  # nearly always, and textwrap is slow
    indent = " " * min(len(label), 12)
    return textwrap.wrap(words, WIDTH, initial_indent=label, subsequent_indent=indent)


def _combat(combat: Mapping[str, Any]) -> Iterator[str]:
    seats = (combat["seat"], combat["target"])
    yield f"Combat: seat {seats[0]} attacks seat {seats[1]}"
    taken = (" ".join(cards) or "nothing" for cards in combat["face_up"])
    yield f"  {'face up before':<16}{' v '.join(taken)}"
    for name, fought in zip(ROUNDS, combat["rounds"], strict=False):
        result = "" if fought["winner"] is None else f": seat {fought['winner']} wins"
        yield from _folded(f"  {name:<16}", f"{_clash(fought)}{result}")
    for seat, special in zip(seats, combat["declared"], strict=True):
        if special:
            yield f"  seat {seat} has declared {special}"
    if combat["winner"] is not None:
        yield from _folded("  ", _aftermath(combat))


def _clash(fought: Mapping[str, Any]) -> str:
    sides = zip(fought["shown"], fought["destroyed"], strict=True)
    return " v ".join(_side(shown, destroyed) for shown, destroyed in sides)


def _side(shown: Sequence[str] | None, destroyed: Sequence[str]) -> str:
    if shown is None:
        return "..."
    cards = " ".join(shown) or "-"
    return f"{cards} ({' '.join(destroyed)} destroyed)" if destroyed else cards


def _aftermath(combat: Mapping[str, Any]) -> str:
    parts = [f"seat {combat['winner']} wins"]
    if combat["loot"]:
        parts.append(f"loots {_tokens(combat['loot'])}")
    seats = (combat["seat"], combat["target"])
    for seat, cards in zip(seats, combat["discarded"], strict=True):
        if cards:
            parts.append(f"seat {seat} discards {' '.join(cards)}")
    return ", ".join(parts)


def _told(turn: Mapping[str, Any]) -> str:
    who = f"seat {turn['seat']}"
    if turn["action"] == "draw":
        return f"{who} {_told_draw(turn)}"
    rounds = "; ".join(_clash(fought) for fought in turn["rounds"])
    seats = (turn["seat"], turn["target"])
    declared = zip(seats, turn["declared"], strict=True)
    specials = [f"{special} declared by seat {seat}" for seat, special in declared if special]
    parts = [rounds, *specials, _aftermath(turn)]
    return f"{who} attacks seat {turn['target']}: {'; '.join(parts)}"


def _told_draw(turn: Mapping[str, Any]) -> str:
    places = {"front": "in front", "behind": "behind", "hand": "in hand"}
    parts = []
    if turn["token_to"]:
        parts.append(turn["token"] or f"a token {places[turn['token_to']]}")
    if turn["card_to"]:
        parts.append(f"{turn['card']} face up" if turn["card"] else "a card in hand")
    told = f"draws {' and '.join(parts) or 'nothing'}"
    if discard := turn["discard"]:
        told += f", {deed('discard', discard, 0)}"
    return told
