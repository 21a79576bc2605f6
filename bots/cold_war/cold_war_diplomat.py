"""Learns who sides with whom and how each defends; safe first, then the surest alliance."""

from __future__ import annotations

from math import fsum

import kit

SEATS = range(4)
REACH = 12
LOSS = 20.0
"""How many chances to win a chance to lose outweighs: a win put off is seldom a win lost."""
PATIENT = 40
"""The rounds after which that begins to fade, so that four of us do not wait for ever."""
NEXT = 0.3
"""What a chance to win in the next round is worth, beside one to win now."""
DRIFT = (0.002, 0.001, 0.0035)
"""What a missile of lead promises with the weakest ally, the middle one and the strongest."""

Replies = list[tuple[int, float]]
"""By how much a seat may turn a lead against it, each with its chance."""


def choose(ask: kit.Ask) -> kit.Move:
    """Return the play of the highest worth; the dice decide between equals."""
    if ask.decision == "talk":
        return {"say": ""}
    watch: Watch = ask.memory.setdefault("watch", Watch())
    watch.look(ask.view["last"] or [], ask.view["markers"])
    prospect = Prospect(ask, watch)
    plays = attacks(ask) + arms(ask) + shifts(ask)
    ask.rng.shuffle(plays)
    return max(plays, key=prospect.worth)


def attacks(ask: kit.Ask) -> list[kit.Move]:
    """Return an offer to every other seat."""
    return [{"play": "attack", "with": ally} for ally in ask.limits["partners"]]


def arms(ask: kit.Ask) -> list[kit.Move]:
    """Return the arms that aim nothing yet, or all there is at one seat or in halves at two."""
    most = ask.limits["add_max"]
    plays: list[kit.Move] = [{"play": "arm", "add": [0, 0, 0, 0]}]
    for one in ask.limits["partners"]:
        for two in ask.limits["partners"]:
            if one <= two:
                add = [0, 0, 0, 0]
                add[one] += most // 2
                add[two] += most - most // 2
                plays.append({"play": "arm", "add": add})
    return plays


def shifts(ask: kit.Ask) -> list[kit.Move]:
    """Return the shifts of all that may go, or of half of it, from one marker to another."""
    own = ask.view["markers"][ask.seat]
    plays = []
    for source in ask.limits["partners"]:
        full = min(ask.limits["move_max"], own[source])
        for goal in ask.limits["partners"]:
            for count in {full, full // 2} - {0}:
                if source != goal:
                    move = [0, 0, 0, 0]
                    move[source], move[goal] = -count, count
                    plays.append({"play": "shift", "move": move})
    return plays


def balances(markers: list[list[int]]) -> list[int]:
    """Return what each seat aims at the others, less what they aim at it.

    The lead of a pair is the sum of its two balances: markers between allies cancel out.
    """
    return [sum(markers[one]) - sum(row[one] for row in markers) for one in SEATS]


class Watch:
    """What has been seen of the four seats in this match."""

    def __init__(self) -> None:
        self.kinds = [{"attack": 0.6, "arm": 1.0, "shift": 0.4} for _ in SEATS]
        self.trust = [[0.0] * 4 for _ in SEATS]
        self.returned = [(1.0, 3.0) for _ in SEATS]
        self.balances = [0, 0, 0, 0]
        self.last: list[kit.Move] = []

    def look(self, plays: list[kit.Move], markers: list[list[int]]) -> None:
        """Take in the plays of the last round, and what the next one begins with."""
        for seat, play in enumerate(plays):
            for kind in self.kinds[seat]:
                self.kinds[seat][kind] = 0.95 * self.kinds[seat][kind] + (kind == play["play"])
            for other in SEATS:
                sought = play.get("with") == other
                self.trust[seat][other] = 0.8 * self.trust[seat][other] + 0.2 * sought
                if self.last and self.last[other].get("with") == seat:
                    times, offers = self.returned[seat]
                    self.returned[seat] = times + sought, offers + 1
        self.last = plays
        self.balances = balances(markers)

    def lead(self, one: int, two: int) -> int:
        """Return the lead of a pair at the beginning of the round."""
        return self.balances[one] + self.balances[two]

    def seeks(self, one: int, two: int, lead: int) -> float:
        """Return the chance that `one` seeks `two` now, to be so far ahead with it."""
        return min(0.9, (0.25 if lead > 0 else 0.05) + self.trust[one][two])

    def will_seek(self, one: int, two: int, lead: int) -> float:
        """Return the chance that `one` seeks `two` in the next round, if `two` seeks it now."""
        times, offers = self.returned[one]
        return max(self.seeks(one, two, lead), 0.8 * times / offers)

    def replies(self, seat: int, arm: int, shift: int) -> Replies:
        """Return what `seat` may do about a lead, in the proportions of its plays so far."""
        kinds = self.kinds[seat]
        total = fsum(kinds.values())
        amounts = {"attack": 0, "arm": arm, "shift": shift}
        return [(amounts[kind], count / total) for kind, count in kinds.items()]


class Prospect:
    """The table as we see it, and what our plays are worth there."""

    def __init__(self, ask: kit.Ask, watch: Watch) -> None:
        view, self.me, self.watch = ask.view, ask.seat, watch
        self.others: list[int] = ask.limits["partners"]
        self.round: int = view["round"]
        left = view["max_rounds"] - self.round
        self.loss: float = min(LOSS, LOSS * (PATIENT / self.round) ** 2, 1 + left)
        self.counted = left == 0 and ask.options.get("cap_result") == "lead"
        self.replies = {
            (one, two): watch.replies(
                one, min(REACH, view["reserve"][one] + 4), min(REACH, view["markers"][one][two])
            )
            for one in self.others
            for two in self.others
        }

    def worth(self, play: kit.Move) -> float:
        """Return the chances to win, now and next, less that to lose, and a bit for the leads."""
        leads = self.leads(play)
        low, middle, high = sorted(leads.values())
        if self.counted:
            return high + low  # less what the pair against us leads by
        total = DRIFT[0] * low + DRIFT[1] * middle + DRIFT[2] * high * (1 + self.round / 10)
        hope = 0.0
        for ally, lead in leads.items():
            one, two = (seat for seat in self.others if seat != ally)
            if lead < 0:
                total -= self.loss * self.risk(one, two, -lead)
                continue
            chance = self.success(one, two, lead)
            hope = max(hope, chance * self.watch.will_seek(ally, self.me, lead))
            if play.get("with") == ally:
                total += chance * self.watch.seeks(ally, self.me, lead)
        return total + NEXT * hope

    def leads(self, play: kit.Move) -> dict[int, int]:
        """Return our lead with each ally after `play`."""
        leads = {ally: self.watch.lead(self.me, ally) for ally in self.others}
        change = play.get("add") or play.get("move") or [0, 0, 0, 0]
        for ally in leads:
            leads[ally] += sum(change) - change[ally]
        return leads

    def risk(self, one: int, two: int, lead: int) -> float:
        """Return the chance that two who are ahead attack, and are not stopped."""
        both = self.watch.seeks(one, two, lead) * self.watch.seeks(two, one, lead)
        return both * min(1.0, 0.25 + lead / 17)

    def success(self, one: int, two: int, lead: int) -> float:
        """Return the chance that a lead over two seats outlasts what they do about it."""
        return fsum(
            chance * other
            for loss, chance in self.replies[one, two]
            for more, other in self.replies[two, one]
            if loss + more < lead
        )


if __name__ == "__main__":
    kit.run(choose, samples=0)
