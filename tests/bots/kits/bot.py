"""Reads a view and writes a move as an author may, by the kit for Python."""

import kit


def choose(ask):
    view = ask.view
    who = view["who"]
    ally = who["with"]
    ask.note = 'a "word"'
    return {
        "hand": view["hand"],
        "first": view["hand"][0],
        "count": len(view["hand"]),
        "sum": sum(view["markers"][1]),
        "ally": ally,
        "absent": [who["none"] is not None, "nobody" in who],
        "flag": view["flag"],
        "twice": 2 * view["half"],
        "seat": ask.seat,
        "option": ask.options["deck"],
        "of": {"a": [], "none": None, "say": 'with "quotes" \\'},
        "samples": len(ask.samples),
    }


kit.run(choose)
