#!/usr/bin/env python3
"""illegal [AT]: answers with a move that no game knows."""

import polite


def break_the_rules(ask: polite.Message) -> bytes:
    return polite.reply(ask, {"foo": 1})


polite.play(break_the_rules, at=int(polite.argument(1, 1)))
