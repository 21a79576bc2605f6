"""What `tests.pythons` tries: which versions of dependencies, and which Pythons are found."""

import itertools
import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests import pythons
from tests.ci.units import MORE_PYTHONS, PYTHONS


def test_the_lowest_is_where_each_bound_begins_and_beyond_has_no_upper_one() -> None:
    asked = [Requirement(line) for line in ("a>=1.2", "b==3", "c>=2026.6,<2026.9", "d")]
    assert pythons.lowest(asked) == ["a==1.2", "b==3", "c==2026.6"]
    assert pythons.beyond(asked) == ["c>=2026.6"]
    asked = pythons.requirements(pythons.extras())
    named = {line.partition("==")[0] for line in pythons.lowest(asked)}
    assert named == {each.name for each in asked}


def test_every_extra_for_users_has_its_tests() -> None:
    assert set(pythons.TESTS) == {"", *pythons.extras()}
    for file in itertools.chain(*pythons.TESTS.values()):
        assert (pythons.ROOT / file).is_file(), file


def test_ci_tries_the_pythons_that_are_claimed_and_a_proof_each_of_them_both_ways() -> None:
    makefile = (pythons.ROOT / "Makefile").read_text()
    found = re.search(r"^PYTHONS \?= (.*)$", makefile, re.MULTILINE)
    assert found
    assert [word.partition(":")[0] for word in found[1].split()] == pythons.claimed()
    assert sorted(PYTHONS) == sorted(found[1].split())
    both = itertools.product(pythons.claimed(), pythons.DEPENDENCIES[:2])
    assert sorted((*PYTHONS, *MORE_PYTHONS)) == sorted(map(":".join, both))


def test_a_python_that_is_not_here_is_named_and_fails(tmp_path: Path) -> None:
    [row] = pythons.rows([("3.99", "newest")], tmp_path / "a.whl", tmp_path)
    assert row.result.startswith("FAILED: ")
    assert "No interpreter found for Python 3.99" in row.result
    shown = pythons.table([row._replace(result="FAILED: " + "a long reason, " * 20)])
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("word", ["3.12", "3.12:old", ":newest"])
def test_a_word_that_names_no_choice_is_refused(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        pythons.main([word])
    assert f"'{word}' is no PYTHON:DEPENDENCIES" in capsys.readouterr().err
