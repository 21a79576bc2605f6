"""The command for the final of a contest: final."""

from functools import partial
from pathlib import Path

import click

from arena.cli import main
from arena.cli.options import league_argument, trust_option
from arena.cli.saying import say
from arena.handin.calendar import phase
from arena.handin.database import HandIns, now
from arena.handin.final import (
    FINAL,
    discard_final,
    draw,
    is_due,
    is_made,
    is_over,
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
from arena.text import counted, quoted
from protocol.errors import ArenaError

_say = partial(say, err=False)


@main.command("final")
@league_argument
@click.option("--discard", is_flag=True, help="Remove a final that was made too early.")
@trust_option
def final_command(league: Path, discard: bool) -> None:
    """Draw the sealed seed of a contest's final, or make the final, or say how it stands.

    `arena serve` does all of this by itself; this is for contests without a server. Called first,
    it draws a seed, keeps it, and prints its SHA-256, which is to be published. Called after the
    closing, it makes the final, which is a league in the folder `final` of the league's, and which
    `arena run` plays: of copies of the bots that are in the league then, whatever was played
    before. Called when that is done, it prints the seed.

    A final that was made too early, as `closes` was wrong, is removed by --discard, once `closes`
    lies ahead, and unless others than organizers could see its matches. The seed stays as it was
    published.

    \b
    arena final cup
    arena run cup/final
    arena verify cup/final --sealed 5b1f0c...
    """
    plan = read_asked(league)
    hand_in = plan.hand_in
    if discard:
        _discard(league, hand_in)
        return
    if hand_in.final_deals is None:
        raise ArenaError(
            f"{league} has no final: write final_deals = 100, say, and closes below [hand_in]."
        )
    with HandIns(league, create=True) as db:
        is_late = draw(db) and phase(hand_in, now()) == "closed"
        _say(f"The SHA-256 of the final's seed: {sealed(db)}")
        if is_late:
            _say("It was drawn only now, after the closing.")
        if is_due(db, hand_in):
            make_final(db)
            _say_made(plan)
        if is_made(league):
            _say_how_it_stands(db, hand_in)
        elif phase(hand_in, now()) != "closed":
            _say(f"The final is made after the closing, {hand_in.closes}.")
        else:
            waiting = counted(len(queue(db)), "submission waits", "submissions wait")
            raise ArenaError(
                f"{waiting}: the final is made once all that was handed in is decided. "
                f"`arena serve` takes them in."
            )


def _discard(league: Path, hand_in: HandIn) -> None:
    if not is_made(league):
        raise ArenaError(f"{league} has no final; there is nothing to discard.")
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
        f"It is made now, of the {counted(len(names), 'bot')} in {plan.folder}{before}: "
        f"{', '.join(names)}. If that is too early, set closes to a later time, then: `arena "
        f"final {word} --discard`."
    )


def _say_how_it_stands(db: HandIns, hand_in: HandIn) -> None:
    folder = db.league / FINAL
    word = quoted(folder)
    plan = read_played(folder)
    if plan.database.is_file():
        with open_store(plan) as store:
            _, missing = count_missing(plan, store)
    else:
        missing = asked_deals(plan, None).match_count
    if not missing:
        note_over(db)
    seed = published_seed(db, hand_in, now())
    if not is_over(db):
        _say(
            f"The final is {folder}: {counted(missing, 'match is', 'matches are')} missing. "
            f"`arena run {word}` plays them."
        )
    elif seed:
        _say(f"The final is over. Its seed: {seed}")
        _say(
            f"Everybody who has {folder} can check it: `arena verify {word} --sealed {sealed(db)}`."
        )
    else:
        when = hand_in.release or "its release is set, in [hand_in]"
        _say(f"The final is over. Its results and its seed are held back until {when}.")
