"""Games of chess as PGN, the Portable Game Notation, which chess programs read.

The standard is "Portable Game Notation Specification and Implementation Guide" of 1994, whose
export format this is, but that the text is UTF-8.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from protocol.messages import TimeControl
from referee.openspiel.boards import colour
from referee.openspiel.game import OpenSpielGame
from referee.openspiel.kind import Recipe
from referee.rules.notation import Decided, Heading, Notation

FORMAT = "pgn"
_STANDARD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_HIDDEN = "PGN shows all moves to everybody, and cannot say what each side saw"
_REFUSED = {
    "antichess": "readers of PGN refuse some of its moves, as their rules for it differ",
    "crazyhouse": "OpenSpiel calls some of its moves otherwise than readers of PGN do",
    "dark_chess": _HIDDEN,
    "kriegspiel": f"{_HIDDEN}, nor which moves were tried in vain",
}
"""Games that are like chess, and why they are not written, as the end of a sentence."""
_WIDTH = 79
_TAG_LIMIT = 200
"""Characters of a tag: the standard has lines of 255 at most."""
_TERMINATIONS = {
    "late": "time forfeit",
    "illegal": "rules infraction",
    "malformed": "rules infraction",
    "unfrozen": "rules infraction",
    "changed": "rules infraction",
}
"""By the fault that forfeits, what PGN calls that; of all others the bot's process ends."""


class Ply(NamedTuple):
    """A move of one side."""

    san: str
    """In Standard Algebraic Notation, such as Nf3 or exd8=Q+."""
    comment: str = ""
    """What stands behind it in braces."""


def formats_of(recipe: Recipe) -> Mapping[str, Notation | str]:
    """Return the formats of a game of OpenSpiel: how it is written in each, or why it is not."""
    if recipe.base == "chess":
        return {FORMAT: written}
    refusal = _REFUSED.get(recipe.base)
    return {FORMAT: refusal} if refusal else {}


def written(heading: Heading, steps: Iterable[tuple[Any, Sequence[Decided]]]) -> str:
    """Return a match of chess, or of Chess960, as PGN.

    The default move of a seat that forfeits is left out: nobody has played it.
    """
    taken: dict[int, Decided] = {}
    lost: Decided | None = None
    game, end = None, 0
    for game, step in steps:
        for each in step:
            if each.forfeit and lost is None:
                lost, end = each, game.state.move_number()
            elif lost is None:
                taken[game.state.move_number()] = each
    assert isinstance(game, OpenSpielGame)
    fen, first, sans = _line(game)
    if lost is not None:
        sans = sans[: max(end - first, 0)]
    plies = [Ply(san, _comment(taken.get(at))) for at, san in enumerate(sans, first)]
    last = f"{_side(lost.seat)} forfeits: {lost.fault}" if lost is not None and plies else ""
    tags = _tags(heading, lost, len(plies))
    if fen != _STANDARD or game.recipe.has_chance:
        tags += [("SetUp", "1"), ("FEN", fen)]
    if game.recipe.has_chance:
        tags.append(("Variant", "Chess960"))
    return game_text(tags, plies, _result(heading.places), fen, last)


def game_text(
    tags: Iterable[tuple[str, str]],
    plies: Iterable[Ply],
    result: str,
    fen: str = _STANDARD,
    last: str = "",
) -> str:
    """Return one game as PGN, with the empty line that parts it from the next.

    The moves begin in the position `fen`; `last` is a comment behind them. Lines of moves have at
    most 79 characters, as long as no comment is longer.
    """
    heads = "".join(f"[{name} {_quoted(value)}]\n" for name, value in tags)
    lines = [""]
    for token in _tokens(plies, result, fen, last):
        if lines[-1] and len(lines[-1]) + 1 + len(token) > _WIDTH:
            lines.append(token)
        else:
            lines[-1] += f" {token}" if lines[-1] else token
    body = "\n".join(lines)
    return f"{heads}\n{body}\n\n"


def _tokens(plies: Iterable[Ply], result: str, fen: str, last: str) -> Iterator[str]:
    """Yield what stands in one line each: a move with its number and comments, or the result.

    No comment stands at the beginning: there, fastchess, for one, takes it for a move, and it reads
    no further where a line begins with one.
    """
    _, side, *_, number = fen.split()
    first = 2 * int(number) + (side == "b")
    is_named = False
    """Whether it is clear which move comes next."""
    for half, ply in enumerate(plies, first):
        words = [ply.san]
        if half % 2 == 0 or not is_named:
            words.insert(0, f"{half // 2}{'...' if half % 2 else '.'}")
        if ply.comment:
            words.append(_braced(ply.comment))
        yield " ".join(words)
        is_named = not ply.comment
    if last:
        yield _braced(last)
    yield result


def _braced(comment: str) -> str:
    """Return a comment in braces, of which it can hold none itself."""
    return f"{{{_shown(comment).replace('{', '(').replace('}', ')')}}}"


def _quoted(value: str) -> str:
    """Return the value of a tag: on one line, with what ends it escaped."""
    shown = _shown(value)[:_TAG_LIMIT].replace("\\", "\\\\").replace('"', '\\"')
    return f'"{shown}"'


def _shown(text: str) -> str:
    """Return a text in which all that cannot be printed is a question mark."""
    return "".join(char if char.isprintable() else "?" for char in text)


def _tags(heading: Heading, lost: Decided | None, plies: int) -> list[tuple[str, str]]:
    """Return the tags that every game has, the seven of the standard first."""
    bots = {_side(seat): name for seat, name in enumerate(heading.bots)}
    control = heading.control
    tags = [
        ("Event", heading.event or "?"),
        ("Site", heading.site or "?"),
        ("Date", heading.date.replace("-", ".") or "????.??.??"),
        ("Round", heading.round or "?"),
        ("White", bots["White"]),
        ("Black", bots["Black"]),
        ("Result", _result(heading.places)),
        ("GameDuration", _clock(round(heading.seconds))),
        ("Match", heading.match),
        ("PlyCount", str(plies)),
        ("Termination", _TERMINATIONS.get(lost.fault, "abandoned") if lost else "normal"),
    ]
    if control.judge == "wall":
        tags.append(("TimeControl", _time_control(control)))
    return tags


def _time_control(control: TimeControl) -> str:
    """Return times as the standard writes them, or as other runners do; "?" where none does."""
    has_bank = control.bank or control.increment
    if control.move_time and has_bank:
        return "?"
    if not has_bank:
        return f"{control.move_time:g}/move"
    return f"{control.bank:g}+{control.increment:g}" if control.increment else f"{control.bank:g}"


def _comment(decided: Decided | None) -> str:
    """Return what is said of a move: the time that counted, and a fault for which it stands in."""
    if decided is None or decided.seconds is None:
        return ""
    clock, part = divmod(round(1000 * decided.seconds), 1000)
    time = f"[%emt {_clock(clock, hours=1)}.{part:03}]"
    return f"{time} {decided.fault}: the default move" if decided.fault else time


def _clock(seconds: int, hours: int = 2) -> str:
    """Return a time as 00:01:05, with at least so many digits of hours."""
    return f"{seconds // 3600:0{hours}}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _side(seat: int) -> str:
    """Return the colour of a seat's pieces."""
    side = colour("chess", seat)
    assert side is not None
    return side


def _result(places: Sequence[int]) -> str:
    """Return the result by the places, White's points first."""
    by_side = {_side(seat): place for seat, place in enumerate(places)}
    if by_side["White"] == by_side["Black"]:
        return "1/2-1/2"
    return "1-0" if by_side["White"] < by_side["Black"] else "0-1"


def _line(game: OpenSpielGame) -> tuple[str, int, list[str]]:
    """Return the first position, how many outcomes of chance led to it, and all moves since."""
    end = game.state
    history = end.history()
    state = end.get_game().new_initial_state(end.start_fen())
    is_960 = game.recipe.has_chance  # whose rights to castle name the rooks' columns
    fen, first = str(state if is_960 else state.board().to_fen()), int(game.was_drawn)
    sans = []
    for action in history[first:]:
        sans.append(str(state.action_to_string(action)))
        state.apply_action(action)
    return fen, first, sans
