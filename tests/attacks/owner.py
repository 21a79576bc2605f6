"""A referee that is there to be killed: `owner SANDBOX FOLDER ACT TOKEN` starts a bot and waits."""

import json
import os
import select
import sys
import time
from pathlib import Path

from arena.league.bot import make_bot
from referee.sandbox import PYTHON, Launcher
from tests.attacks.settings import limits


def main() -> None:
    """Start the bot, tell what there is of it, and wait for the end."""
    sandbox, folder, act, token = sys.argv[1:]
    launcher = Launcher(sandbox)
    words = (PYTHON, "-S", "-E", "outliving.py", act, token)
    bot = make_bot("hostile", Path(folder), words, ["."])
    child = launcher.start(bot.program, limits(sandbox))
    os.write(child.stdin, b"{}\n")
    said = b""
    while b"done\n" not in said and select.select([child.stdout], [], [], 10)[0]:
        if not (piece := os.read(child.stdout, 4096)):
            break
        said += piece
    told = {"server": launcher._server.pid, "stage": launcher.folder or ""}
    sys.stdout.write(json.dumps({**told, "said": said.decode()}) + "\n")
    sys.stdout.flush()
    time.sleep(60)


if __name__ == "__main__":
    main()
