"""What one version of a bot says of the next: much the same skill, give or take a step.

The difference of two versions is taken for normal about nothing: the factor between a skill and
the same one later in "TrueSkill Through Time" (Dangauthier, Herbrich, Minka and Graepel, 2007).
How long steps are is fitted to all changes of version, from a guess that counts like a few.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from arena.stats.likelihood import BETA, MEAN, Belief

USUAL_STEP = BETA / 2
"""The standard deviation of a step if nothing is known, in mu points: such a better version wins
64 % of matches against the one before."""
_GUESSED = 2  # changes of version that the guess counts for
_NOTHING = Belief(0.0, 0.0)


class Succession(NamedTuple):
    """A version of a bot, and the one that came next."""

    before: str
    after: str


class Chain:
    """The links of a fit, and the message that each sends to either version.

    A version that another was before has no prior: all that is known of it beforehand comes from
    there. So versions in a row are no evidence of each other's level more than once.
    """

    def __init__(self, links: Iterable[Succession], sigma: float) -> None:
        self.pairs = sorted(links)
        self.later = {link.after for link in self.pairs}
        """The bots that start from another version."""
        self.step = USUAL_STEP
        """The standard deviation of a step, in mu points."""
        start = Belief(sigma**-2, sigma**-2 * MEAN)
        self._to_before = dict.fromkeys(self.pairs, _NOTHING)
        self._to_after = dict.fromkeys(self.pairs, start)

    @property
    def precision(self) -> float:
        """What a link says of the difference of its versions."""
        return self.step**-2

    def messages(self) -> Iterator[tuple[str, Belief]]:
        """Yield the bots that are told something, and what."""
        for link in self.pairs:
            yield link.before, self._to_before[link]
            yield link.after, self._to_after[link]

    def renew(self, skills: Mapping[str, Belief], damping: float) -> None:
        """Send new messages, given all that is known, and fit the length of steps to it."""
        squares, changes = 0.0, 0
        for link in self.pairs:
            before = _without(skills[link.before], self._to_before[link])
            after = _without(skills[link.after], self._to_after[link])
            if before.pi > 0 and after.pi > 0:
                squares += self._square(before, after)
                changes += 1
            self._to_before[link] = _toward(self._to_before[link], self._through(after), damping)
            self._to_after[link] = _toward(self._to_after[link], self._through(before), damping)
        if changes:
            guess = _GUESSED * USUAL_STEP**2
            self.step = math.sqrt((guess + squares) / (_GUESSED + changes))

    def _square(self, before: Belief, after: Belief) -> float:
        """Return what the square of a step is on average, given what else is known of both ends.

        The step of expectation and maximization (Dempster, Laird and Rubin, 1977).
        """
        square = self.step**2
        unknown = 1 / before.pi + 1 / after.pi
        part = square / (square + unknown)
        return (part * (after.mu - before.mu)) ** 2 + part * unknown

    def _through(self, belief: Belief) -> Belief:
        """Return what a belief about one version says of the other."""
        rest = 1 / (1 + self.step**2 * belief.pi)
        return Belief(belief.pi * rest, belief.tau * rest)

    def shift(self, shifts: Mapping[str, float]) -> None:
        """Move all messages along with the skills."""
        for link in self.pairs:
            for messages in (self._to_before, self._to_after):
                pi, tau = messages[link]
                messages[link] = Belief(pi, tau + shifts[link.after] * pi)


def _without(skill: Belief, message: Belief) -> Belief:
    return Belief(max(0.0, skill.pi - message.pi), skill.tau - message.tau)


def _toward(old: Belief, new: Belief, part: float) -> Belief:
    return Belief(old.pi + part * (new.pi - old.pi), old.tau + part * (new.tau - old.tau))
