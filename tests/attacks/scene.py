"""The decoys that hostile bots are let loose on: all made afresh for one attack, and removed."""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protocol.door import PORT
from referee.sandbox.big_files import BIG
from tests.referee.process_watch import state, until

PROGRAMS = Path(__file__).parent / "programs"
MESSAGE_BITS = 16
PAGES = "pages.bin"
BIG_FILE = "big.bin"
PAGE_STEP = 1 << 18
"""Bytes from one part of the large file to the next: more than is ever read ahead."""


def processes_with(word: str) -> list[tuple[int, str]]:
    """Return pid and first word of the living processes on whose command line a word stands."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if word.encode() in words and state(int(folder.name)) != "X":
                found.append((int(folder.name), words[0].decode(errors="replace")))
    return found


class Scene:
    """A home with a key, results, another bot, listeners, a terminal; and the bot's own folder."""

    def __init__(self, native: Path | None) -> None:
        self.token = f"attack-{secrets.token_hex(8)}"
        """What stands on the command line of everything that the bot starts."""
        self.secret = f"secret-{secrets.token_hex(12)}"
        """What no bot may learn."""
        self.stray = f"arena-stray-{secrets.token_hex(8)}"
        """What a bot calls the things that it leaves outside."""
        self.base = Path(tempfile.mkdtemp(prefix="arena-scene-"))
        self.base.chmod(0o755)
        self.package: Path | None = None
        """A file of an environment that the bot shares."""
        self._sockets: list[socket.socket] = []
        self.addresses: list[str] = []
        """The host's own, where a bot with a door looks for others."""
        self._descriptors: list[int] = []
        self._make_files(native)

    def _make_files(self, native: Path | None) -> None:
        self.home = self._folder("home", 0o700)
        self.data = self._folder("data")
        self.cwd = self._folder("cwd")
        self.bots = self._folder("bots")
        self.loose = self._folder("loose", 0o777)
        self.key = self._file(self.home / "id_key", 0o600)
        (self.home / self.secret).touch()
        self.results = self._file(self.data / "results.db")
        self.writable = self._file(self.loose / "writable", 0o666)
        (self.data / "pointer").symlink_to(self.secret)
        self.moment = 10**18 + secrets.randbelow(10**17)
        for path in (self.key, self.results):
            os.utime(path, ns=(self.moment, self.moment))
        self.mine = self._folder("bots/mine")
        for path in PROGRAMS.glob("*.py"):
            shutil.copy(path, self.mine)
        (self.mine / "own.txt").write_text("the bot's own")
        if native is not None:
            shutil.copy(native, self.mine / "native")
            if (narrow := native.with_name("native-32")).exists():
                shutil.copy(narrow, self.mine)
        self.other = self._folder("bots/other")
        for name in ("victim.py", "rival.py"):
            shutil.copy(PROGRAMS / name, self.other)
        self.notes = self._file(self.other / "notes.txt")
        script = self.other / "run.sh"
        script.write_text(f"#!/bin/sh\necho {self.secret}\n")
        script.chmod(0o755)

    def _folder(self, name: str, mode: int = 0o755) -> Path:
        path = self.base / name
        path.mkdir()
        path.chmod(mode)
        return path

    def _file(self, path: Path, mode: int = 0o644) -> Path:
        path.write_text(f"{self.secret}\n")
        path.chmod(mode)
        return path

    def plant_bits(self) -> None:
        """Put files into the bot's folder, one for each bit of a message."""
        for at in range(MESSAGE_BITS):
            (self.mine / f"bit{at:02}").write_text("one bit")

    def plant_pages(self) -> None:
        """Put a file into the bot's folder that is large enough to be in memory in part."""
        (self.mine / PAGES).write_bytes(b"x" * (MESSAGE_BITS * PAGE_STEP))

    def plant_packages(self) -> None:
        """Make environments as they are kept: one that the bot shares, and one of another's."""
        for name, what in (("packages", "shared"), ("packages-of-other", self.secret)):
            folder = self._folder(name)
            (folder / "module.py").write_text(f"{what}\n" * 1000)
            (folder / "module.py").chmod(0o444)
            folder.chmod(0o555)
        self.package = self.base / "packages" / "module.py"
        self.other_package = self.base / "packages-of-other" / "module.py"

    def plant_big_file(self) -> None:
        """Put a file into the bot's folder of which one copy is kept for all that have it."""
        with (self.mine / BIG_FILE).open("wb") as file:
            file.truncate(BIG)

    def plant_links(self) -> None:
        """Put links to what is not the bot's into its folder, as its author could."""
        (self.mine / "planted-key").symlink_to(self.key)
        (self.mine / "planted-results").symlink_to(self.results)
        (self.mine / "planted-data").symlink_to(self.data)

    def swap(self) -> None:
        """Put a link in the place of a file of the bot, as its author could after admission."""
        (self.mine / "own.txt").unlink()
        (self.mine / "own.txt").symlink_to(self.results)

    def listen(self) -> None:
        """Open a listener of every kind."""
        self.tcp = self._socket(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        self.udp = self._socket(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        unix = socket.AF_UNIX
        self.unix = self._socket(unix, socket.SOCK_STREAM, str(self.base / "stream"))
        self.unix_datagram = self._socket(unix, socket.SOCK_DGRAM, str(self.base / "datagram"))
        self.abstract = self._socket(unix, socket.SOCK_STREAM, f"\0{self.stray}")
        self.abstract_datagram = self._socket(unix, socket.SOCK_DGRAM, f"\0{self.stray}-datagram")
        for name in ("stream", "datagram"):
            (self.base / name).chmod(0o777)
        # Fast open puts what was sent with the first packet into the queue at once.
        with contextlib.suppress(OSError):
            self.tcp.setsockopt(socket.IPPROTO_TCP, 23, 5)

    def listen_as_endpoint(self) -> None:
        """Listen on the host at the port of every bot's endpoint, and at all its addresses.

        There is one such port: an attack that is tried beside this one is waited for.
        """

        def made() -> socket.socket | None:
            try:
                return self._socket(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PORT))
            except OSError:
                return None

        self.endpoint = until(made, seconds=30)
        self.tcp_any = self._socket(socket.AF_INET6, socket.SOCK_STREAM, ("::", 0))
        self.addresses = [words[4][0] for words in socket.getaddrinfo(socket.gethostname(), None)]

    def _socket(self, family: int, kind: int, address: Any) -> socket.socket:
        made = socket.socket(family, kind)
        if kind == socket.SOCK_STREAM and family != socket.AF_UNIX:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind(address)
        except OSError:
            made.close()
            raise
        self._sockets.append(made)
        if kind == socket.SOCK_STREAM:
            made.listen()
        made.setblocking(False)
        return made

    def heard(self, name: str) -> bool:
        """Return whether somebody has reached a listener."""
        listener: socket.socket = getattr(self, name)
        with contextlib.suppress(BlockingIOError):
            if listener.type == socket.SOCK_STREAM:
                listener.accept()[0].close()
                return True
            return self.token.encode() in listener.recv(4096)
        return False

    def open_terminal(self) -> None:
        """Open a pseudo-terminal that shows what is written and what is typed."""
        import tty

        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        self.terminal = os.ttyname(self.slave)
        for descriptor in (self.master, self.slave):
            os.set_blocking(descriptor, False)
            self._descriptors.append(descriptor)

    def terminal_holds(self, descriptor: int) -> bool:
        """Return whether the bot's word has come out at one end of the terminal."""
        with contextlib.suppress(BlockingIOError):
            return self.token.encode() in os.read(descriptor, 65536)
        return False

    def everything(self) -> list[int]:
        """Return the living processes that the bot is made of, those that wall it in included."""
        return [pid for pid, _ in processes_with(self.token)]

    def bot_processes(self) -> list[int]:
        """Return the living processes of the bot itself."""
        return [pid for pid, word in processes_with(self.token) if Path(word).name != "bwrap"]

    def strays(self) -> Iterator[Path]:
        """Yield the places outside that bots try to write, if they have."""
        for folder in ("/tmp", "/var/tmp", "/usr", "/dev/shm"):
            path = Path(folder, self.stray)
            if path.exists():
                yield path

    def facts(self) -> dict[str, Any]:
        """Return what every bot is told: where everything is, and nothing of what it holds."""
        names = ("home", "data", "cwd", "loose", "key", "results", "writable", "token", "stray")
        facts: dict[str, Any] = {name: str(getattr(self, name)) for name in names}
        facts["other"] = str(self.notes)
        facts["other_program"] = str(self.other / "run.sh")
        facts["mount_namespace"] = Path("/proc/self/ns/mnt").stat().st_ino
        facts["ipc_key"] = int(self.token[-6:], 16)
        if self.package is not None:
            facts["package"] = str(self.package)
            facts["other_package"] = str(self.other_package)
        if self._sockets:
            facts["tcp"] = self.tcp.getsockname()[1]
            facts["udp"] = self.udp.getsockname()[1]
            for name in ("unix", "unix_datagram"):
                facts[name] = getattr(self, name).getsockname()
            for name in ("abstract", "abstract_datagram"):
                facts[name] = getattr(self, name).getsockname()[1:].decode()
        if self.addresses:
            facts["addresses"] = self.addresses
            facts["tcp_any"] = self.tcp_any.getsockname()[1]
        if self._descriptors:
            facts["terminal"] = self.terminal
        return facts

    def close(self) -> None:
        """End and remove whatever is left."""
        for made in self._sockets:
            made.close()
        for descriptor in self._descriptors:
            os.close(descriptor)
        for path in self.strays():
            path.unlink()
        self._end_processes()
        with contextlib.suppress(OSError):
            unmount(self.loose)
        for folder in (self.home, self.loose):
            with contextlib.suppress(OSError):
                folder.chmod(0o700)
        shutil.rmtree(self.base, ignore_errors=True)

    def _end_processes(self) -> None:
        def ended() -> bool:
            for pid in self.everything():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            return not self.everything()

        until(ended, seconds=20)


def unmount(folder: Path) -> None:
    """Remove what a bot may have mounted over a folder; raise OSError if there is nothing."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.umount2(str(folder).encode(), 2):
        raise OSError(ctypes.get_errno(), "umount2")
