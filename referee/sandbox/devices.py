"""The devices that a bot may be granted: a GPU of NVIDIA's, of which each launcher claims one.

What a program needs of it was found by running one on an H200, driver 580: the files of the
device, the driver's libraries, a /proc in which its threads can be named, unix sockets that it
alone can reach, and shared memory (`seccomp.build` says of the last two what they cost).
"""

import os
import re
import socket
import stat
import subprocess
from functools import cache
from itertools import count
from pathlib import Path

from referee.sandbox.errors import MachineError, SandboxError

_DEVICES = "/dev"
_FOR_ALL = ("nvidiactl", "nvidia-uvm")
"""What all of NVIDIA's GPUs share: to ask for one, and for memory that both sides see."""
_LIBRARY = "libcuda.so.1"
_LDCONFIG = "/sbin/ldconfig"
_GONE = "{}, a device that bots may use, is gone. See whether nvidia-smi works, and run again."
_CLAIM = "\0bot-arena-gpu-{}-{}"  # an abstract socket, which goes with its owner


def gpus() -> list[str]:
    """Return the paths of the GPUs here, in order; empty if there are none."""
    names = [name for name in os.listdir(_DEVICES) if re.fullmatch(r"nvidia\d+", name)]
    return [f"{_DEVICES}/{name}" for name in sorted(names, key=lambda name: int(name[6:]))]


class Devices:
    """What a launcher lets through to the bots that have devices: one GPU, the same for all."""

    def __init__(self) -> None:
        self._gpu = ""
        self._claim: socket.socket | None = None

    def files(self) -> list[str]:
        """Return the files of the GPU; raise MachineError if it is gone.

        At first it is chosen: of those here, one that as few as possible use.
        """
        if self._claim is None:
            self._gpu, self._claim = _claimed(gpus())
        found = [*_for_all(), self._gpu]
        for path in found:
            if not os.path.exists(path):
                raise MachineError(_GONE.format(path))
        return found

    def close(self) -> None:
        """Leave the GPU to others."""
        if self._claim is not None:
            self._claim.close()
        self._claim = None


def _claimed(found: list[str]) -> tuple[str, socket.socket]:
    """Return the first GPU that nobody has claimed, or as few as possible, and the claim to it."""
    for others in count() if found else ():
        for gpu in found:
            claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                claim.bind(_CLAIM.format(os.path.basename(gpu), others))
            except OSError:
                claim.close()
            else:
                return gpu, claim
    raise MachineError(_GONE.format(f"{_DEVICES}/nvidia0"))


def check_devices(uid: int | None) -> None:
    """Raise SandboxError unless there is a GPU here that a user can use, and its libraries."""
    found = [*_for_all(), *gpus()]
    if not gpus():
        found.append(f"{_DEVICES}/nvidia0")
    for path in found:
        if why := _unusable(path, uid):
            raise SandboxError(f"no GPU can be used: {why}", "device")
    libraries()


def _for_all() -> list[str]:
    return [f"{_DEVICES}/{name}" for name in _FOR_ALL]


def _unusable(path: str, uid: int | None) -> str:
    """Return why a device cannot be used, and what to do about it; empty if it can."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        do = (
            "`nvidia-modprobe -u -c 0` makes it, as root"
            if path.endswith("uvm")
            else "If this machine has a GPU of NVIDIA's, load its driver (see nvidia-smi)"
        )
        return f"there is no {path} here. {do}, or play where there is one."
    everybody = stat.S_IROTH | stat.S_IWOTH
    if mode & everybody == everybody or (uid is None and os.access(path, os.R_OK | os.W_OK)):
        return ""
    who = "you may not" if uid is None else f"bots, which run as uid {uid} and on, may not"
    return f"{who} open {path}. Open it to all: chmod 666 {path}."


@cache
def libraries() -> str:
    """Return the folder of the driver's libraries if it must be named to the linker, or shown.

    Empty if programs in a sandbox find them by themselves. Raises SandboxError if they are nowhere.
    """
    known = re.findall(rf"{re.escape(_LIBRARY)} \(libc6,x86-64.*?=> (\S+)", _known_to_linker())
    searched = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    named = [f"{folder}/{_LIBRARY}" for folder in searched]
    for path in [*known, *filter(os.path.isabs, named)]:
        if os.path.exists(path):
            folder = str(Path(path).parent)
            return "" if path in known and _is_of_system(folder) else folder
    raise SandboxError(
        f"no GPU can be used: {_LIBRARY} is not here, which neither the linker knows (ldconfig -p) "
        f"nor LD_LIBRARY_PATH leads to. Install the libraries of NVIDIA's driver.",
        "device",
    )


def _known_to_linker() -> str:
    if not os.path.exists(_LDCONFIG):
        return ""
    return subprocess.run([_LDCONFIG, "-p"], capture_output=True, text=True, check=False).stdout


def _is_of_system(folder: str) -> bool:
    return os.path.realpath(folder).startswith(("/usr/", "/lib"))
