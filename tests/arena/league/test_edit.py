"""Changes of `league.toml` by command: what they write, what they leave alone, and mistakes."""

import difflib
import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from arena.league import edit
from arena.league.edit import add_bot, remove_bots, replace_bot, set_keys
from arena.league.file import read_asked
from arena.league.plan import LeaguePlan
from protocol.errors import ArenaError
from tests.arena.conftest import files_no_larger_than, ordinary_user
from tests.arena.league.conftest import refused
from tests.golden import Golden
from tests.referee.process_watch import until

FILE = """\
# The spring cup.
game = "guerra"   # see `arena games`
seed = 1
deals   =    3

[limits]
sandbox = "none"
# No limit of time yet.

# Ada, from Zurich
[[bot]]
name = "ada"   # the first
shipped = "random"
# handed in late

# --- our own ---

# Bob
[[bot]]
name    = 'bob'
shipped = "rusher"

[[bot]]
name = \"\"\"eve\"\"\"
shipped = "random"  # as ada

[hand_in]
bots = 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A league's folder, with FILE in it."""
    made = tmp_path / "cup"
    made.mkdir()
    (made / "league.toml").write_text(FILE)
    return made


def text(folder: Path) -> str:
    return (folder / "league.toml").read_bytes().decode()


def changes(folder: Path, before: str = FILE) -> list[str]:
    """Return the lines that are gone or new."""
    lines = difflib.ndiff(before.splitlines(), text(folder).splitlines())
    return [line.rstrip() for line in lines if line[0] in "+-"]


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def names(plan: LeaguePlan) -> list[str]:
    return [bot.name for bot in plan.bots]


def test_a_bot_is_added_below_the_others(folder: Path) -> None:
    plan = add_bot(folder, {"name": "dan the 1st", "shipped": "turtle"})
    assert names(plan) == ["ada", "bob", "dan the 1st", "eve"]
    assert changes(folder) == ["+ [[bot]]", '+ name = "dan the 1st"', '+ shipped = "turtle"', "+"]
    assert text(folder).index("eve") < text(folder).index("dan") < text(folder).index("[hand_in]")


def test_a_bot_is_removed_with_its_own_comments_and_no_others(folder: Path) -> None:
    assert names(remove_bots(folder, "ada")) == ["bob", "eve"]
    [gone] = FILE.split("# --- our own", maxsplit=1)[:1]
    assert text(folder) == FILE.replace(gone[gone.index("# Ada") :], "")


def test_all_bots_can_be_removed_and_what_is_added_and_removed_leaves_no_trace(
    folder: Path,
) -> None:
    add_bot(folder, {"name": "Nin\u0303o", "shipped": "turtle"})
    assert "Ni\u00f1o" in names(set_keys(folder, "Ni\u00f1o", {"key": "old"}))
    remove_bots(folder, "Ni\u00f1o")  # however its letters are composed
    set_keys(folder, "bob", {"key": "rob"})
    assert changes(folder) == ['+ key = "rob"']
    for _ in range(2):
        set_keys(folder, "bob", {"key": None})
    assert text(folder) == FILE
    for name in ("eve", "ada", "bob"):
        plan = remove_bots(folder, name)
    assert plan.bots == ()
    assert "# --- our own ---\n\n[hand_in]" in text(folder)
    assert names(add_bot(folder, {"name": "ada", "shipped": "turtle"})) == ["ada"]


def test_a_replaced_bot_keeps_its_place_its_comments_and_its_key(folder: Path) -> None:
    set_keys(folder, "ada", {"key": "ida"})
    replace_bot(
        folder, "ada", {"name": "ada", "folder": "..", "command": ["{python}"], "files": []}
    )
    assert changes(folder) == [
        '- shipped = "random"',
        '+ key = "ida"',
        '+ folder = ".."',
        '+ command = ["{python}"]',
        "+ files = []",
    ]
    [ada] = [bot for bot in read_asked(folder).bots if bot.name == "ada"]
    assert (ada.name, ada.key, ada.command) == ("ada", "ida", ("{python}",))


def test_the_ends_of_lines_and_a_byte_order_mark_stay(folder: Path) -> None:
    mark = "\ufeff"
    before = mark + FILE.replace("\n", "\r\n")
    (folder / "league.toml").write_bytes(before.encode())
    add_bot(folder, {"name": "dan", "shipped": "turtle"})
    set_keys(folder, "ada", {"key": "ida"})
    assert text(folder).startswith(mark + "# The spring cup.")
    assert text(folder).count("\n") == text(folder).count("\r\n") == before.count("\n") + 5


def test_headers_within_text_are_none(folder: Path) -> None:
    odd = FILE.replace(
        '"random"\n# handed', '"random"\nfiles = [\n"""\n[[bot]]\n# x""",\n]\n# handed'
    )
    (folder / "league.toml").write_text(odd)
    remove_bots(folder, "bob")
    set_keys(folder, "ada", {"key": "ida"})
    assert set(changes(folder, odd)) == {
        '+ key = "ida"',
        *("- # Bob", "- [[bot]]", "- name    = 'bob'", '- shipped = "rusher"', "-"),
    }


def test_a_mistake_leaves_the_file_as_it_was(folder: Path, golden: Golden) -> None:
    def state() -> tuple[object, ...]:
        found = (folder / "league.toml").stat()
        return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, files(folder)

    before = state()
    for edit_it in (
        lambda: add_bot(folder, {"name": "bob", "shipped": "turtle"}),
        lambda: add_bot(folder, {"name": "x", "shipped": "tortle"}),
        lambda: add_bot(folder, {"name": " ", "shipped": "random"}),
        lambda: replace_bot(folder, "bob", {"folder": "gone"}),
        lambda: remove_bots(folder, "bib"),
        lambda: set_keys(folder, "bob", {"filse": []}),
        lambda: set_keys(folder, "bob", {"folder": 3}),
        lambda: set_keys(folder, "bob", {"key": "\ud800"}),
    ):
        golden(refused(edit_it))  # without a line of a text that nobody sees
        assert state() == before
    (folder / "league.toml").write_text(FILE.replace("deals ", "dels "))
    assert "league.toml:4: there is no key 'dels'" in refused(lambda: remove_bots(folder, "ada"))
    line = 'bot = [{name = "ada", shipped = "random"}]\n'
    (folder / "league.toml").write_text(line + 'game = "guerra"\nseed = 1\n')
    with pytest.raises(ArenaError, match="only bots that are tables of their own"):
        remove_bots(folder, "ada")


def test_the_mode_of_the_file_stays_and_a_link_is_followed(folder: Path, tmp_path: Path) -> None:
    real = (folder / "league.toml").rename(tmp_path / "spring.toml")
    real.chmod(0o640)
    (folder / "league.toml").symlink_to(real)
    remove_bots(folder, "ada")
    assert (folder / "league.toml").is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert "# Ada" not in real.read_text()
    assert files(tmp_path) == ["cup", "spring.toml"]


def test_a_file_that_may_not_be_written_stays_as_it_was(folder: Path, public: Path) -> None:
    (public / "league.toml").write_text(FILE)
    public.chmod(0o555)  # which holds for whoever owns it too, unless that is root
    with ordinary_user(), pytest.raises(ArenaError, match=r"league\.toml cannot be written: Perm"):
        remove_bots(public, "ada")
    public.chmod(0o755)
    assert text(public) == FILE
    with files_no_larger_than(100), pytest.raises(ArenaError, match="cannot be written"):
        add_bot(folder, {"name": "dan", "shipped": "turtle"})
    assert text(folder) == FILE
    assert files(folder) == ["league.toml"]


def test_a_command_waits_for_another_and_changes_what_that_has_left(folder: Path) -> None:
    words = [sys.executable, "-c", "import sys; from pathlib import Path; from arena.league.edit "]
    words[-1] += (
        "import remove_bots; print('go', flush=True); remove_bots(Path(sys.argv[1]), 'ada')"
    )
    file = folder / "league.toml"
    with file.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with subprocess.Popen([*words, str(folder)], stdout=subprocess.PIPE) as waiting:
            assert waiting.stdout
            assert waiting.stdout.readline() == b"go\n"
            inode = file.stat().st_ino
            until(lambda: f"-> FLOCK  ADVISORY  WRITE {waiting.pid} " in waits(inode), 10)
            new = folder / "new"
            new.write_text(FILE.replace("deals   =    3", "deals = 7"))
            new.replace(file)
            fcntl.flock(held, fcntl.LOCK_UN)
        assert waiting.returncode == 0
    plan = read_asked(folder)
    assert (plan.settings.deals, names(plan)) == (7, ["bob", "eve"])


def waits(inode: int) -> str:
    """Return the lines of the kernel's table of locks that are about a file."""
    lines = Path("/proc/locks").read_text().splitlines()
    return "\n".join(line for line in lines if f":{inode} " in line)


def test_what_an_editor_saves_meanwhile_is_not_lost(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, file = edit.read_text, folder / "league.toml"

    def edited(*words: object) -> LeaguePlan:
        monkeypatch.setattr(edit, "read_text", read)
        file.write_text(FILE.replace("deals   =    3", "deals = 7"))
        return read(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(edit, "read_text", edited)
    plan = remove_bots(folder, "ada")
    assert (plan.settings.deals, names(plan)) == (7, ["bob", "eve"])
    assert read_asked(folder).settings.deals == 7
