"""A folder of hand-ins: what is in it becomes bots, or is told why not; and attacks by authors."""

import errno
import os
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.author.new import TEMPLATES, languages
from arena.handin import gather
from arena.handin.gather import Gathering, Workplace, gathered
from arena.handin.programs import kit_of
from arena.league.bot import Bot
from arena.organize import copying
from protocol.errors import ArenaError, RunError
from referee.catalog.loading import find_game

PLAIN = "import kit\nkit.run(lambda ask: ask.legal[0])\n"
KIT = TEMPLATES / "python" / "kit.py"
Gather = Callable[..., Gathering]


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


@pytest.fixture
def found(tmp_path: Path) -> Iterator[Gather]:
    game = find_game("guerra")
    (tmp_path / "cup").mkdir()
    with Workplace(tmp_path / "cup") as place:
        yield lambda *words: gathered([str(word) for word in words], game, place)
    assert list((tmp_path / "cup").iterdir()) == []


def refusals(found: Gathering) -> dict[str, str]:
    """Return why each bot cannot be run that cannot."""
    return {each.name: str(each.bot) for each in found.bots if isinstance(each.bot, ArenaError)}


def bots(found: Gathering) -> dict[str, Bot]:
    return {each.name: each.bot for each in found.bots if isinstance(each.bot, Bot)}


def test_programs_folders_and_archives_lie_mixed_in_one_folder(inbox: Path, found: Gather) -> None:
    (inbox / "ada.py").write_text(PLAIN)
    (inbox / "Bea.PY").write_bytes(b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode())
    (inbox / "cyd" / "deep" / "deeper").mkdir(parents=True)
    (inbox / "cyd" / "deep" / "deeper" / "cyd.py").write_text(PLAIN)
    (inbox / "cyd" / ".DS_Store").touch()
    with zipfile.ZipFile(inbox / "dan.zip", "w") as archive:
        archive.writestr("bot/dan.py", PLAIN)
        archive.writestr("__MACOSX/bot/._dan.py", "junk")
    with tarfile.open(inbox / "eve.tar.gz", "w:gz") as tar:
        tar.add(inbox / "ada.py", "eve.py")
    for language in ("java", "rust", "shell"):
        kind = languages()[language]
        shutil.copy(
            TEMPLATES / language / kind.bot, inbox / f"in_{language}{Path(kind.bot).suffix}"
        )
    (inbox / "old").mkdir()
    (inbox / "old" / "bot.toml").write_text('command = ["{python}", "x.py"]\nname = "ada"\n')
    (inbox / "old" / "x.py").write_text(PLAIN)
    for name in (".DS_Store", "Thumbs.db", "ada.py~", "README.md", "Bot.class"):
        (inbox / name).write_text(PLAIN)
    shutil.copy(KIT, inbox)
    gathering = found(inbox)
    assert refusals(gathering) == {}
    assert [*bots(gathering)] == [
        *("Bea", "ada", "cyd", "dan", "eve", "in_java", "in_rust", "in_shell", "old")
    ]
    same = {bots(gathering)[name].digest for name in ("ada", "cyd", "dan", "eve")}
    assert len(same) == 1
    assert bots(gathering)["ada"].files == ("bot.py", "kit.py")
    assert bots(gathering)["in_rust"].build == ("make",)
    assert bots(gathering)["old"].folder == inbox / "old"  # it stays where it is
    assert gathering.passed_over == [
        *(".DS_Store", "Bot.class", "README.md", "Thumbs.db", "ada.py~", "kit.py (the kit)")
    ]


def test_what_is_no_program_is_told_with_what_to_do(inbox: Path, found: Gather) -> None:
    for name in ("a.docx", "b.ipynb", "c.py.txt", "d.hs", "e.rar", "f.zip"):
        (inbox / name).write_text("no program")
    (inbox / "g").mkdir()
    for name in ("one.py", "two.py"):
        (inbox / "g" / name).write_text(PLAIN)
    (inbox / "h").mkdir()
    (inbox / "i").mkdir()
    (inbox / "i" / "Bot.toml").write_text('command = ["./x"]\n')
    with zipfile.ZipFile(inbox / "j.zip", "w") as archive:
        archive.writestr("inner.zip", "")
    said = refusals(found(inbox))
    expected = {
        "a": "no program: hand in the program",
        "b": "a notebook, which cannot be run: save it",
        "c.py": "is a text",
        "d": "language that is not built by itself: put a bot.toml",
        "e": "e.rar",
        "f": "'f.zip' is no zip",
        "g": "several programs (one.py, two.py)",
        "h": "it is empty",
        "i": "it has no bot.toml, but Bot.toml: call that",
        "j": "an archive in an archive",
    }
    assert said.keys() == expected.keys()
    for name, words in expected.items():
        assert words in said[name]


@pytest.mark.parametrize("main", ["bot.py", "main.py"])
def test_of_several_programs_the_one_called_as_usual_is_run(
    inbox: Path, found: Gather, main: str
) -> None:
    for name in (main, "helper.py", "table.json"):
        (inbox / "ada" / name).parent.mkdir(exist_ok=True)
        (inbox / "ada" / name).write_text(PLAIN)
    bot = bots(found(inbox))["ada"]
    assert bot.command == ("{python}", "bot.py")
    assert {"bot.py", "helper.py", "kit.py", "table.json"} <= {*bot.files}


def test_files_of_a_learning_platform_are_sorted_by_their_authors(
    inbox: Path, found: Gather
) -> None:
    for number, own in ((11, "bot.py"), (11, "kit.py"), (22, "my bot.py"), (33, "x.py")):
        who = "Ann Lee" if number != 22 else "Bo Ek"
        text = KIT.read_text() if own == "kit.py" else f"{PLAIN}# {number}\n"
        (inbox / f"{who}_{number}_assignsubmission_file_{own}").write_text(text)
    (inbox / "Cy Ng_44_assignsubmission_file").mkdir()
    (inbox / "Cy Ng_44_assignsubmission_file" / "bot.py").write_text(PLAIN)
    (inbox / "doejane_LATE_123_456_bot-1.py").write_text(PLAIN)
    gathering = found(inbox)
    assert refusals(gathering) == {}
    assert sorted(bots(gathering)) == ["Ann_Lee_11", "Ann_Lee_33", "Bo_Ek", "Cy_Ng", "doejane"]
    assert gathering.people["Ann Lee"] == ["Ann_Lee_11", "Ann_Lee_33"]


def test_one_archive_of_a_platform_is_a_class_and_an_authors_is_not(
    tmp_path: Path, found: Gather
) -> None:
    whole = tmp_path / "cs1-Bots-42.zip"
    with zipfile.ZipFile(whole, "w") as archive:
        for name in (
            "Ann Lee_11_assignsubmission_file_/bot.py",
            "Bo Ek_22_assignsubmission_file_x.py",
        ):
            archive.writestr(name, PLAIN)
    gathering = found(whole)
    assert sorted(bots(gathering)) == ["Ann_Lee", "Bo_Ek"]
    assert {each.place for each in gathering.bots} == {
        f"{whole}/Ann Lee_11_assignsubmission_file_",
        f"{whole}/Bo Ek_22_assignsubmission_file_x.py",
    }
    one = shutil.copy(whole, tmp_path / "Mal Lory_66_assignsubmission_file_x.zip")
    assert [*bots(found(one))] == ["Mal_Lory_66_assignsubmission_file_x"]
    assert [*bots(found(f"mine={whole}"))] == ["mine"]


def test_our_kit_is_known_by_what_it_is_in_every_language(tmp_path: Path) -> None:
    for name, language in languages().items():
        kit = (TEMPLATES / name / language.kit).read_bytes()
        other = tmp_path / f"other{Path(language.kit).suffix}"
        other.write_bytes(b"\xef\xbb\xbf" + kit.replace(b"\n", b"\r\n"))
        assert kit_of(other) == language.kit
        other.write_bytes(kit + b"/* more */\n")
        assert kit_of(other) == ""


# --- what an author may try who is losing


def test_no_author_changes_others_programs_by_a_kit(inbox: Path, found: Gather) -> None:
    (inbox / "ada.py").write_text(PLAIN)
    (inbox / "kit.py").write_text("import os\nos._exit(1)\n")
    gathering = found(inbox)
    assert (bots(gathering)["ada"].folder / "kit.py").read_bytes() == KIT.read_bytes()
    assert "called as the kit is, and is another file" in refusals(gathering)["kit"]


def test_links_pipes_and_huge_files_are_told_and_keep_nobody_out(
    inbox: Path, found: Gather, monkeypatch: pytest.MonkeyPatch
) -> None:
    (inbox / "ada.py").write_text(PLAIN)
    (inbox / "etc.py").symlink_to("/etc/passwd")
    (inbox / "home").symlink_to(inbox.parent)
    (inbox / "loop.py").symlink_to("loop.py")
    os.mkfifo(inbox / "pipe.py")
    (inbox / "in").mkdir()
    os.mkfifo(inbox / "in" / "bot.py")
    (inbox / "out").mkdir()
    (inbox / "out" / "bot.py").symlink_to("/etc/passwd")
    (inbox / "down").mkdir()
    (inbox / "down" / "deeper").symlink_to("/etc")
    with (inbox / "huge.py").open("wb") as file:
        file.truncate(1 << 40)
    with zipfile.ZipFile(inbox / "up.zip", "w") as archive:
        archive.writestr("../ada.py", "import os\n")
    gathering = found(inbox)
    assert [*bots(gathering)] == ["ada"]
    said = refusals(gathering)
    assert said.keys() == {*("etc", "home", "loop", "pipe", "in", "out", "down", "huge", "up")}
    assert "leads out of its folder" in said["up"]
    assert (inbox / "ada.py").read_text() == PLAIN
    monkeypatch.setattr(gather, "MOST", 5)
    with pytest.raises(ArenaError, match="has more than 5 files"):
        found(inbox)


def test_no_name_breaks_a_line_or_takes_anothers(inbox: Path, found: Gather) -> None:
    names = ["-x.py", "a\nb.py", "\x1b[31mred.py", "..py", "ü" * 120 + ".py", "a=b.py", "ada.zip"]
    for name in names[:-1]:
        (inbox / name).write_text(PLAIN)
    with zipfile.ZipFile(inbox / names[-1], "w") as archive:
        archive.writestr("bot.py", PLAIN)
    (inbox / "zoe").mkdir()
    (inbox / "zoe" / "bot.toml").write_text('name = "ada"\ncommand = ["{python}", "b.py"]\n')
    (inbox / "zoe" / "b.py").write_text(PLAIN)
    called = [each.name for each in found(inbox).bots]
    assert sorted(called) == ["31mred", "a_b", "a_b", "ada", "x", "zoe", "ü" * 40]
    assert found(inbox).passed_over == ["..py"]


def test_a_full_disk_is_no_fault_of_an_author(
    inbox: Path, found: Gather, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_words: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (inbox / "ada.py").write_text(PLAIN)
    for place, name in ((copying, "copy_file"), (gather, "complete")):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, full)
            with pytest.raises(RunError, match=r"cannot be written: No space left .* Free some"):
                found(inbox)


def test_what_plainly_is_no_folder_of_hand_ins_is_refused_before_it_is_looked_at(
    tmp_path: Path, inbox: Path
) -> None:
    game, league = find_game("guerra"), tmp_path / "all" / "cups" / "cup"
    told: list[str] = []
    league.mkdir(parents=True)
    (inbox / "ada.py").write_text(PLAIN)
    (tmp_path / "link").symlink_to("/etc")
    with Workplace(league) as room:
        for place in ("/", "/etc", "/etc/ssl", tmp_path / "link", tmp_path):
            with pytest.raises(ArenaError, match="Nothing in it was copied or run"):
                gathered([str(place)], game, room, told.append)
        assert told == []
        assert [each.name for each in gathered([str(inbox)], game, room, told.append).bots]
        assert told == [f"looking at {inbox}/ada.py"]
        assert gathered([str(league.parent)], game, room).bots  # in which others may lie beside it
    assert list(league.iterdir()) == []
