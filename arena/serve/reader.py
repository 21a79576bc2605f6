"""Reads a league for its pages, as a process: `python -m arena.serve.reader LEAGUE`.

Tables take long to make, and the game's code, which draws matches, may do anything: neither holds
up the server. A question is a line on its standard input, the answer one on its standard output.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import msgspec

from arena.handin.compared import similar_in
from arena.handin.final import FINAL
from arena.league.file import read_asked
from arena.serve.brief import game_view, starter_view
from arena.serve.careers import bot_view
from arena.serve.crossing import cross_view
from arena.serve.messages import Query, ReaderAnswer, line, take_output
from arena.serve.replays import matches_view, own_view, replay_view
from arena.serve.roster import roster_view
from arena.serve.views import table_view
from protocol.errors import ArenaError, Refusal


def answered(folder: Path, ask: Query) -> Any:
    """Return the view that is asked for; raise ArenaError if there is none."""
    match ask.what:
        case "table":
            return table_view(folder, ask.since)
        case "final":
            return table_view(folder / FINAL)
        case "bot":
            return bot_view(folder, ask.of, ask.since)
        case "own":
            return own_view(folder, ask.of, own=ask.own, since=ask.since)
        case "cross":
            return cross_view(folder, ask.since)
        case "game":
            return game_view(folder)
        case "starter":
            return starter_view(folder, ask.of)
        case "matches":
            return matches_view(
                folder,
                bot=ask.of,
                against=ask.against,
                own=ask.own,
                faulty=ask.faulty,
                before=ask.before,
                since=ask.since,
            )
        case "roster":
            return roster_view(folder)
        case "similar":
            return similar_in(read_asked(folder))
        case _:
            return replay_view(folder, ask.of, own=ask.own, only_own=ask.only_own, since=ask.since)


def main() -> None:
    """Answer questions about the league of the command line until there are no more."""
    parser = argparse.ArgumentParser()
    parser.add_argument("league", type=Path)
    folder = parser.parse_args().league
    output = take_output()
    read = msgspec.json.Decoder(Query).decode
    for each in sys.stdin.buffer:
        ask = read(each)
        try:
            answer = ReaderAnswer(
                ask.number, msgspec.Raw(msgspec.json.encode(answered(folder, ask)))
            )
        except ArenaError as error:
            is_absent = isinstance(error, Refusal)
            answer = ReaderAnswer(ask.number, problem=str(error), absent=is_absent)
        left = memoryview(line(answer))
        while left:
            left = left[os.write(output, left) :]


if __name__ == "__main__":
    main()
