"""The limits of one bot in place of those of its league: what they are, and what may be asked."""

import pytest

from protocol.errors import ArenaError
from referee.limits import NO_GRANT, Grant, Limits
from referee.options import read_settings

LEAGUE = Limits(move_time=0.4, bank=2.0, increment=0.1, memory_mb=300)


def test_a_grant_replaces_what_it_names_and_nothing_else() -> None:
    own = Grant(memory_mb=900, sandbox="bwrap", startup=3).of(LEAGUE)
    assert (own.memory_mb, own.sandbox, own.startup) == (900, "bwrap", 3)
    assert (own.judge, own.move_time, own.open_files) == ("wall", 0.4, LEAGUE.open_files)
    assert NO_GRANT.of(LEAGUE) == LEAGUE


def test_a_factor_of_time_is_of_all_that_is_free() -> None:
    own = Grant(time_factor=0.5).of(LEAGUE)
    assert (own.move_time, own.bank, own.increment) == (0.2, 1.0, 0.05)
    assert own.startup == LEAGUE.startup


def test_a_grant_is_written_as_a_person_writes_it() -> None:
    assert Grant(startup=20.0, sandbox="bwrap", time_factor=0.5).words == (
        'sandbox = "bwrap", startup = 20, time_factor = 0.5'
    )
    assert NO_GRANT.words == ""


def test_only_what_a_league_does_not_give_already_is_beyond_it() -> None:
    needs = Grant(memory_mb=300, open_files=65, sandbox="landlock", startup=9)
    assert needs.beyond(LEAGUE) == Grant(open_files=65)
    assert Grant(sandbox="bwrap").beyond(LEAGUE) == Grant(sandbox="bwrap")


def test_a_grant_is_within_another_key_by_key() -> None:
    most = Grant(memory_mb=1000, sandbox="bwrap")
    needs = Grant(memory_mb=1000, open_files=65, sandbox="bwrap")
    assert needs.within(most) == Grant(memory_mb=1000, sandbox="bwrap")
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
    assert "devices" not in LEAGUE.stored()
    assert all_have_it.stored()["devices"] == ("nvidia",)


def test_a_door_names_whom_a_bot_may_ask_and_changes_no_sandbox() -> None:
    own = Grant(door=("api.example.org", "http://localhost:11434"))
    assert own.words == 'door = ["api.example.org", "http://localhost:11434"]'
    assert own.of(LEAGUE).enclosure == ("landlock", (), True)
    assert own.of(LEAGUE).door == own.door
    assert own.of(Limits(sandbox="none")).judge == "cpu"
    all_have_it = Limits(door=(*own.door, "other.example.org"))
    assert own.beyond(LEAGUE) == own
    assert own.beyond(all_have_it) == NO_GRANT
    assert (own.within(NO_GRANT), own.within(own)) == (NO_GRANT, own)
    assert own.within(Grant(door=("api.example.org",))) == NO_GRANT
    assert own.deciding == {"door": [*own.door]}
    assert Grant(door=()).of(all_have_it).door == ()
    assert "door" not in LEAGUE.stored()
    assert Limits(door=("a.b",)).stored()["door"] == ("a.b",)
    assert Limits(door=("a.b",)).again.door == ("a.b",)


@pytest.mark.parametrize(
    "name",
    ["", "a b", "me@a.b", "a.b/path", "A.B", "ftp://a.b", "a.b:", "a.b:123456", "ä.b", ".b", "[x]"],
)
def test_what_is_no_name_of_a_door_is_refused(name: str) -> None:
    with pytest.raises(ArenaError, match=r'it takes a list of names such as "api.example.org"'):
        read_settings(Grant, {"door": [name]}, "limit {}")


def test_a_door_may_lead_to_a_port_an_address_or_a_model_of_ones_own() -> None:
    names = ["a.b:8443", "http://localhost:11434", "https://10.0.0.5:8443", "https://[::1]:8443"]
    assert [*read_settings(Limits, {"door": names}, "limit {}").door] == names


@pytest.mark.parametrize("kind", [Grant, Limits])
def test_landlock_lets_no_device_through(kind: type[Grant | Limits]) -> None:
    with pytest.raises(ArenaError, match="no device is let through Landlock"):
        read_settings(kind, {"devices": ["nvidia"], "sandbox": "landlock"}, "limit {}")


def test_no_bot_asks_for_what_only_an_organizer_gives() -> None:
    assert Grant(time_factor=2).unaskable == "time_factor"
    assert Grant(sandbox="none").unaskable == 'sandbox = "none"'
    assert Grant(sandbox="bwrap", memory_mb=2048).unaskable == ""


@pytest.mark.parametrize(
    "raw",
    [
        {"devices": "nvidia"},
        {"memory_mb": 15},
        {"startup": 0},
        {"time_factor": 0},
        {"sandbox": "chroot"},
        {"x": 1},
    ],
)
def test_a_grant_that_cannot_be_is_refused(raw: dict[str, object]) -> None:
    with pytest.raises(ArenaError, match=r"it takes|there is no"):
        read_settings(Grant, raw, "limit {}")
