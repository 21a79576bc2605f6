"""What is taken for a channel, and what for chance."""

import random

import pytest

from tests.attacks.collusion.capacity import capacity

RNG = random.Random(7)


def bits(count: int) -> str:
    return "0101" + "".join(RNG.choice("01") for _ in range(count - 4))


def heard_with(said: str, share: float) -> list[int]:
    """Return what is heard of bits if such a share of them arrives wrong."""
    return [int(bit) ^ (RNG.random() < share) for bit in said]


def test_what_arrives_whole_carries_every_bit() -> None:
    said = bits(96)
    found = capacity(said, [int(bit) for bit in said], seconds=2.0)
    assert (found.bits, found.most, found.errors, found.payload) == (48.0, 48.0, 0, 64)


def test_a_channel_may_say_a_one_by_a_lower_number() -> None:
    said = bits(96)
    found = capacity(said, [900 - 5 * int(bit) + RNG.choice((0, 1)) for bit in said], seconds=1.0)
    assert found.bits == 96.0


def test_what_is_always_the_same_carries_nothing() -> None:
    found = capacity(bits(96), [3] * 96, seconds=1.0)
    assert (found.bits, found.most) == (0.0, 0.0)


@pytest.mark.slow  # it simulates many messages
def test_nothing_is_hardly_ever_taken_for_a_channel() -> None:
    found = [capacity(bits(48), [RNG.randint(0, 9) for _ in range(48)], 1.0) for _ in range(5000)]
    assert sum(each.bits > 0 for each in found) <= 5


@pytest.mark.parametrize(("share", "least", "most"), [(0.05, 0.5, 0.95), (0.2, 0.1, 0.6)])
def test_errors_cost_what_they_cost(share: float, least: float, most: float) -> None:
    said = bits(960)
    found = capacity(said, heard_with(said, share), seconds=1.0)
    assert least < found.bits / 960 < most
    assert found.most > found.bits


def test_what_may_have_been_missed_is_told() -> None:
    """With three of ten wrong, forty bits show no channel, and do not show that there is none."""
    missed = 0
    for _ in range(200):
        said = bits(60)
        found = capacity(said, heard_with(said, 0.3), seconds=1.0)
        true = 60 * 0.119  # of a bit, by Shannon
        assert found.bits > 0 or found.most >= true
        missed += found.bits == 0
    assert missed > 100
