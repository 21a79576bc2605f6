"""Bots on their way: what is packed comes out the same, and what does not is refused."""

import hashlib
import os
import stat
import subprocess
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import msgspec
import pytest

from arena.league.bot import Bot, make_bot
from arena.play.cluster import bundle
from arena.play.cluster.arrivals import Arrivals
from arena.play.cluster.bundle import Bundle, Manifest, files_of, manifest_of
from arena.play.cluster.sending import Lacking, Piece, SentFile, SentFiles
from protocol.errors import ArenaError, RunError
from referee.sandbox import MachineError
from referee.sandbox.by_hash import Content
from tests.arena.conftest import files_no_larger_than, ordinary_user

RUNNABLE = b"#!/bin/sh\necho hello\n"


@pytest.fixture
def folder(public: Path) -> Path:
    """The folder of a bot: a program, a nested file, and what stays at home."""
    folder = public / "bot"
    (folder / "lib" / "deep").mkdir(parents=True)
    (folder / "bot").write_bytes(RUNNABLE)
    (folder / "bot").chmod(0o755)
    (folder / "lib" / "deep" / "book.txt").write_text("openings")
    (folder / ".secret").write_text("a password")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "bot.pyc").write_text("compiled")
    (folder / "league.toml").write_text("a league's")
    return folder


@pytest.fixture
def base(public: Path) -> Path:
    """Where bundles are unpacked; everybody may write there."""
    base = public / "base"
    base.mkdir()
    base.chmod(0o777)
    arriving(base).mkdir()
    arriving(base).chmod(0o777)
    return base


def arriving(base: Path) -> Path:
    return base.with_name("arriving")


def a_bot(folder: Path, *files: str) -> Bot:
    return make_bot("mine", folder, ("./bot",), files or ["."])


def sent(bot: Bot, base: Path) -> Path:
    arrived(files := files_of(bot), base)
    unpack(Bundle(manifest_of(bot), files.files), base)
    return base / bot.version


def arrived(files: SentFiles, base: Path) -> None:
    there = Arrivals(arriving(base))
    for load in files.loads(there.lacking([file.content for file in files.files])):
        assert there.add(load)


def unpack(sent: Bundle, base: Path) -> None:
    bundle.unpack_bot(msgspec.msgpack.encode(sent), base, Arrivals(arriving(base)))


def changed(bot: Bot, base: Path, *files: tuple[bytes, bytes]) -> None:
    """Unpack a bot with other files than its own: their paths, and what is in them."""
    there = Arrivals(arriving(base))
    sent = []
    for path, data in files:
        content = Content(hashlib.sha256(data).hexdigest(), len(data), is_executable=True)
        assert there.add([Piece(content, 0, data)])
        sent.append(SentFile(path, content))
    unpack(Bundle(manifest_of(bot), sent), base)


@pytest.fixture(params=[nullcontext, ordinary_user], ids=["ourselves", "an ordinary user"])
def somebody(request: pytest.FixtureRequest, folder: Path, base: Path) -> Iterator[None]:
    """Be root, if we are, and an ordinary user, to whom the modes of files apply."""
    with request.param():
        yield


def test_a_bot_arrives_as_it_was(folder, base):
    name = "caf\xe9\n\x1b[31m"
    (folder / name).write_text("odd")
    (folder / "again").symlink_to("bot")
    (folder / "nothing").touch()
    (folder / "much").write_bytes(content := os.urandom(3 << 20))
    bot = a_bot(folder)
    there = sent(bot, base)
    assert bundle.unpacked(manifest_of(bot), base) == Bot("mine", there, ("./bot",), bot.files)
    assert name in bot.files
    assert (there / name).read_text() == "odd"
    assert (there / "lib" / "deep" / "book.txt").read_text() == "openings"
    assert (there / "nothing").read_bytes() == b""
    assert (there / "much").read_bytes() == content
    assert not (there / "again").is_symlink()
    assert (there / "again").read_bytes() == RUNNABLE
    assert subprocess.check_output([there / "bot"], text=True) == "hello\n"
    assert not (there / "lib" / "deep" / "book.txt").stat().st_mode & 0o111


def test_hidden_and_unnamed_files_stay_at_home(folder, base):
    names = ("bot", "lib/deep/book.txt")
    assert files_in(sent(a_bot(folder), base)) == [*names]
    assert files_in(sent(a_bot(folder, "bot"), base)) == ["bot"]
    nothing = make_bot("true", folder, ("true",), [])
    assert (files_in(sent(nothing, base)), bundle.unpacked(manifest_of(nothing), base).files) == (
        [],
        (),
    )
    secret = a_bot(folder, "bot", ".secret")
    assert files_in(sent(secret, base)) == [".secret", "bot"]  # its author named it
    for bot in (a_bot(folder), a_bot(folder, "bot")):
        pieces = [*files_of(bot).loads(Lacking(n, 0) for n in range(len(bot.files)))]
        assert {piece.data for load in pieces for piece in load} <= {RUNNABLE, b"openings"}


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_bots_of_the_same_files_share_them_and_keep_them_when_they_arrive_again(folder, base):
    """As when two runs with the same bot meet a new Dask worker at the same time."""
    one, two = a_bot(folder), make_bot("other", folder, ("./bot",), ["."])
    there = sent(one, base)
    before = (there / "bot").stat().st_ino
    assert sent(two, base) == there
    assert (there / "bot").stat().st_ino == before
    assert [bundle.unpacked(manifest_of(bot), base).name for bot in (one, two)] == ["mine", "other"]


@pytest.mark.usefixtures("somebody")
def test_nobody_may_change_what_arrived(folder, base):
    bot = a_bot(folder)
    there = sent(bot, base)
    assert sent(bot, base) == there
    for path in (there, *there.rglob("*")):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o222
        assert path.stat().st_mode & 0o444 == 0o444
    if os.geteuid() != 0:
        with pytest.raises(PermissionError):
            (there / "bot").write_text("another")
        with pytest.raises(PermissionError):
            (there / "more").touch()
    bundle.discard(there)
    assert not there.exists()


def test_a_bot_whose_files_are_gone_or_others_than_when_it_was_entered_is_refused(folder, base):
    bot = a_bot(folder)
    assert bot.version
    (folder / "bot").write_text("another")
    with pytest.raises(RunError, match=r"^bot 'mine': what arrived is not what was sent"):
        sent(bot, base)
    (folder / "bot").unlink()
    with pytest.raises(ArenaError, match=r"^bot 'mine': .*/bot cannot be read: No such file"):
        files_of(bot)
    assert list(base.iterdir()) == []


@pytest.mark.parametrize(
    "files",
    [
        {b"bot": b"damaged"},
        {b"another": RUNNABLE},
        {b"bot": RUNNABLE, b"more": RUNNABLE},
        {b"bot": RUNNABLE, b"bot/inside": RUNNABLE},
        {},
        *({b"bot": RUNNABLE, path: RUNNABLE} for path in (b"../out", b"lib/../../out", b"..", b"")),
        *({b"bot": RUNNABLE, path: RUNNABLE} for path in (b"lib/../out", b"/tmp/arena-out")),
    ],
    ids=str,
)
@pytest.mark.usefixtures("somebody")
def test_a_bundle_that_was_damaged_on_its_way_or_leads_outside_is_refused(folder, base, files):
    with pytest.raises(RunError):
        changed(a_bot(folder, "bot"), base, *files.items())
    assert list(base.iterdir()) == []
    assert not Path("/tmp/arena-out").exists()


def test_a_file_that_arrives_twice_is_refused(folder, base):
    with pytest.raises(RunError, match="are both called"):
        changed(a_bot(folder, "bot"), base, *[(b"bot", RUNNABLE)] * 2)
    assert list(base.iterdir()) == []


def test_half_a_bundle_and_a_version_that_is_none_are_refused(folder, base):
    """A version is the name of the folder."""
    bot = a_bot(folder, "bot")
    arrived(files := files_of(bot), base)
    data = msgspec.msgpack.encode(Bundle(manifest_of(bot), files.files))
    for cut in (0, 1, 20, -1):
        with pytest.raises(RunError, match="is not whole"):
            bundle.unpack_bot(data[:cut], base, Arrivals(arriving(base)))
    assert list(base.iterdir()) == []
    (base / "others").mkdir()
    for version in ("..", ".", "", "../out", "/tmp/arena-out", "0123"):
        with pytest.raises(RunError):
            unpack(Bundle(Manifest("mine", [b"./bot"], version), []), base)
    assert [path.name for path in base.iterdir()] == ["others"]


HARM = {
    "changed": lambda there: (there / "bot").write_text("another"),
    "added": lambda there: (there / "more").touch(),
    "removed": lambda there: (there / "bot").unlink(),
    "hidden": lambda there: (there / ".more").touch(),
}


@pytest.mark.parametrize("harm", HARM)
def test_what_changes_where_it_arrived_is_noticed_and_mended_when_it_arrives_again(
    folder, base, harm
):
    bot = a_bot(folder)
    with pytest.raises(RunError):  # as it was never sent
        bundle.unpacked(manifest_of(bot), base)
    there = sent(bot, base)
    for path in (there, there / "bot"):
        path.chmod(0o755)
    HARM[harm](there)
    with pytest.raises(RunError, match=r"^bot 'mine': .* is not what was sent"):
        bundle.unpacked(manifest_of(bot), base)
    sent(bot, base)
    assert (there / "bot").read_bytes() == RUNNABLE
    assert bundle.unpacked(manifest_of(bot), base).version == bot.version


def test_a_disk_that_is_full_is_told_and_nothing_is_left(folder, base):
    (folder / "much").write_bytes(bytes(1 << 20))
    bot = a_bot(folder)
    with files_no_larger_than(1 << 16), pytest.raises(MachineError, match="too large"):
        sent(bot, base)
    assert [*base.iterdir()] == []
    assert all(path.stat().st_size <= 1 << 16 for path in arriving(base).iterdir())
    assert not [path for path in arriving(base).iterdir() if path.name.startswith(".")]
    arrived(files := files_of(bot), base)
    with files_no_larger_than(1 << 16), pytest.raises(OSError, match="too large"):
        unpack(Bundle(manifest_of(bot), files.files), base)
    assert [*base.iterdir()] == []
