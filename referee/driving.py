"""Drives a match: asks one seat after another, and waits for each."""

from collections.abc import Callable, Sequence
from time import monotonic

from protocol.messages import End, Start
from referee.answer import Answer
from referee.evidence import Played
from referee.match import Due, Match
from referee.seat import Seat


def play(
    match: Match,
    seats: Sequence[Seat],
    starts: Sequence[Start],
    before: Callable[[Due], object] | None = None,
    after: Callable[[Due, Answer], Answer] | None = None,
) -> Played:
    """Play a match to its end; `starts` holds what each seat is sent at the beginning.

    `before` is called with each decision before its seat is asked, and `after` with what that
    answers: the match goes on with what it returns.
    """
    unable = [seat.start(start) for seat, start in zip(seats, starts, strict=True)]
    asking = match.asking(unable, [seat.samples for seat in seats])
    began = monotonic()
    answer: Answer | None = None
    while True:
        try:
            event = asking.send(answer)
        except StopIteration:
            break
        seat = seats[event.seat]
        if type(event) is Due:
            if before is not None:
                before(event)
            answer = seat.ask(event.decision, event.view)
            if after is not None:
                answer = after(event, answer)
        else:
            answer = None
            seat.judged(forfeits=event.forfeits)
    end = End(match.places, match.reason)
    for seat in seats:
        seat.end(end)
    return match.played(began, [seat.measured() for seat in seats])
