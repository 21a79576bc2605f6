"""What submissions keep outside of their league: counted, bounded, and removed."""

import os
import time
from pathlib import Path

import pytest

from arena.handin import kept, submissions
from arena.handin.database import HandIns
from arena.handin.people import Person
from arena.handin.sources import KEPT
from arena.handin.submissions import Submission
from arena.league.contest import HandIn
from protocol.errors import Refusal
from tests.arena.handin.conftest import person
from tests.arena.handin.intaking import hand_in
from tests.golden import Golden

TERMS = HandIn(keep_mb=10, keep_all_mb=20)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "place"


def fill(place: Path, megabytes: float) -> None:
    place.mkdir()
    with (place / "file").open("wb") as file:
        file.truncate(int(megabytes * (1 << 20)))


def keep(db: HandIns, author: Person, place: Path, megabytes: float = 1.0) -> Submission:
    """Hand in what keeps so much in a place, if that is not there."""
    one = hand_in(db, author, str(place).encode())
    assert submissions.begin(db, one.number)
    submissions.note(db, one.number, folder=f"handed-in/bot/{one.number}")
    kept.begin(db, one.number, [place])
    if not place.exists():
        fill(place, megabytes)
        os.utime(place, (0, 0))
    kept.end(db, one.number)
    return one


def refusal(db: HandIns, one: Submission, terms: HandIn = TERMS) -> str:
    try:
        kept.check(db, terms, one)
    except Refusal as error:
        end(db, one)
        return str(error)
    submissions.accept(db, one.number)
    kept.sweep(db)
    return ""


def end(db: HandIns, one: Submission) -> None:
    """Refuse a submission, and remove what it leaves."""
    submissions.refuse(db, one.number, Refusal(422, "unfit."))
    submissions.note(db, one.number, folder="")
    kept.sweep(db)


def test_what_an_author_keeps_is_bounded_but_for_what_is_replaced(
    db: HandIns, place: Path, golden: Golden
) -> None:
    ada = person(db, "ada")
    golden(refusal(db, keep(db, ada, place, 10.1)))
    assert not place.exists()
    first, second, third = (place.with_name(name) for name in ("1", "2", "3"))
    assert not refusal(db, keep(db, ada, first, 6))
    assert not refusal(db, keep(db, ada, second, 6))  # in place of the first, which goes
    golden(refusal(db, keep(db, ada, third, 6)))
    assert (first.exists(), second.exists(), third.exists()) == (True, True, False)
    assert not refusal(db, keep(db, ada, first))  # again, which takes no more
    organizer = person(db, "olga", "organizer")
    assert not refusal(db, keep(db, organizer, third, 30))


def test_thousands_of_empty_files_take_room(db: HandIns, place: Path) -> None:
    place.mkdir()
    for number in range(300):
        (place / str(number)).touch()
    one = hand_in(db, person(db, "ada"))
    kept.begin(db, one.number, [place.with_name("other")])
    place.rename(place.with_name("other"))
    kept.end(db, one.number)
    assert refusal(db, one, HandIn(keep_mb=1))


def test_what_all_keep_is_bounded_and_nobody_can_use_up_the_part_of_others(
    db: HandIns, place: Path, golden: Golden
) -> None:
    ada, eva, zoe, ben = (person(db, name) for name in ("ada", "eva", "zoe", "ben"))
    for author in (ada, eva):
        assert not refusal(db, keep(db, author, place.with_name(author.name), 9))
    golden(refusal(db, keep(db, zoe, place.with_name("zoe"), 9)))
    assert not refusal(db, keep(db, zoe, place.with_name("zoe"), 4.5))
    assert not refusal(db, keep(db, ben, place.with_name("ada")))  # which is there


def test_what_was_there_before_is_the_organizers(db: HandIns, place: Path) -> None:
    fill(place, 30)
    one = keep(db, person(db, "ada"), place)
    kept.check(db, TERMS, one)
    end(db, one)
    assert place.exists()


@pytest.mark.parametrize("use", ["nobody", "another submission", "somebody", "long ago"])
def test_what_a_refused_submission_keeps_goes_unless_somebody_uses_it(
    db: HandIns, place: Path, use: str
) -> None:
    one = keep(db, person(db, "ada"), place)
    if use == "another submission":
        keep(db, person(db, "eva"), place)
    elif use != "nobody":
        then = time.time() - (use == "long ago") * KEPT.total_seconds()
        os.utime(place, times=(then, then))
    end(db, one)
    assert place.exists() == (use in ("another submission", "somebody"))


def test_what_was_begun_by_an_intake_that_was_killed_is_known(db: HandIns, place: Path) -> None:
    one = hand_in(db, person(db, "ada"))
    kept.begin(db, one.number, [place])
    fill(place, 30)
    kept.begin(db, one.number, [place])  # when it is looked at again
    kept.end(db, one.number)
    assert refusal(db, one)
    assert not place.exists()
