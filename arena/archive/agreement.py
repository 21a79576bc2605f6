"""Whether stored matches agree with a game whose code has changed: their replays are the test."""

from collections.abc import Iterator

from arena.archive.verify import Verification
from arena.league.plan import LeaguePlan
from arena.store.opening import has_database, open_store
from arena.store.unchanged import check_unchanged, has_other_code
from arena.text import counted, duration
from protocol.errors import RunError
from referee.catalog.identity import code_of

_A_MATCH, _A_DECISION = 300e-6, 30e-6  # seconds that one takes to be read, and played again


class Agreement:
    """The matches of a league, to be played again by today's code of its game."""

    def __init__(self, league: LeaguePlan, workers: int) -> None:
        self._league = league
        self._workers = workers
        self._verification = Verification(league.folder, workers, of_facts=False)
        self.matches = self._verification.matches

    @property
    def announcement(self) -> str:
        """What is about to be done and why, with about how long it takes, in a sentence."""
        game = self._league.game
        seconds = self.matches * (_A_MATCH + game.typical_decisions * _A_DECISION) / self._workers
        return (
            f"The code of {game.name} has changed since {self._league.folder} was played. All "
            f"{counted(self.matches, 'stored match', 'stored matches')} are played again first, "
            f"to see whether they still come out the same: about {duration(seconds)}."
        )

    @property
    def done(self) -> int:
        """How many matches were played again so far."""
        return self._verification.done

    def run(self) -> Iterator[None]:
        """Play every stored match again, some at each step; store that all agree if they do.

        Raises RunError with the first match that differs; then nothing is stored.
        """
        rules = self._league.rules
        assert rules is not None
        code = code_of(rules)
        for _ in self._verification.run():
            yield
        problems = self._verification.table().rows
        if problems:
            first = problems[0]
            where = f"match {first['match']}" if first["match"] else "the league"
            raise RunError(
                f"the code of {rules.name} has changed since {self._league.folder} was played, and "
                f"{where} does not come out as it did: {first['problem']} Put the old code back; "
                f"or, if the rules are meant to be others, raise its rules_version and make a new "
                f"league."
            )
        with open_store(self._league) as store:
            store.settings.keep_game(self._league.game.portable(), code)


def agreement_needed(league: LeaguePlan) -> bool:
    """Return whether a league's matches have to be played again before others are added.

    Raises ArenaError if they were played by other settings or another version of the rules.
    """
    if not has_database(league):
        return False
    with open_store(league) as store:
        if not store.db.has_matches():
            return False
        check_unchanged(league, store)  # of another game, code says nothing
        return has_other_code(league, store)
