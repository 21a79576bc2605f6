"""Environments: made from wheels, shared, read-only, played in; and what is wrong with them."""

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from arena.environment.settings import EnvironmentSettings
from arena.league.finding import bot_folder
from arena.play.building import Builder, Built
from referee.limits import WorkLimits
from referee.sandbox.kept import discard
from tests.arena.conftest import Arena
from tests.arena.environment.conftest import MODULE, bot, good, wheel
from tests.golden import Golden
from tests.referee.sandbox.sandboxed import need

SANDBOXED = ("landlock", "bwrap")


def lock(folder: Path) -> str:
    with Builder(WorkLimits()).open() as builder:
        return builder.environments.locks.made(folder, anew=True)


def made(folder: Path, **settings: int) -> Built:
    with Builder(WorkLimits(), None, EnvironmentSettings(**settings)).open() as builder:
        return builder.built(bot_folder(folder))


def failure(act: Callable[[], object]) -> str:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - its text is looked at
        act()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", SANDBOXED)
def test_a_bot_plays_with_packages_in_each_sandbox(
    sandbox: str, public: Path, arena: Arena
) -> None:
    need(sandbox)
    folder = good(public / "mine")
    result = arena(
        *("check", folder, "--game", "war", "--seats", 2, "--seconds", 3, "--sandbox", sandbox)
    )
    assert result.exit_code == 0, result.output
    assert "requirements.lock is written: chooser==1.0." in result.output
    assert " 1  ok         can be built: in " in result.output


def test_an_environment_is_made_once_for_all_bots_with_the_same_packages_and_removed(
    public: Path, cache: Path, arena: Arena
) -> None:
    first, second = good(public / "one"), good(public / "two")
    lock(first)
    shutil.copy(first / "requirements.lock", second)
    shutil.rmtree(second / "wheels")
    one = made(first)
    assert one.outcome is not None
    two = made(second)
    assert two.outcome is None
    assert one.bot.environment == two.bot.environment
    name = Path(one.bot.environment).name
    assert [folder.name for folder in cache.iterdir()] == [name]
    assert arena("env", "list").output.count(name) == 1
    assert arena("env", "remove", name).output == f"Removed: {name}.\n"
    assert not [*cache.iterdir()]
    assert arena("env", "remove", name).exit_code == 2
    assert made(first).bot.environment == one.bot.environment


class Choice:
    """A lock that allows two wheels of one name: one takes the first move, one the last."""

    def __init__(self, public: Path) -> None:
        self._public = public
        self._wheels = {
            at: wheel(public / f"at{at}", "chooser", files={"chooser.py": MODULE.format(at=at)})
            for at in (0, -1)
        }

    def bot(self, name: str, *, own: int | None = None, allows: Sequence[int] = (0, -1)) -> Path:
        folder = bot(self._public / name)
        sums = [hashlib.sha256(self._wheels[at].read_bytes()).hexdigest() for at in allows]
        hashes = " ".join(f"--hash=sha256:{each}" for each in sums)
        (folder / "requirements.lock").write_text(f"chooser==1.0 {hashes}\n")
        (folder / "wheels").mkdir()
        if own is not None:
            self.put(own, folder / "wheels")
        return folder

    def put(self, at: int, folder: Path, name: str = "") -> None:
        shutil.copy(self._wheels[at], folder / name)


def module_of(built: Built) -> str:
    site = next(Path(built.bot.environment).glob("lib/python3*/site-packages"))
    return (site / "chooser.py").read_text()


def test_where_a_lock_leaves_a_choice_no_bot_gets_the_wheels_of_another(
    public: Path, cache: Path, golden: Golden
) -> None:
    """Who hands in a lock first does not decide what others run that have it, too."""
    choice = Choice(public)
    ada, eva = choice.bot("ada", own=0), choice.bot("eva", own=-1)
    zoe = choice.bot("zoe")
    only = choice.bot("only", allows=[-1])  # whose hash says all
    with Builder(WorkLimits()).open() as builder:

        def built(folder: Path) -> Built:
            return builder.built(bot_folder(folder))

        first, second = built(ada), built(eva)
        assert module_of(first) == MODULE.format(at=0)
        assert module_of(second) == MODULE.format(at=-1)
        golden(failure(lambda: built(zoe)).replace(str(zoe), "ZOE"))
        assert built(only).bot.environment == second.bot.environment
        locks = builder.environments.locks
        golden(locks.fix(eva))
        assert [locks.fix(each) for each in (eva, zoe)] == ["", ""]
        choice.put(0, eva / "wheels")
        assert built(eva).bot.environment == second.bot.environment
        cache.rename(cache.with_name("gone"))
        golden(failure(lambda: built(eva)).replace(str(eva), "EVA"))


@pytest.mark.slow  # it is pip that chooses
def test_where_a_lock_leaves_a_choice_the_index_decides_and_what_it_gave_is_noted(
    public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = public / "index"
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    choice = Choice(public)
    ada, only = choice.bot("ada", own=0), choice.bot("only", allows=[0])
    eva, zoe = choice.bot("eva"), choice.bot("zoe")
    index.mkdir()
    settings = EnvironmentSettings(fetch=True)
    with Builder(WorkLimits(), None, settings).open() as builder:
        choice.put(0, index, other := "chooser-1.0-1-py3-none-any.whl")
        first = builder.built(bot_folder(only))
        (index / other).unlink()
        choice.put(-1, index)
        built = builder.built(bot_folder(eva))
        assert builder.built(bot_folder(ada)).bot.environment == first.bot.environment
    assert module_of(first) == MODULE.format(at=0)
    assert module_of(built) == MODULE.format(at=-1)
    shutil.rmtree(index)
    assert made(zoe, fetch=True).bot.environment == built.bot.environment
    discard(Path(built.bot.environment))
    assert "chooser==1.0 cannot be fetched" in failure(lambda: made(zoe, fetch=True))
    index.mkdir()
    choice.put(0, index)
    assert made(zoe, fetch=True).bot.environment == first.bot.environment


def test_how_the_name_of_a_wheel_is_spelt_does_not_change_an_environment(public: Path) -> None:
    """Of a file that two wheels have, the last one counts: the order must follow from the lock."""
    folder = bot(public / "mine", "alpha\nbeta\n")
    for name in ("alpha", "beta"):
        wheel(folder / "wheels", name, files={"chooser.py": name})
    lock(folder)
    beta = folder / "wheels" / "beta-1.0-py3-none-any.whl"
    beta.rename(beta.with_name("Beta-1.0-py3-none-any.whl"))
    assert module_of(made(folder)) == "beta"


def test_nobody_may_write_in_an_environment_and_what_changed_there_is_named(public: Path) -> None:
    folder = good(public / "mine")
    wheel(
        folder / "wheels",
        "chooser",
        files={"chooser.py": "", "chooser-1.0.data/data/lib/libx.so": b"\x7fELF"},
    )
    lock(folder)
    environment = Path(made(folder).bot.environment)
    site = next(environment.glob("lib/python3*/site-packages"))
    assert (environment / "lib/libx.so").is_file()
    assert (site / "chooser.py").is_file()
    assert [*site.glob("__pycache__/chooser.*.pyc")]
    for path in (environment, *environment.rglob("*")):
        if not path.is_symlink():
            found = path.stat()
            assert not found.st_mode & (0o222 | stat.S_ISUID | stat.S_ISGID), path
            assert found.st_mode & 0o444 == 0o444
            assert found.st_uid == os.geteuid()
    site.chmod(0o755)
    (site / "evil.pth").touch()
    again = made(folder)
    assert again.outcome is not None
    assert "evil.pth is new there" in again.remark


def test_the_lock_makes_the_version_and_the_wheels_do_not(public: Path) -> None:
    folder = good(public / "mine")
    assert "it has no requirements.lock, which names its packages: `arena env build --fetch" in (
        failure(lambda: bot_folder(folder))
    )
    lock(folder)
    before = bot_folder(folder)
    assert "requirements.lock" in before.files
    assert not [name for name in before.files if name.startswith("wheels")]
    shutil.rmtree(folder / "wheels")
    assert bot_folder(folder).version == before.version
    wheel(folder / "wheels", "chooser", "2.0")
    lock(folder)
    assert bot_folder(folder).version != before.version
    with (folder / "bot.toml").open("a") as file:
        file.write('files = ["bot.py", "kit.py"]\n')
    assert bot_folder(folder).files == ("bot.py", "kit.py", "requirements.lock")
    for toml, said in (
        ('command = ["{python}", "bot.py"]\npython = "3.11"\n', 'python must be "venv"'),
        ('command = ["./bot.py"]\npython = "venv"\n', 'command that begins with "{python}"'),
    ):
        (folder / "bot.toml").write_text(toml)
        assert said in failure(lambda: bot_folder(folder))


def test_what_packages_need_is_locked_with_them_and_the_newest_that_suits(public: Path) -> None:
    folder = bot(public / "mine", "chooser[fast]\n")
    wheels = folder / "wheels"
    wheel(wheels, "chooser", needs=["base<3", "quick; extra == 'fast'", "win; os_name == 'nt'"])
    for name, version in (("base", "1.0"), ("base", "2.5"), ("base", "3.0"), ("quick", "1.0")):
        wheel(wheels, name, version)
    wheel(wheels, "unasked")
    assert lock(folder) == "requirements.lock is written: base==2.5, chooser==1.0, quick==1.0."
    text = (folder / "requirements.lock").read_text()
    lacking = "".join(text.partition("chooser==")[1:])
    (folder / "requirements.lock").write_text(lacking)
    assert "does not fit together: chooser needs base" in failure(lambda: made(folder))


def test_wheels_that_do_not_suit_are_named(public: Path) -> None:
    folder = bot(public / "mine")
    wheels = folder / "wheels"
    for given, said in (
        ([], "there is no wheel of chooser"),
        ([{"needs": ["base"]}], "there is no wheel of base"),
        ([{"tags": "cp39-cp39-win_amd64"}], "-cp39-win_amd64.whl is for another Python or machine"),
        ([{"python": "<3"}], "chooser-1.0-py3-none-any.whl is for another Python or machine"),
        (
            [{"needs": ["base<1"]}, {"name": "base"}],
            "base-1.0-py3-none-any.whl is not what is asked for (base<1 for chooser)",
        ),
    ):
        shutil.rmtree(wheels, ignore_errors=True)
        for each in given:
            wheel(wheels, **{"name": "chooser", **each})  # type: ignore[arg-type] # any of them
        text = failure(lambda: lock(folder))
        assert said in text
        assert f"Put it into {wheels}, or let it be fetched: `arena env build --fetch" in text


def test_a_lock_fits_its_requirements_and_the_wheels_that_are_there(
    public: Path, cache: Path, golden: Golden
) -> None:
    folder = good(public / "mine")
    lock(folder)

    def told() -> None:
        golden(failure(lambda: made(folder)).replace(str(folder), "MINE"))

    wheel(folder / "wheels", "chooser", files={"chooser.py": "evil = 1\n"})
    told()
    shutil.rmtree(folder / "wheels")
    told()
    (folder / "requirements.txt").write_text("chooser>=2\n")
    told()
    assert not [*cache.iterdir()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda site: (site / "chooser.py").unlink(), "chooser.py is gone"),
        (lambda site: (site / "chooser.py").chmod(0o666), "chooser.py was changed"),
        (lambda site: os.utime(site / "chooser.py", (1, 1)), "chooser.py was changed"),
        (lambda site: (site / "../../../manifest.json").unlink(), "manifest.json cannot be read"),
    ],
)
def test_what_changed_in_an_environment_is_made_anew_of_wheels_that_are_as_they_were(
    change: Callable[[Path], object], said: str, public: Path, cache: Path
) -> None:
    folder = good(public / "mine")
    lock(folder)
    environment = Path(made(folder).bot.environment)
    site = next(environment.glob("lib/python3*/site-packages"))
    was = (site / "chooser.py").read_text()

    def harm() -> None:
        site.chmod(0o755)
        environment.chmod(0o755)
        change(site)

    harm()
    again = made(folder)
    assert again.outcome is not None
    assert said in again.remark
    assert "\n" not in again.remark
    assert (site / "chooser.py").read_text() == was
    assert not made(folder).remark
    harm()
    shutil.rmtree(folder / "wheels")
    assert made(folder).outcome is not None  # from the wheels that it keeps itself
    harm()
    for each in (environment / "wheels").iterdir():
        each.chmod(0o644)
        each.write_bytes(b"another")
    text = failure(lambda: made(folder))
    assert f"its environment {environment.name} was no longer as it was made: " in text
    assert "It cannot be made anew: its package chooser==1.0 is not here" in text
    assert [each.name for each in cache.iterdir()] == [environment.name]


def test_a_virtual_environment_of_the_author_says_what_is_required(
    public: Path, arena: Arena
) -> None:
    folder = good(public / "mine")
    (folder / "requirements.txt").unlink()
    site = folder / ".venv" / "lib" / "python3.11" / "site-packages"
    for name in ("chooser-1.0", "pip-24.0"):
        (site / f"{name}.dist-info").mkdir(parents=True)
    (folder / ".venv" / "pyvenv.cfg").touch()
    result = arena("env", "build", folder)
    assert result.exit_code == 0, result.output
    assert "requirements.txt is written, from what .venv has: chooser==1.0." in result.output
    assert (folder / "requirements.txt").read_text() == "chooser==1.0\n"


def unfit(arena: Arena, folder: Path, toml: str) -> str:
    (folder / "bot.toml").write_text(toml)
    result = arena("check", folder, "--game", "war", "--seats", 2)
    assert result.exit_code == 1
    return " ".join(result.output.split())


@pytest.mark.parametrize("target", ["/usr/bin/python3", "/opt/of/another/python3", "a copy"])
def test_the_python_of_a_virtual_environment_gets_the_remedy(
    target: str, public: Path, arena: Arena
) -> None:
    folder = good(public / "mine")
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    (folder / ".venv" / "pyvenv.cfg").touch()
    if target == "a copy":
        shutil.copy("/usr/bin/python3", python)
    else:
        python.symlink_to(target)
    (folder / "start.sh").write_text("#!/bin/sh\nexec .venv/bin/python bot.py\n")
    (folder / "start.sh").chmod(0o755)
    cases = [(".venv/bin/python", "")]
    if target == "/usr/bin/python3":
        cases.append((".venv/bin/python", 'files = ["bot.py", "kit.py", ".venv"]\n'))
        cases.append(("./start.sh", ""))
    for command, files in cases:
        said = unfit(arena, folder, f'command = ["{command}", "bot.py"]\n{files}')
        assert ".venv/bin/python belongs to a virtual environment" in said
        assert 'Write python = "venv" in bot.toml' in said


@pytest.mark.parametrize(
    ("listed", "more", "says"),
    [
        ("chooser", "", 'counts only for a bot whose bot.toml says python = "venv"'),
        ("base", 'python = "venv"\n', "chooser is not among the packages of its"),
        (None, "", "`arena new --package PACKAGE` begins such a bot."),
    ],
)
def test_a_package_that_is_not_there_gets_the_remedy(
    public: Path, arena: Arena, listed: str | None, more: str, says: str
) -> None:
    folder = bot(public / "mine", f"{listed}\n")
    wheel(folder / "wheels", "base")
    if listed is None:
        (folder / "requirements.txt").unlink()
    assert says in unfit(arena, folder, f'command = ["{{python}}", "bot.py"]\n{more}')


def test_a_new_bot_may_have_packages(public: Path, arena: Arena) -> None:
    folder = public / "mine"
    result = arena("new", folder, "--package", "chooser>=1", "--package", "base", "--game", "war")
    assert result.exit_code == 0, result.output
    assert "First: arena env build --fetch" in result.output
    assert (folder / "requirements.txt").read_text() == "chooser>=1\nbase\n"
    assert 'python = "venv"\n' in (folder / "bot.toml").read_text()
    assert "# requirements.txt names chooser, base too:" in (folder / "bot.py").read_text()
    other = public / "other"
    assert arena("new", other, "--package", "-r x", "--game", "war").exit_code == 2
    assert arena("new", other, "--package", "x", "--lang", "c", "--game", "war").exit_code == 2
    assert not other.exists()


@pytest.mark.slow  # an environment is made, and played in
def test_a_new_bot_shows_that_it_has_its_packages(public: Path, arena: Arena) -> None:
    folder = public / "mine"
    words = ("--package", "NumPy>=2", "--package", "scikit_learn", "--game", "war")
    assert arena("new", folder, *words).exit_code == 0
    wheel(folder / "wheels", "numpy", "2.1", files={"numpy.py": "__version__ = '2.1'\n"})
    wheel(folder / "wheels", "scikit_learn", files={"sklearn.py": "__version__ = '1.0'\n"})
    result = arena("check", folder, "--game", "war", "--seats", 2, "--seconds", 2)
    assert result.exit_code == 0, result.output
    assert "on its standard error: sklearn 1.0" in result.output


UNKNOWN = "cannot be fetched: the index does not know it, or has no "
NOT_FETCHED = [
    ("chooser>=9", "", f"chooser>=9 {UNKNOWN}"),
    ("chooser\nchoser", "", f"choser {UNKNOWN}"),
    ("chooser", "gone", "chooser cannot be fetched: the package index was not reached. Try aga"),
    ("chooser", "another", "the wheel of the index has another hash than requirements.lock"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("requirement", "index", "said"), NOT_FETCHED)
def test_what_cannot_be_fetched_gets_the_remedy(
    requirement: str, index: str, said: str, public: Path, arena: Arena
) -> None:
    folder = bot(public / "mine", f"{requirement}\n")
    wheel(public / "index", "chooser")
    env = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(public / "index")}
    if index == "gone":
        env = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "1"}
    if index == "another":
        hashed = f"chooser==1.0 --hash=sha256:{'0' * 64}\n"
        (folder / "requirements.lock").write_text(hashed)
    result = arena("env", "build", "--fetch", folder, env=env)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())


def test_a_lock_that_cannot_be_read_is_made_anew_as_is_said(public: Path, arena: Arena) -> None:
    folder = good(public / "mine")
    (folder / "requirements.lock").write_text("chooser=1.0\n")
    refused = arena("env", "build", folder)
    assert refused.exit_code == 2
    remedy = f"`arena env build --fetch --update {folder}` makes the file anew."
    assert remedy in " ".join(refused.output.split())
    assert arena("env", "build", "--fetch", "--update", folder).exit_code == 0
