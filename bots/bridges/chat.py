"""Lets a language model play any game: `chat.py --url https://api.example.org/v1 --model MODEL`.

The model is asked through the league's door, by the API of chat completions, which most providers
and servers of models speak; the door adds the key. It is told the rules, if `--rules` names a file
of them, what this seat sees, and the moves, and is to answer with a move as JSON. If its answer
holds none, it is asked again; at last a legal move is played, and the note of that move says why.

Change what the model is told in `brief` and `question`, and what else it is sent in `completion`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import monotonic

import kit

TYPE_CHECKING = False
if TYPE_CHECKING:  # not imported when a bot runs
    from collections.abc import Iterator
    from typing import Any

TRIES = 3
"""How often the model is asked for a move, at most."""
READ = 4_000
"""How many characters of an answer are read, from its end: the move stands there."""
NOTED = 1_000
"""How many characters of it are kept with the move."""
SHOWN = 200
"""How many characters of something wrong are shown, to the model and in notes."""


def choose(ask: kit.Ask) -> kit.Move:
    """Return the model's move, or any legal one if it has none to offer in the time."""
    began = monotonic()
    seconds = ask.clock.get("move_time") or ask.clock.get("bank", 0) / 20
    talk = [
        {"role": "system", "content": brief(ask)},
        {"role": "user", "content": question(ask)},
    ]
    slowest, why = 0.0, ""
    for number in range(1, TRIES + 1):
        asked = monotonic()
        # A single request is waited for: if the provider is too slow, the door breaks the match
        # off, and what it has to wait for its turn at the door does not count.
        if asked + slowest > began + seconds:
            why += " There was no time to ask again."
            break
        try:
            said = completion(talk, ask.seed)
        except kit.DoorError as error:  # to ask again is of no use
            why = str(error)
            break
        move = move_in(said, ask.legal)
        if isinstance(move, dict):
            ask.note = said[-NOTED:]
            return move
        why = f"After {number} of {TRIES} tries: {move}"
        talk += [
            {"role": "assistant", "content": said[-READ:] or "(nothing)"},
            {"role": "user", "content": f"{move} Answer with one move, as a JSON object."},
        ]
        slowest = max(slowest, monotonic() - asked)
    ask.note = f"Not the model's move. {why}"
    print(ask.note)
    return (ask.legal or ask.samples)[0]


def brief(ask: kit.Ask) -> str:
    """Return what holds for the whole match, as the model is told it."""
    lines = [
        f"You play the game {ask.game} in seat {ask.seat}; seats are numbered from 0 to "
        f"{ask.seats - 1}. Play to win.",
        f"Options: {json.dumps(ask.options)}",
        f"Constants: {json.dumps(ask.table)}",
    ]
    if rules:
        lines += ["The rules:", rules]
    return "\n".join(lines)


def question(ask: kit.Ask) -> str:
    """Return what is asked now; the moves come last, one a line."""
    lines = [f"Decide: {ask.decision}", f"What you see: {json.dumps(ask.view)}"]
    if ask.limits:
        lines.append(f"Limits: {json.dumps(ask.limits)}")
    if ask.decision in schemas and not ask.legal:
        lines.append(f"JSON Schema of a move: {json.dumps(schemas[ask.decision])}")
    lines.append(
        "Answer with one move, as a JSON object and nothing else. "
        + ("The legal moves:" if ask.legal else "Some legal moves, drawn at random:")
    )
    lines += [json.dumps(move) for move in ask.legal or ask.samples]
    return "\n".join(lines)


def completion(talk: list[dict[str, str]], seed: int) -> str:
    """Return what the model answers to a talk; raise DoorError if it cannot be asked."""
    body = {
        "model": options.model,
        "messages": talk,
        "temperature": options.temperature,
        "max_tokens": options.max_tokens,
        "seed": (seed if options.seed is None else options.seed) % 2**31,
    }
    try:
        answer = kit.fetch(f"{options.url.rstrip('/')}/chat/completions", body)
    except kit.DoorError as error:
        raise kit.DoorError(f"The door: {error}") from None
    if answer.status != 200:
        raise kit.DoorError(f"The provider answered {answer.status}: {answer.text[:SHOWN]}")
    try:
        content = answer.json()["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise kit.DoorError(f"This is no chat completion: {answer.text[:SHOWN]!r}") from None
    if isinstance(content, list):  # some send it in parts
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if not isinstance(content, str):
        return ""
    return content.encode(errors="replace").decode().replace("\0", "?")  # as a note may be


def move_in(said: str, legal: list[kit.Move]) -> kit.Move | str:
    """Return the last move in what the model said, whatever stands around it; or why none is."""
    refused = f"{'there is no JSON object in that answer' if said else 'that answer is empty'}."
    for found in objects(said[-READ:]):
        if not legal:
            return found
        if found in legal:
            return legal[legal.index(found)]
        refused = f"{json.dumps(found)[:SHOWN]} is not one of the legal moves."
    return refused


def objects(text: str) -> Iterator[kit.Move]:
    """Yield the JSON objects in a text, the last one first, and what they call their move."""
    found, at = [], text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
            found.append(value)
        except (ValueError, RecursionError):  # no JSON, or endlessly nested
            end = at + 1
        at = text.find("{", end)
    for value in reversed(found):
        yield value["move"] if isinstance(value.get("move"), dict) else value


def _no_number(word: str) -> None:
    """Refuse what is no JSON, though Python reads it."""
    raise ValueError(word)


decoder = json.JSONDecoder(parse_constant=_no_number)
rules = ""
schemas: dict[str, Any] = {}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--url", required=True, help="up to, but without /chat/completions")
    parser.add_argument("--model", required=True)
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--seed", type=int, help="if none, it is the match's")
    parser.add_argument("--max-tokens", type=int, default=1000, help="of an answer")
    parser.add_argument("--rules", type=Path, help="a file that the model is told")
    parser.add_argument("--schema", type=Path, help="what `arena games GAME --schema` prints")
    options = parser.parse_args()
    if options.rules:
        rules = options.rules.read_text(encoding="utf-8")
    if options.schema:
        schemas = json.loads(options.schema.read_text(encoding="utf-8"))["$defs"]
    kit.run(choose)
