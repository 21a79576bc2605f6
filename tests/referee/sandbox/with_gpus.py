"""Run where there are GPUs: what a bot can do that was granted one, and what is said of them.

    python -m tests.referee.sandbox.with_gpus ACT FOLDER

Each line that it prints is a JSON object. It is the bot's program too.
"""

import ctypes
import json
import mmap
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

SAID: dict[str, str] = {}


def tried(what: str, act: Callable[[], object]) -> None:
    try:
        act()
        SAID[what] = "done"
    except OSError as error:
        SAID[what] = type(error).__name__


def written(path: str, *, text: str = "") -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        if text:
            os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def bot() -> None:
    for name in ("nvidiactl", "nvidia-uvm", "nvidia0", "nvidia1", "zero", "kmsg"):
        path = f"/dev/{name}"
        tried(f"open {name}", lambda path=path: os.close(os.open(path, os.O_RDWR)))
    tried("load the library", lambda: ctypes.CDLL("libcuda.so.1"))
    tried("name a thread", lambda: written(f"/proc/self/task/{os.getpid()}/comm", text="me"))
    tried("a unix socket", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).close())
    tried("a datagram socket", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).close())
    tried("the network", lambda: socket.socket(socket.AF_INET).close())
    tried("shared memory", lambda: mmap.mmap(-1, 1 << 20).close())
    tried("write to /proc/sys", lambda: written("/proc/sys/kernel/ns_last_pid"))
    tried("write to /proc/pressure", lambda: written("/proc/pressure/cpu"))
    sys.stdout.write(json.dumps(SAID) + "\n")


def main(act: str, folder: str) -> None:
    from referee.limits import Limits
    from referee.sandbox import Launcher, Program, prove
    from referee.sandbox.devices import Devices

    with_gpu, without = Limits(sandbox="bwrap", devices=("nvidia",)), Limits(sandbox="bwrap")
    here = Path(folder, "bot")
    here.mkdir()
    here.chmod(0o755)
    (here / "bot.py").write_text(Path(__file__).read_text())
    program = Program(("/usr/bin/python3", "bot.py"), str(here), ("bot.py",))

    def told(launcher: Launcher, limits: Limits) -> None:
        child = launcher.start(program, limits)
        os.set_blocking(child.stdout, True)
        with os.fdopen(os.dup(child.stdout)) as said:
            print(said.readline().strip() or "nothing", flush=True)
        launcher.stop(child)

    with Launcher("bwrap") as one, Launcher("bwrap") as other:
        if act == "bots":
            prove(one, with_gpu)
            prove(one, without)
            for launcher, limits in ((one, with_gpu), (other, with_gpu), (one, without)):
                told(launcher, limits)
            return
        if act == "claims":
            devices = [Devices() for _ in range(3)]
            three = [Path(each.files()[-1]).name for each in devices]
            devices[1].close()
            again = Path(devices[1].files()[-1]).name
            for each in devices:
                each.close()
            print(json.dumps({"three": three, "again": again}))
            return
        if act == "gone":
            one.start(program, with_gpu)
        if act == "library":
            del os.environ["LD_LIBRARY_PATH"]
        else:
            path = Path("/dev/nvidia-uvm" if act == "memory" else "/dev/nvidia0")
            unmount(str(path))
            path.chmod(0o600) if act == "closed" else path.unlink()
        try:
            (one.start if act == "gone" else one.check)(program, with_gpu)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test is told
            print(json.dumps({"error": f"{type(error).__name__}: {error}"}))


def unmount(path: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.umount2(path.encode(), 0):
        raise OSError(ctypes.get_errno(), path)


if __name__ == "__main__":
    bot() if len(sys.argv) == 1 else main(*sys.argv[1:])
