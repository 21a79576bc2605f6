"""The limits of one bot in place of those of its league: what they are, and what may be asked."""

import pytest

from protocol.errors import ArenaError
from referee.limits import NO_GRANT, Grant, Limits
from referee.rules.options import read_settings

LEAGUE = Limits(move_time=0.4, bank=2.0, increment=0.1, memory_mb=300)


def test_a_grant_replaces_what_it_names_and_a_factor_of_time_all_that_is_free() -> None:
    own = Grant(memory_mb=900, sandbox="bwrap", startup=3).of(LEAGUE)
    assert (own.memory_mb, own.sandbox, own.startup) == (900, "bwrap", 3)
    assert (own.judge, own.move_time, own.open_files) == ("wall", 0.4, LEAGUE.open_files)
    assert NO_GRANT.of(LEAGUE) == LEAGUE
    half = Grant(time_factor=0.5).of(LEAGUE)
    assert (half.move_time, half.bank, half.increment) == (0.2, 1.0, 0.05)
    assert half.startup == LEAGUE.startup


def test_a_grant_is_written_as_a_person_writes_it() -> None:
    assert Grant(startup=20.0, sandbox="bwrap", time_factor=0.5).words == (
        'sandbox = "bwrap", startup = 20, time_factor = 0.5'
    )
    assert NO_GRANT.words == ""


def test_a_grant_may_be_beyond_what_a_league_gives_and_within_another_key_by_key() -> None:
    needs = Grant(memory_mb=300, open_files=65, sandbox="landlock", startup=9)
    assert needs.beyond(LEAGUE) == Grant(open_files=65)
    assert Grant(sandbox="bwrap").beyond(LEAGUE) == Grant(sandbox="bwrap")
    most = Grant(memory_mb=1000, sandbox="bwrap")
    assert Grant(memory_mb=1000, open_files=65, sandbox="bwrap").within(most) == most
    assert Grant(memory_mb=1001, sandbox="landlock").within(most) == NO_GRANT


def test_a_bot_with_a_device_is_in_bwrap_whatever_its_league_has() -> None:
    own = Grant(devices=("nvidia",))
    assert own.words == 'devices = ["nvidia"]'
    assert own.of(LEAGUE).enclosure == ("bwrap", ("nvidia",), False)
    assert own.of(LEAGUE).judge == "wall"
    assert own.of(Limits(sandbox="none")).enclosure == ("none", ("nvidia",), False)
    all_have_it = Limits(sandbox="bwrap", devices=("nvidia",))
    assert NO_GRANT.of(all_have_it) == all_have_it
    assert Grant(sandbox="landlock").of(all_have_it).enclosure == ("landlock", (), False)
    assert own.beyond(LEAGUE) == own
    assert own.beyond(all_have_it) == NO_GRANT
    assert (own.within(NO_GRANT), own.within(own)) == (NO_GRANT, own)
    assert own.deciding == {"devices": ["nvidia"]}
    assert all_have_it.stored()["devices"] == ["nvidia"]


def test_who_sees_proc() -> None:
    own = Grant(proc=True)
    assert own.words == "proc = true"
    assert not LEAGUE.shows_proc
    assert own.of(LEAGUE).shows_proc
    assert not Grant(proc=False).of(Limits(proc=True)).shows_proc
    assert own.beyond(LEAGUE) == own.within(own) == own
    assert own.within(Grant(proc=False)) == NO_GRANT
    assert Grant(devices=("nvidia",)).of(LEAGUE).shows_proc, "which its driver writes to"


ASKED = "POST https://api.example.org/v1/chat/completions"


def test_a_door_names_whom_a_bot_may_ask_and_changes_no_sandbox() -> None:
    own = Grant(door=(ASKED, "GET http://localhost:11434/v1/*"))
    assert own.words == f'door = ["{ASKED}", "GET http://localhost:11434/v1/*"]'
    assert own.of(LEAGUE).enclosure == ("landlock", (), True)
    assert own.of(LEAGUE).door == own.door
    assert own.of(Limits(sandbox="none")).judge == "cpu"
    all_have_it = Limits(door=(*own.door, "GET https://other.example.org/"))
    assert own.beyond(LEAGUE) == own
    assert own.beyond(all_have_it) == NO_GRANT
    assert (own.within(NO_GRANT), own.within(own)) == (NO_GRANT, own)
    assert own.within(Grant(door=(ASKED,))) == NO_GRANT
    assert own.deciding == {"door": [*own.door]}
    assert Grant(door=()).of(all_have_it).door == ()
    assert Limits(door=(ASKED,)).stored()["door"] == [ASKED]
    assert Limits(door=(ASKED,)).again.door == (ASKED,)


REFUSED: list[tuple[dict[str, object], str]] = [
    ({"door": ["api.example.org"]}, f"door: 'api.example.org' is no request: .* like '{ASKED}'"),
    ({"door": [ASKED, ASKED]}, "door: a request is there twice"),
    ({"door": ASKED}, "it takes a list of requests such as"),
    ({"devices": "nvidia"}, "it takes"),
    ({"memory_mb": 15}, "it takes"),
    ({"startup": 0}, "it takes"),
    ({"time_factor": 0}, "it takes"),
    ({"sandbox": "chroot"}, "it takes"),
    ({"x": 1}, "there is no"),
    ({"devices": ["nvidia"], "sandbox": "landlock"}, "no device is let through Landlock"),
    ({"proc": True, "sandbox": "uid"}, "uid has no /proc to show"),
]


@pytest.mark.parametrize(("raw", "says"), REFUSED)
def test_a_grant_that_cannot_be_is_refused(raw: dict[str, object], says: str) -> None:
    for kind in (Grant, Limits) if len(raw) > 1 else (Grant,):
        with pytest.raises(ArenaError, match=says):
            read_settings(kind, raw, "limit {}")


def test_what_does_not_go_together_is_refused_wherever_it_meets() -> None:
    shown, no_proc = Grant(proc=True), "uid has no /proc to show"
    with pytest.raises(ArenaError, match=no_proc):
        shown.of(Limits(sandbox="uid"))
    with pytest.raises(ArenaError, match=no_proc):
        shown.plus(Grant(sandbox="uid"))
    assert shown.plus(Grant(sandbox="bwrap")).of(Limits(sandbox="uid")).shows_proc
    assert NO_GRANT.plus(Grant(devices=("nvidia",))) == Grant(devices=("nvidia",))


def test_no_bot_asks_for_what_only_an_organizer_gives() -> None:
    assert Grant(time_factor=2).unaskable == "time_factor"
    assert Grant(sandbox="none").unaskable == 'sandbox = "none"'
    assert Grant(sandbox="bwrap", memory_mb=2048).unaskable == ""
