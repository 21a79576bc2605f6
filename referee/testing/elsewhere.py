"""Plays the same deals in another process: `python -m referee.testing.elsewhere`, for `fate`."""

import json
import sys
from contextlib import redirect_stdout

from referee.testing.cases import Case
from referee.testing.fate import imported
from referee.testing.trial import GameTrial, sampling


def main() -> None:
    """Read what to play from standard input, and write the records to standard output."""
    work = json.load(sys.stdin)
    with redirect_stdout(sys.stderr):
        kind = imported(work["module"], work["file"], work["name"], work["game"])
        trial = GameTrial(kind, [], most_decisions=work["most"])
        played = []
        for job in work["jobs"]:
            game = trial.new(Case(kind, job["seats"], job["changed"]), job["seed"])
            played.append(trial.record(game, sampling(job["seed"])))
    json.dump(played, sys.stdout)


if __name__ == "__main__":
    main()
