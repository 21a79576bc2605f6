"""A game as a program: two take one or two stones; who takes the last wins.

Its first argument names what it does wrong, after the match has gone on for a while; the second
may be a word for that. With `ODD` in the folder, only matches with an odd seed go wrong.
"""

import json
import os
import sys
import time
from pathlib import Path

WRONG, WORD, *_ = *sys.argv[1:], "", ""
SCHEMA = {
    "type": "object",
    "properties": {
        "take": {"type": "integer", "minimum": 1, "maximum": 2, "description": "Stones."}
    },
    "required": ["take"],
    "additionalProperties": False,
}
ABOUT = {
    "type": "game",
    "name": "stones",
    "title": "Two take stones; who takes the last one wins.",
    "seats": [2],
    "decisions": {"take": SCHEMA},
    "options": {
        "stones": {
            "type": "integer",
            "minimum": 3,
            "maximum": 99,
            "default": 9,
            "description": "How many lie there.",
        }
    },
    "typical_decisions": 6,
}


def state(left, turn):
    """Return who decides now, or how it ended."""
    if left == 0:
        winner = 1 - turn
        over = {"type": "state", "places": [1 if s == winner else 2 for s in (0, 1)]}
        return over | {"reason": "" if WRONG == "no reason" else "last"}
    view = {"left": 2**60 if WRONG == "huge" else left}
    legal = [{"take": n} for n in (1, 2) if n <= left]
    ask = {"seat": turn, "decision": "take", "view": view, "legal": legal}
    if left > 4:
        return {"type": "state", "asks": [ask]}
    if WRONG == "unknown decision":
        ask["decision"] = "steal"
    elif WRONG == "seat that is not there":
        ask["seat"] = 2
    elif WRONG == "moves beside the schema":
        ask["legal"] = [{"take": 3}, {"take": "all"}]
    elif WRONG == "no moves":
        del ask["legal"]
    elif WRONG == "twice":
        return {"type": "state", "asks": [ask, ask]}
    elif WRONG == "places":
        return {"type": "state", "places": [2, 2], "reason": "odd"}
    elif WRONG == "one place":
        return {"type": "state", "places": [1], "reason": "odd"}
    elif WRONG == "scores":
        return {"type": "state", "places": [1, 2], "reason": "odd", "scores": [1]}
    elif WRONG == "unsaid scores":
        return {"type": "state", "places": [1, 2], "reason": "odd", "scores": [1, 0]}
    elif WRONG == "numbers":
        return {"type": "state", "places": [1, 2], "reason": "odd", "numbers": {"x": 1}}
    elif WRONG == "about":
        return {"type": "state", "places": [1, 2], "reason": "odd", **json.loads(sys.argv[3])}
    elif WRONG == "colours":
        return {"type": "state", "places": [1, 2], "reason": "\x1b[31mred"}
    return {"type": "state", "asks": [ask]}


def misbehave():
    """Do what is wrong, where that is no answer."""
    if WRONG == "hang":
        while True:
            pass
    if WRONG == "sleep":
        time.sleep(1000)
    if WRONG == "die":
        sys.exit("out of stones")
    if WRONG == "killed":
        os.kill(os.getpid(), 11)
    if WRONG == "closes":
        os.close(1)
        time.sleep(1000)
    if WRONG == "raise":
        raise ValueError("no such stone")
    if WRONG == "flood":
        while True:
            os.write(1, b"x" * 65536)
    if WRONG == "memory":
        bytearray(1 << 31)
    if WRONG == "reaches":
        tries = {
            "kill": lambda: os.kill(int(WORD), 18),
            "mem": lambda: Path(f"/proc/{WORD}/mem").open("rb").close(),
            "environ": lambda: Path(f"/proc/{WORD}/environ").read_bytes(),
        }
        for name, attempt in tries.items():
            try:
                attempt()
            except OSError as error:
                print(name, "refused", error.errno, file=sys.stderr)
            else:
                print(name, "done", file=sys.stderr)
        sys.exit("that is all")
    if WRONG == "secrets":
        Path(WORD).read_text()
    words = {
        "no json": "hello there",
        "nan": '{"type":"state","asks":[],"places":[1,2],"reason":"x","scores":[NaN,0]}',
        "a list": "[1, 2, 3]",
        "another message": '{"type":"view","view":{}}',
        "empty": "",
        "says error": '{"type":"error","text":"I cannot go on\\nat all"}',
    }
    return words.get(WRONG)


def main():
    """Answer until the input ends."""
    matches, odd = {}, {}
    if WRONG == "dies at once":
        sys.exit("no stones here")
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            answer = {**ABOUT}
            if WRONG == "another game" and Path(WORD).exists():
                answer["title"] = "Another game."
            elif WRONG == "no name":
                del answer["name"]
            elif WRONG == "bad schema":
                answer["decisions"] = {"take": {"type": "object", "patternProperties": {}}}
            elif WRONG == "about":
                answer |= json.loads(WORD)
            elif WRONG == "gaps":
                answer["seats"] = [2, 4]
        elif kind == "end":
            matches.pop(message["match"])
            continue
        elif kind == "new":
            matches[message["match"]] = [message["options"]["stones"], 0]
            if WRONG == "remembers":  # what was played before
                matches[message["match"]][0] += len(matches) % 2
            if WRONG == "second" and len(odd) == 1:
                sys.exit("one match is enough")
            odd[message["match"]] = message["seed"][-1] in "13579bdf"
            answer = state(*matches[message["match"]])
        elif kind == "view":
            answer = {"type": "view", "view": {"left": matches[message["match"]][0]}}
        else:
            game = matches[message["match"]]
            for each in message["moves"]:
                game[:] = game[0] - each["move"]["take"], 1 - game[1]
            if game[0] == 1:  # the last one is taken without asking
                game[:] = 0, 1 - game[1]
            answer = state(*game)
            is_wrong = odd[message["match"]] or not Path("ODD").exists()
            if game[0] <= 4 and is_wrong and (words := misbehave()) is not None:
                print(words, flush=True)
                continue
            if WRONG == "more" and game[0] == 4:
                answer = json.dumps(answer)
                os.write(1, f"{answer}\n{answer}{WORD.replace('n', chr(10))}".encode())
                continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
