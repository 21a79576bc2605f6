import pytest

from referee.lazy import Lazy


def test_names_are_known_in_their_order_and_imported_when_they_are_asked_for() -> None:
    numbers = Lazy({"second": "math:tau", "first": "math:pi", "lost": "no_such_module:thing"})
    assert list(numbers) == ["second", "first", "lost"]
    assert len(numbers) == 3
    assert ("lost" in numbers, "third" in numbers, numbers.get("third")) == (True, False, None)
    assert numbers["first"] == pytest.approx(3.14159, abs=1e-5)
    with pytest.raises(ModuleNotFoundError):
        numbers["lost"]
    with pytest.raises(KeyError):
        numbers["third"]
