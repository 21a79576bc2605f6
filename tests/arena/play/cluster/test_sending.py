"""Large bots and bots with packages on a cluster: each file is sent once to each machine."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.environment.kept import environments_folder
from referee.sandbox.big_files import BIG
from tests.arena.conftest import STEADY, TWO_BOTS, League
from tests.arena.environment.conftest import good
from tests.arena.environment.test_environments import lock
from tests.arena.play.cluster.dask_cluster import DaskCluster
from tests.arena.play.cluster.test_runs import played_alike
from tests.benchmarks.sending import peak
from tests.faults.workshop import small_disk
from tests.referee.process_watch import until
from tests.referee.sandbox.sandboxed import need

pytestmark = pytest.mark.slow

HEAD = 'game = "guerra"\nseed = 1\ndeals = 2\noptions.max_turns = 20\n'
LARGE = 300 << 20


MADE = """\
command = ["{python}", "out/bot.py"]
build = ["sh", "-c", "mkdir out && cp bot.py kit.py out"]
files = ["out"]
python = "venv"
"""
"""A bot that is built, and has packages too."""


@pytest.fixture(autouse=True)
def here(public: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what this machine keeps in a folder of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(public / "here"))


@pytest.fixture
def there(public: Path) -> Path:
    """Where the machine keeps things that the Dask workers are on."""
    folder = public / "there"
    folder.mkdir()
    return folder


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[DaskCluster]:
    with DaskCluster(tmp_path / "dask") as cluster:
        yield cluster


@pytest.fixture
def league(public: Path) -> Iterator[League]:
    league = League(public / "home")
    yield league
    league.close()


def keeping(folder: Path) -> dict[str, str]:
    return {**os.environ, "XDG_CACHE_HOME": str(folder)}


def large(league: League, size: int = LARGE) -> str:
    """Make a bot with a large file, which takes little room here; return its entry in the file."""
    entry = league.bot("large", STEADY.format(pause=0))
    with (league.home / "large" / "model").open("wb") as file:
        file.truncate(size)
        for place in range(0, size, 1 << 20):  # so that no two pieces of it are alike
            os.pwrite(file.fileno(), place.to_bytes(8), place)
    return f"{entry}files_mb = 400\n"


def test_a_bot_with_packages_plays_as_here_and_its_environment_is_made_once(
    cluster, league, there, public
):
    need("landlock")
    lock(good(public / "mine"))
    lock(good(public / "made"))
    (public / "made" / "bot.toml").write_text(MADE)
    text = HEAD + TWO_BOTS
    for name in ("mine", "made"):
        text += f'\n[[bot]]\nname = "{name}"\nfolder = "{public / name}"\n'
    for name in ("ant", "bee"):
        cluster.add_worker(name, env=keeping(there))
    league.write(text)
    assert "cannot" not in league.call("run", "--cluster", cluster.address).stderr
    played_alike(league, cluster, text)
    [environment] = (there / "bot-arena" / "environments").iterdir()
    assert environment.name == next(environments_folder().iterdir()).name


def test_a_large_bot_goes_on_arriving_where_its_dask_worker_was_killed(cluster, league, there):
    """It is sent once to the machine, whose next Dask worker has the rest of it and plays."""
    need("landlock")
    files = there / "bot-arena" / "files"
    ant = cluster.add_worker("ant", env=keeping(there))
    league.write(HEAD + TWO_BOTS + large(league))
    run = league.start("run", "--cluster", cluster.address)
    until(lambda: any(part.stat().st_size > BIG for part in files.glob(".new-*")), 30)
    ant.signal(signal.SIGKILL)
    [part] = files.iterdir()
    begun = part.stat()
    assert begun.st_size < LARGE
    others = [cluster.add_worker(name, env=keeping(there)) for name in ("bee", "cat")]
    assert "12 of 12 matches" in league.finish(run).stderr
    [kept] = files.iterdir()
    assert kept.name == part.name.removeprefix(".new-")
    assert (kept.stat().st_ino, kept.stat().st_size) == (begun.st_ino, LARGE)
    assert cluster.scheduler is not None
    for pid in (cluster.scheduler.pid, *(each.pid for each in others)):
        assert 0 < peak(pid) < LARGE >> 20  # in MiB


def test_a_full_disk_is_named_with_its_machine_and_nothing_half_is_left(cluster, league, there):
    league.write(HEAD + TWO_BOTS + large(league))
    with small_disk(there, 100 << 10):
        cluster.add_worker("ant", env=keeping(there))
        said = league.call("run", "--cluster", cluster.address, code=1).stderr
        assert [*(there / "bot-arena" / "files").iterdir()] == []
    assert re.search(
        rf"ant on .* cannot play: big files of bots cannot be kept in {there}/bot-arena: No space "
        rf"left on device\. Free some space there, or set XDG_CACHE_HOME to another folder",
        said,
    ), said
    assert league.count() == 0


def test_a_bot_that_cannot_be_sent_is_suspended_and_the_others_play(cluster, league, there, public):
    """One is larger than it may be, and the wheels of the other are not here."""
    lock(good(public / "mine"))
    (public / "mine" / "wheels" / "chooser-1.0-py3-none-any.whl").unlink()
    mine = f'\n[[bot]]\nname = "mine"\nfolder = "{public / "mine"}"\n'
    league.write(HEAD + TWO_BOTS + large(league).replace("400", "299") + mine)
    cluster.add_worker("ant", env=keeping(there))
    said = league.call("run", "--cluster", cluster.address).stderr
    assert "large is suspended for this run: it cannot be sent: its files have 301 MiB" in said
    assert "mine is suspended for this run: it cannot be run: its package chooser==1.0" in said
    assert not (there / "bot-arena").exists()
    assert league.count() == 4
