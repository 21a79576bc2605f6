"""`arena check`: the steps, what each shows when it fails, and the verdict."""

import json
import os
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.author.verdict import STEPS, Step, text
from arena.league.finding import BUNDLED
from tests.arena.conftest import Arena
from tests.golden import Golden
from tests.referee.sandbox.sandboxed import need

Bot = Callable[..., Path]
Steps = Callable[..., dict[str, dict[str, Any]]]

SHORT = ("--seconds", "0.3", "--sandbox", "none")
KIT = "import sys\nimport kit\n"
POLITE = "import os, sys, time\nimport polite\n"
RUNS, READY, WHOLE, LEGAL, QUIET, TIMELY, ALL, AGAIN, ENDS, ALIKE, USED = STEPS


@pytest.fixture
def bot(public: Path) -> Bot:
    """Make a bot called `mine` of a Python source, which may import kit and polite."""

    def make(source: str, *arguments: object) -> Path:
        folder = public / "mine"
        folder.mkdir()
        for helper in (BUNDLED / "templates/python/kit.py", BUNDLED / "naughty" / "polite.py"):
            shutil.copy(helper, folder)
        (folder / "bot.py").write_text(source)
        command = json.dumps(["{python}", "bot.py", *map(str, arguments)])
        (folder / "bot.toml").write_text(f'name = "mine"\ncommand = {command}\n')
        return folder

    return make


@pytest.fixture
def steps(arena: Arena) -> Steps:
    """Return the steps of a check by their titles; the exit code must agree with them."""

    def call(bot: object, *words: object, game: str = "steal_war") -> dict[str, dict[str, Any]]:
        result = arena("check", bot, "--game", game, *SHORT, *words, "--format", "json")
        told = json.loads(result.stdout)
        assert [step["title"] for step in told["steps"]] == list(STEPS)
        assert [step["step"] for step in told["steps"]] == list(range(1, len(STEPS) + 1))
        failed = [step for step in told["steps"] if step["state"] == "failed"]
        assert result.exit_code == len(failed) == int(not told["fit"])
        return {step["title"]: step for step in told["steps"]}

    return call


def states(steps: dict[str, dict[str, Any]], *titles: str) -> list[str]:
    return [steps[title]["state"] for title in titles]


# --- a bot that is fit


def test_a_fit_bot_passes_every_step(arena: Arena) -> None:
    need("landlock")
    words = ("--seconds", "60", "--seats", 2)
    result = arena("check", "random", "--game", "steal_war", *words)
    assert (result.exit_code, result.stderr) == (0, "")
    *lines, blank, verdict = result.stdout.splitlines()
    assert (blank, verdict) == ("", "random is fit to play steal_war.")
    for number, (line, title) in enumerate(zip(lines, STEPS, strict=True), 1):
        assert re.match(rf"{number:2}  ok         {title}(: .+)?$", line)


@pytest.mark.slow  # it plays many matches
def test_every_seat_of_every_number_of_seats_and_every_decision_is_tried(steps: Steps) -> None:
    assert steps("random", "--seconds", "60")[WHOLE]["detail"] == "54 matches of 2 to 10 seats"
    told = steps("random", game="cold_war")[ALL]  # without talk, nobody is asked to speak
    assert (told["state"], told["detail"]) == ("ok", "1 of 2; did not come up: talk")
    told = steps("random", game="tod_und_leben")  # which is only sat through
    assert states(told, WHOLE, LEGAL, TIMELY, ALL, AGAIN) == [
        *("ok", "not tried", "not tried", "ok", "ok")
    ]


@pytest.mark.slow
def test_a_check_is_the_same_again_with_the_same_seed(arena: Arena) -> None:
    words = ("check", "random", "--game", "khan", "--seats", "2", *SHORT, "--seconds", "20")
    first, again, other = (
        json.loads(arena(*words, "--seed", seed, "--format", "json").stdout)["steps"][3]["detail"]
        for seed in ("a", "a", "b")
    )
    assert first == again != other


# --- before the first match


def test_an_interpreter_that_is_not_there_fails_the_first_step(
    steps: Steps, public: Path, golden: Golden
) -> None:
    need("landlock")
    script = public / "bot"
    script.write_text("#!/no/such/sh\n")
    script.chmod(0o755)
    told = steps(script, "--sandbox", "landlock")
    assert states(told, RUNS, READY) == ["failed", "not tried"]
    assert "its interpreter /no/such/sh is not there" in told[RUNS]["detail"]
    script.write_text("echo ready\n")
    golden(steps(script)[READY]["detail"])


def test_a_program_that_dies_is_told_with_its_last_word_and_all_it_wrote(
    arena: Arena, steps: Steps, bot: Bot
) -> None:
    folder = bot("raise SystemExit('opening\\n\\33[2J no book')")
    told = steps(folder)[READY]
    assert told["detail"] == "it did not say ready: it exited with code 1 (\x1b[2J no book)"
    assert told["evidence"] == ["Standard error:", "  opening", "  \x1b[2J no book"]
    shown = arena("check", folder, "--game", "khan", *SHORT).output
    assert ("\x1b" in shown, r"\x1b[2J" in shown) == (False, True)
    trace = 'Exception in thread "main" NoBook: gone\n' + "\tat java.base/x(y)\n" * 99
    (folder / "bot.py").write_text(f"raise SystemExit({trace!r})")
    told = steps(folder)[READY]["evidence"]
    assert told[:3] == ["Standard error:", '  Exception in thread "main" NoBook: gone', "  …"]
    assert len(told) < 20


def test_a_file_that_the_bot_may_not_read_is_named(steps: Steps, bot: Bot) -> None:
    need("landlock")
    folder = bot("raise SystemExit('w.txt: No such file or directory')")
    (folder / "w.txt").touch()
    toml = (folder / "bot.toml").read_text()

    def told(source: str, *more: str) -> list[str]:
        (folder / "bot.py").write_text(source)
        (folder / "bot.toml").write_text(f"{toml}files = {json.dumps(['bot.py', *more])}\n")
        return list(steps(folder, "--sandbox", "landlock")[READY]["evidence"])

    source = "raise SystemExit('w.txt{}')"
    found = told(source.format(": No such file or directory"))
    assert found[-1] == 'files = ["bot.py", "w.txt"]'
    assert "w.txt lies in the folder, but not among the bot's files" in found[-2]
    listed = told(source.format(": No such file or directory"), "w.txt")
    assert "lies in" not in "".join([*listed, *told(source.format(" is not nice"))])
    (folder / "w.js").touch()
    found = told("raise SystemExit('Error: Cannot find module ./w')")
    assert found[-1] == 'files = ["bot.py", "w.js"]'
    # in a sandbox, files are named as their author knows them
    assert told("\n\n1 / 0\n")[2].endswith('File "bot.py", line 3, in <module>')


@pytest.mark.parametrize("is_there", [True, False])
def test_a_file_outside_of_its_folder_is_said_to_be_hidden_whether_it_is_there_or_not(
    steps: Steps, bot: Bot, public: Path, is_there: bool
) -> None:
    """So nobody finds out by a hint; and no program of the system is called hidden."""
    need("landlock")
    outside = public / "book.txt"
    if is_there:
        outside.touch()
    folder = bot(f"raise SystemExit('No such file: {outside}')")
    told = steps(folder, "--sandbox", "landlock")[READY]["evidence"]
    assert told[-1] == f"{outside} is outside of its folder; the sandbox hides everything there."
    said = f"/bin/sh: No such file: {'x' * 5000} [\0] \x1b . .. / ~ 'a b'"
    (folder / "bot.py").write_text(f"raise SystemExit({said!r})")
    told = steps(folder, "--sandbox", "landlock")[READY]["evidence"]
    assert not any("hides" in line or "lies in" in line for line in told)


def test_time_is_cpu_time_or_that_on_the_wall(steps: Steps, bot: Bot) -> None:
    source = POLITE + "time.sleep(0.5)\npolite.play()\n"
    found = steps(bot(source), "--limit", "startup=0.4")[READY]["detail"]
    said = r"after (0\.[5-9]|1\.)\d+ s; 0\.\d\d s of CPU time, 0\.4 s of it allowed"
    assert re.fullmatch(said, found)
    told = steps("random", "--limit", "clock=wall", "--limit", "move_time=20")
    assert re.fullmatch(r"after \d+\.\d\d s; 10 s allowed", told[READY]["detail"])
    assert re.fullmatch(r"\d+\.\d{3} s at the most; 20 s allowed", told[TIMELY]["detail"])


# --- answers


@pytest.mark.parametrize("at", [1, 3])
def test_only_what_was_answered_is_counted(steps: Steps, bot: Bot, at: int) -> None:
    folder = bot(POLITE + "polite.play(lambda ask: polite.burn(9), at=int(sys.argv[1]))\n", at)
    told = steps(folder, "--limit", "move_time=0.1", "--seconds", "20")
    answers = ["ok", "ok"] if at > 1 else ["not tried", "not tried"]
    assert states(told, WHOLE, LEGAL, QUIET, TIMELY) == ["not tried", *answers, "failed"]
    assert at == 1 or told[LEGAL]["detail"] == "2 answers"
    assert f"its decision {at}: late: " in told[TIMELY]["detail"]


def test_an_illegal_move_is_shown_with_what_was_sent_and_legal(steps: Steps, bot: Bot) -> None:
    told = steps(bot(KIT + "kit.run(lambda ask: {**ask.legal[0], 'x': 1})\n"))[LEGAL]
    assert "illegal: " in told["detail"]
    assert '"x":1}' in told["detail"]
    assert any(line.startswith("→ ") and '"legal":[' in line for line in told["evidence"])
    assert any(line.startswith("← ") and '"x":1}' in line for line in told["evidence"])


def test_words_or_an_end_though_nothing_was_asked_fail_a_bot(steps: Steps, bot: Bot) -> None:
    hello = "polite.send(polite.READY + b'Hello!\\n')\nsys.stdin.readline()\npolite.play()"
    folder = bot(POLITE + hello)
    told = steps(folder)[QUIET]
    assert told["detail"] == "after ready, it said 'Hello!', though nothing was asked"
    (folder / "bot.py").write_text(POLITE + "sys.stdin.readline()\npolite.send(polite.READY)\n")
    told = steps(folder)[QUIET]
    assert "it exited with code 0, though nothing was asked" in told["detail"]


def test_a_second_match_in_the_same_process_fails_a_bot_of_its_own(steps: Steps, bot: Bot) -> None:
    source = """
starts = 0
for message in polite.messages():
    starts += message["type"] == "start"
    if starts == 2:
        raise RuntimeError("one match only")
    if message["type"] in ("hello", "ask"):
        polite.send(polite.READY if message["type"] == "hello" else polite.reply(message))
"""
    told = steps(bot(POLITE + source), "--seconds", "60", "--seats", 2)  # it ends with the failure
    assert states(told, WHOLE, AGAIN) == ["ok", "failed"]
    assert told[AGAIN]["detail"].endswith("; a new process plays this match through")
    assert told[AGAIN]["evidence"][-1] == "  RuntimeError: one match only"


def test_a_crash_that_a_new_process_has_too_fails_the_match_itself(steps: Steps, bot: Bot) -> None:
    source = "kit.run(lambda ask: {}['no key'] if ask.seats == 3 else ask.legal[0])\n"
    told = steps(bot(KIT + source), "--seconds", "60")  # it ends with the failure
    assert states(told, WHOLE, AGAIN) == ["failed", "not tried"]
    assert re.match(r"match [2-9]\d*, seat \d of 3, its decision 1: crash: ", told[WHOLE]["detail"])
    assert told[WHOLE]["evidence"][-1] == "  KeyError: 'no key'"


def test_a_crash_over_moves_that_are_not_listed_says_that_none_are(steps: Steps, bot: Bot) -> None:
    folder = bot(KIT + "kit.run(lambda ask: ask.legal[0])\n")
    said = "bet, which lists no moves (`arena games GAME --schema` shows what they look like)"
    assert said in steps(folder, game="casino_war")[WHOLE]["detail"]
    (folder / "bot.py").write_text(KIT + "kit.run(lambda ask: ask.limits['no key'])\n")
    detail = steps(folder, game="casino_war")[WHOLE]["detail"]
    assert ("crash" in detail, "lists no moves" in detail) == (True, False)


# --- when time is up


@pytest.mark.slow
def test_the_whole_check_keeps_to_its_seconds_and_says_what_there_was_no_time_for(
    arena: Arena, bot: Bot
) -> None:
    source = "import time\nkit.run(lambda ask: time.sleep(0.05) or ask.legal[0])\n"
    began = time.monotonic()
    words = ("--game", "steal_war", *SHORT, "--seconds", "4", "--seats", 2)
    told = arena("check", bot(KIT + source), *words)
    assert time.monotonic() - began < 4 + 4  # it ends the match that it has begun
    assert told.exit_code == 0
    assert "time was up for the rest of 20: --seconds" in " ".join(told.stdout.split())
    verdict = "mine is fit to play steal_war, as far as there was time to try it."
    assert told.stdout.splitlines()[-1] == verdict


def test_an_empty_program_is_said_to_be_empty(steps: Steps, bot: Bot) -> None:
    assert "bot.py is empty" in steps(bot(""))["can be run"]["detail"]


# --- advice: fit nonetheless


def test_a_standard_error_that_is_too_long_brings_advice(steps: Steps, bot: Bot) -> None:
    source = KIT + "kit.run(lambda ask: print('x' * 99999) or ask.legal[0])\n"
    told = steps(bot(source))
    assert told[QUIET]["state"] == "advice"
    assert "64 KB of a match are kept" in told[QUIET]["detail"]


@pytest.mark.slow  # it burns
def test_a_bot_that_burns_while_it_is_not_asked_is_told(steps: Steps, bot: Bot) -> None:
    source = (BUNDLED / "naughty" / "burn_off_turn.py").read_text()
    told = steps(bot(source), "--seconds", "10")  # on a busy machine it burns little in less
    assert states(told, TIMELY) == ["advice"]


def test_dice_or_a_memory_of_its_own_bring_advice(steps: Steps, bot: Bot) -> None:
    source = "seen = []\nkit.run(lambda ask: seen.append(1) or ask.legal[len(seen) // 9 % 2])\n"
    folder = bot(KIT + source)
    told = steps(folder, "--seconds", "60", "--seats", 2)
    assert states(told, ALIKE, USED) == ["ok", "advice"]
    source = "import random\nkit.run(lambda ask: random.SystemRandom().choice(ask.legal))\n"
    (folder / "bot.py").write_text(KIT + source)
    told = steps(folder, "--seconds", "60", "--seats", 2)
    assert states(told, ALIKE, USED) == ["advice", "not tried"]
    first, now = told[ALIKE]["evidence"]
    assert first.startswith("first  {")
    assert now.startswith("now    {")
    assert first[7:] != now[7:]


def test_an_exit_code_at_the_end_brings_advice_and_the_verdict_points_to_it(
    arena: Arena, bot: Bot
) -> None:
    folder = bot(POLITE + "polite.play()\nsys.exit(3)\n")
    words = (*SHORT, "--seconds", "60", "--seats", 2)
    told = arena("check", folder, "--game", "steal_war", *words)
    assert told.exit_code == 0
    assert f"{ENDS}: but it exited with code 3\n" in told.stdout
    assert told.stdout.endswith("\nmine is fit to play steal_war. See the advice at step 9.\n")


# --- how it looks


def test_a_whole_verdict_says_what_was_not_tried_before_the_step_that_failed(
    golden: Golden,
) -> None:
    done = [Step("runs", "ok"), Step("plays"), Step("in time", "FAILED", "late"), Step("ends")]
    golden("\n".join(text("a-bot-with-a-long-name", "steal_war", done, 80)))


def test_a_bot_that_is_there_and_cannot_be_run_fails_the_first_step(
    steps: Steps, bot: Bot, golden: Golden
) -> None:
    folder = bot("")
    for settings in ("command = [", 'command = ["./bot"]', 'command = ["./bot.py"]', None):
        (folder / "bot.toml").unlink()
        if settings is not None:
            (folder / "bot.toml").write_text(settings)
        told = steps(folder)
        assert states(told, *STEPS) == ["failed", *["not tried"] * (len(STEPS) - 1)]
        golden(told[RUNS]["detail"].replace(str(folder), "MINE"))


@pytest.mark.slow
def test_a_source_newer_than_what_was_built_brings_advice(steps: Steps, bot: Bot) -> None:
    folder = bot(POLITE + "polite.play()\n")
    for name in ("bot.c", "Makefile"):
        (folder / name).touch()
    for file in folder.iterdir():
        os.utime(file, (2, 2) if file.name == "bot.c" else (1, 1))
    told = steps(folder)[RUNS]
    assert told["state"] == "advice"
    assert told["detail"].endswith(f"but bot.c is newer than what was built: `make -C {folder}`")
    (folder / "Makefile").unlink()
    assert steps(folder)[RUNS]["state"] == "ok"  # where nothing says how it is built


MOODY = """\
from pathlib import Path
import sys, kit
mark = Path({mark!r})
again = mark.exists()
mark.touch()
print("no opening book", file=sys.stderr)
kit.run(lambda ask: {{"nothing": 1}} if again else ask.legal[0])
"""


def test_a_fault_that_comes_only_when_all_is_repeated_fails_that_step(
    arena: Arena, bot: Bot, tmp_path: Path
) -> None:
    folder = bot(MOODY.format(mark=str(tmp_path / "was here")))
    words = (*SHORT, "--seconds", "60", "--seats", 2)
    result = arena("check", folder, "--game", "steal_war", *words)
    assert result.exit_code == 1
    assert f"FAILED     {ALIKE}: match 1, seat 0 of 2, its" in result.stdout
    assert all(len(line) <= 80 for line in result.stdout.splitlines())
    checked = " ".join(result.stdout.split())  # what is written before ready is shown
    assert "on its standard error: no opening book" in checked
