"""Environments that are made of what was sent: what is refused, and that it is said how."""

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from arena.environment.errors import PackagesError
from arena.environment.kept import environments_folder
from arena.environment.lock import Pin, lock_text
from arena.environment.wheels import wheels_in
from arena.league.bot import Bot, make_bot
from arena.play.building import Builder
from arena.play.cluster.arrivals import Arrivals
from arena.play.cluster.bundle import Packages
from arena.play.cluster.equipping import Equipper
from arena.play.cluster.sending import SentFile, packed
from protocol.errors import RunError
from referee.limits import WorkLimits
from tests.arena.environment.conftest import cache, wheel

__all__ = ["cache"]  # a fixture


@pytest.fixture
def arrivals(public: Path) -> Arrivals:
    return Arrivals(public / "arriving")


@pytest.fixture
def equipper(public: Path, arrivals: Arrivals) -> Iterator[Equipper]:
    base = public / "base"
    base.mkdir()
    with Builder(WorkLimits()).open() as builder:
        yield Equipper(builder, arrivals, base)
    assert [*base.iterdir()] == []


@pytest.fixture
def bot(public: Path) -> Bot:
    (public / "bot").mkdir()
    (public / "bot" / "bot.py").touch()
    return make_bot("mine", public / "bot", ["{python}", "bot.py"])


@pytest.fixture
def packages(public: Path, arrivals: Arrivals) -> Packages:
    wheel(public / "wheels", "chooser")
    return sent(public / "wheels", arrivals)


def sent(folder: Path, arrivals: Arrivals) -> Packages:
    """Send the wheels in a folder; return what is said of them."""
    wheels = wheels_in(folder)
    pins = [Pin(each.name, each.version, frozenset([each.sha256()])) for each in wheels]
    files = packed(folder, (), [each.path.name for each in wheels])
    for load in files.loads(arrivals.lacking([file.content for file in files.files])):
        assert arrivals.add(load)
    return Packages(lock_text(pins).encode(), files.files)


def test_an_environment_is_made_of_what_was_sent_and_that_is_removed(
    public: Path, bot: Bot, equipper: Equipper, packages: Packages
) -> None:
    made = equipper.equipped(bot, packages)
    assert Path(made.environment).parent == environments_folder()
    assert (Path(made.environment) / "wheels" / "chooser-1.0-py3-none-any.whl").is_file()
    assert [*(public / "arriving").iterdir()] == []
    assert equipper.equipped(bot, packages) == made  # of which nothing is needed any more
    assert equipper.equipped(bot, None) is bot


def test_a_wheel_for_another_python_is_named_with_what_to_do(
    public: Path, bot: Bot, equipper: Equipper, arrivals: Arrivals
) -> None:
    wheel(public / "wheels", "chooser", tags="cp38-cp38-manylinux1_x86_64")
    with pytest.raises(PackagesError) as caught:
        equipper.equipped(bot, sent(public / "wheels", arrivals))
    python = ".".join(map(str, sys.version_info[:2]))
    assert str(caught.value) == (
        "chooser-1.0-cp38-cp38-manylinux1_x86_64.whl is for another Python or machine, and bots "
        f"run there with Python {python} on x86_64: install the Python there that runs the bots "
        "here."
    )


def test_a_wheel_with_the_name_of_none_is_refused(
    public: Path, bot: Bot, equipper: Equipper, packages: Packages
) -> None:
    names = (b"../out.whl", b"/tmp/out.whl", b"..", b"", b".x.whl", b"a/b.whl", b"x.whl\n", b"x.py")
    for name in names:
        hostile = [SentFile(name, packages.wheels[0].content)]
        with pytest.raises(RunError, match="as a wheel, and is not called as one"):
            equipper.equipped(bot, msgspec.structs.replace(packages, wheels=hostile))
    assert not (public / "base" / "out.whl").exists()
    assert not Path("/tmp/out.whl").exists()


def test_a_wheel_that_is_not_that_of_the_lock_is_refused_and_one_that_lacks_asked_for(
    public: Path, bot: Bot, equipper: Equipper, arrivals: Arrivals, packages: Packages
) -> None:
    wheel(public / "wheels", "chooser", files={"chooser.py": "raise SystemExit"})
    other = sent(public / "wheels", arrivals)
    with pytest.raises(PackagesError, match=r"is not the file that .* was made with"):
        equipper.equipped(bot, msgspec.structs.replace(packages, wheels=other.wheels))
    arrivals.forget([file.content for file in packages.wheels])
    with pytest.raises(RunError, match=r"chooser-1.0-py3-none-any.whl has not arrived"):
        equipper.equipped(bot, packages)
