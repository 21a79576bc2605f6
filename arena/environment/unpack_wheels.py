"""Unpacks wheels as an environment has them: a program of its own, run where it can do no harm.

    python -I -S -c UNPACK_WHEELS lib/python3.11/site-packages

It runs in a folder of wheels, and leaves the files of all of them in place of them. Nothing of what
is in a wheel is executed: Python's files are compiled, as pip does it. It exits with 3, and one
line that says why, for what no wheel may hold.

Scripts and headers are left out: a bot starts no other program. A wheel may put other files, such
as libraries in C, beside those of its modules, but none in the place of the environment's own.
"""

import compileall
import os
import py_compile
import stat
import sys
import zipfile

REFUSED = 3
"""What it exits with if it refuses something."""
_PIECE = 1 << 20
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BESIDE = ("etc", "include", "lib", "share")
"""Where a wheel may put files outside of the folder of modules."""


class RefusedWheelError(Exception):
    """What is refused."""


def target(name: str, site: str) -> str:
    """Return where a file of a wheel is put; empty if it is left out."""
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or any(part in ("", ".", "..") for part in parts):
        raise RefusedWheelError(f"it holds {name!a}, which would lie outside of its folder")
    if not name.isprintable():
        raise RefusedWheelError(f"it holds {name!a}, which is no name that can be shown")
    if not parts[0].endswith(".data"):
        return f"{site}/{name}"
    if len(parts) < 3 or parts[1] not in ("purelib", "platlib", "data"):
        return ""
    rest = "/".join(parts[2:])
    if parts[1] != "data":
        return f"{site}/{rest}"
    if rest.startswith(os.path.dirname(site)):
        raise RefusedWheelError(f"it holds {name}, in the place of a file of the environment")
    return rest if parts[2] in _BESIDE and len(parts) > 3 else ""


def unpack(path: str, site: str) -> None:
    """Unpack one wheel."""
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            if entry.is_dir():
                continue
            mode = entry.external_attr >> 16
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                raise RefusedWheelError(f"it holds {entry.filename!a}, which is no plain file")
            if entry.compress_type not in _PACKED:
                raise RefusedWheelError("it is packed in a way that wheels are not")
            place = target(entry.filename, site)
            if not place:
                continue
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with archive.open(entry) as source, open(place, "wb") as copy:
                while piece := source.read(_PIECE):
                    copy.write(piece)
            os.chmod(place, 0o700 if mode & 0o111 else 0o600)


def main(site: str) -> int:
    """Unpack all wheels here; return what to exit with."""
    os.makedirs(site)
    for name in sorted(os.listdir(".")):
        if name.endswith(".whl"):
            try:
                unpack(name, site)
            except RefusedWheelError as error:
                print(f"{name} is refused: {error}")
                return REFUSED
            except (zipfile.BadZipFile, OSError, ValueError, EOFError, RuntimeError) as error:
                print(f"{name} cannot be unpacked: {error}")  # RuntimeError if it is encrypted
                return REFUSED
            os.unlink(name)
    compileall.compile_dir(
        site,
        maxlevels=60,
        quiet=2,
        force=True,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
