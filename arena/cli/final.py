"""The steps of a contest's final, which `arena run --final` does."""

from functools import partial
from pathlib import Path

from arena.cli.saying import say
from arena.handin.calendar import phase
from arena.handin.database import HandIns, now
from arena.handin.final import (
    FINAL,
    discard_final,
    draw,
    is_due,
    is_made,
    make_final,
    note_over,
    published_seed,
    sealed,
)
from arena.handin.submissions import queue
from arena.league.contest import HandIn
from arena.league.file import read_asked
from arena.league.plan import LeaguePlan
from arena.play.missing import count_missing
from arena.store.opening import open_store, read_played
from arena.store.tournament import asked_deals
from arena.text import counted, league_words, quoted
from protocol.errors import ArenaError

_say = partial(say, err=False)


def next_step(league: Path) -> Path | None:
    """Do the next step of a league's final, and say so; return its folder if it is to be played.

    First, its seed is drawn; after the closing, it is made and played; then the seed is published.
    One call does one of these. Raises ArenaError if there is none to do, and it should be.
    """
    plan = read_asked(league)
    hand_in, again = plan.hand_in, f"`arena run {quoted(league)} --final`"
    if hand_in.final_deals is None:
        raise ArenaError(
            f"{league_words(league)} has no final: write final_deals = 100, say, and "
            "closes below [hand_in]."
        )
    with HandIns(league, create=True) as db:
        is_new = draw(db)
        _say(f"The SHA-256 of the final's seed: {sealed(db)}")
        if not is_made(league):
            if phase(hand_in, now()) != "closed":
                _say(f"{again} makes the final after the closing, {hand_in.closes}.")
                return None
            if is_new:
                _say(f"It was drawn only now, after the closing. The next {again} makes the final.")
                return None
            if not is_due(db, hand_in):
                waiting = counted(len(queue(db)), "submission waits", "submissions wait")
                raise ArenaError(
                    f"{waiting}: the final is made once all that was handed in is decided. "
                    f"`arena serve` takes them in."
                )
            make_final(db)
            _say_made(plan)
        folder = db.league / FINAL
        if _missing(folder):
            return folder
        _publish(db, hand_in)
        return None


def tell_end(league: Path) -> None:
    """Say how the final of a league is brought to its end, once all of it was played."""
    if not _missing(league / FINAL):
        _say(f"The final is played. `arena run {quoted(league)} --final` publishes its seed.")


def discard(league: Path) -> None:
    """Remove a final that was made too early, and say so; raise ArenaError if it has to stay."""
    hand_in = read_asked(league).hand_in
    if not is_made(league):
        raise ArenaError(f"{league_words(league)} has no final; there is nothing to discard.")
    with HandIns(league, create=True) as db:
        matches = discard_final(db, hand_in)
        gone = f"{counted(matches, 'match', 'matches')} of it with it" if matches else "unplayed"
        _say(f"The final is discarded, {gone}. Its seed stays. Its SHA-256: {sealed(db)}")
    if hand_in.final_deals is not None:
        _say(f"The next one is made after the closing, {hand_in.closes}.")


def _say_made(plan: LeaguePlan) -> None:
    """Say of what the final was made just now, and what can be done if that was too early."""
    names = [bot.name for bot in plan.bots]
    word = quoted(plan.folder)
    before = "" if plan.database.is_file() else ", in which nothing was played before"
    _say(
        f"It is made now, of the {counted(len(names), 'bot')} in "
        f"{league_words(plan.folder)}{before}: "
        f"{', '.join(names)}. If that is too early, set closes to a later time, then: `arena "
        f"run {word} --discard-final`."
    )


def _missing(final: Path) -> int:
    """Return how many matches of a final are still to be played."""
    plan = read_played(final)
    if not plan.database.is_file():
        return asked_deals(plan, None).match_count
    with open_store(plan) as store:
        return count_missing(plan, store)[1]


def _publish(db: HandIns, hand_in: HandIn) -> None:
    """Note that the final is over, and say its seed if everybody may know it now."""
    note_over(db)
    seed = published_seed(db, hand_in, now())
    folder = db.league / FINAL
    if seed:
        _say(f"The final is over. Its seed: {seed}")
        _say(
            f"Everybody who has {folder} can check it: `arena verify {quoted(folder)} --sealed "
            f"{sealed(db)}`."
        )
    else:
        when = hand_in.release or "its release is set, in [hand_in]"
        _say(f"The final is over. Its results and its seed are held back until {when}.")
