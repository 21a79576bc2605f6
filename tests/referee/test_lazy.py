import pytest

from referee.lazy import Lazy


@pytest.fixture
def numbers() -> Lazy[object]:
    return Lazy({"second": "math:tau", "first": "math:pi", "lost": "no_such_module:thing"})


def test_names_are_known_in_their_order_without_an_import(numbers: Lazy[object]) -> None:
    assert list(numbers) == ["second", "first", "lost"]
    assert len(numbers) == 3
    assert "lost" in numbers
    assert "third" not in numbers


def test_a_value_is_imported_when_it_is_asked_for(numbers: Lazy[object]) -> None:
    assert numbers["first"] == pytest.approx(3.14159, abs=1e-5)
    with pytest.raises(ModuleNotFoundError):
        numbers["lost"]


def test_an_unknown_name_is_a_key_error(numbers: Lazy[object]) -> None:
    assert numbers.get("third") is None
    with pytest.raises(KeyError):
        numbers["third"]


def test_a_value_can_be_put_in_and_taken_out(numbers: Lazy[object]) -> None:
    numbers["third"] = numbers["first"] = 1
    assert (numbers["third"], numbers["first"]) == (1, 1)
    del numbers["third"]
    assert "third" not in numbers
    assert numbers.get("third") is None
