"""What a person at a page is sent, and what becomes of what they send."""

import threading
from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec
import pytest

from arena.archive.saved import read_match
from arena.person import desk as desks
from arena.person.desk import LONGEST_LINE, Desk, DeskSeat, Saying
from arena.person.page import match_page, table_page
from arena.person.question import Question
from arena.report.frames import shortened
from protocol.errors import RunError
from referee.games import GAMES
from referee.limits import Limits
from referee.match.match import Match, bot_seeds, starts
from referee.match.seat import FunctionSeat, play_match
from referee.rules.game import Game
from referee.rules.options import new_game, read_options
from tests.arena.conftest import Arena

HOSTILE = "</script><script>alert(1)</script>"


def dealt(name: str, seats: int = 2, **options: object) -> Game:
    kind = GAMES[name]
    return new_game(kind, seats, read_options(kind, options, seats), "sesame")


def here() -> bool:
    return False


class Person:
    """Answers at a desk, in a thread of their own, until the match is over."""

    def __init__(self, desk: Desk, answer: Callable[[dict[str, object]], Saying]) -> None:
        self.desk = desk
        self.answer = answer
        self.areas: list[bytes] = []
        self.asked: list[dict[str, object]] = []
        self.thread = threading.Thread(target=self._play, daemon=True)
        self.thread.start()

    def _play(self) -> None:
        version, frames = 0, 0
        while True:
            news = self.desk.state(version, frames, len(self.areas), here)
            version, frames = news["version"], news["from"] + len(news["frames"])
            self.areas += [bytes(area) for area in news["areas"]]
            if news["over"]:
                return
            if news["asked"]:
                self.asked.append(news["asked"])
                self.desk.say(self.answer(news["asked"]))


def at_random(asked: dict[str, object]) -> Saying:
    return Saying(int(str(asked["number"])), "", at_random=True)


@pytest.mark.parametrize(("name", "options"), [("guerra", {"max_turns": 2}), ("steal_war", {})])
def test_a_page_is_sent_what_its_seat_sees_and_nothing_else(
    name: str, options: dict[str, object]
) -> None:
    game = dealt(name, **options)
    own, hidden = set[bytes](), set[bytes]()
    encode = msgspec.json.encode

    def note(game: Game, *_: object) -> None:
        for seat, kept in ((0, own), (1, hidden), (None, hidden)):
            kept |= {encode(short) for area in game.scene(seat) if (short := shortened(area))}
        desk.look(game)

    desk = Desk(0)
    person = Person(desk, at_random)
    rng = Random(1)
    seats = [
        DeskSeat(desk, game, 1, []),
        FunctionSeat(lambda decision, view: game.sample(1, rng)),
    ]
    match = Match(game, 2, None, note)
    play_match(match, seats, starts(game, "m", Limits().time_control, bot_seeds(game)), None)
    note(game)
    desk.end({"lines": []})
    person.thread.join(10)
    assert person.asked
    assert set(person.areas) <= own
    assert hidden - own, "something was hidden"
    assert not set(person.areas) & (hidden - own)


def test_what_is_said_is_told_in_words_before_it_is_played_and_mistakes_too() -> None:
    game = dealt("guerra")
    desk = Desk(0)
    found: list[dict[str, object]] = []

    def answer(asked: dict[str, object]) -> Saying:
        number = int(str(asked["number"]))
        (form,) = asked["inputs"]  # type: ignore[misc]
        assert [field["name"] for field in form["fields"]] == ["rearguard"]
        line = str(form["example"])
        tries = (
            Saying(number, "9X"),
            Saying(number + 1, line),
            Saying(number, "x" * (LONGEST_LINE + 1)),
            Saying(number, line, plays=False),
        )
        found.extend(map(desk.say, tries))
        return Saying(number, line)

    person = Person(desk, answer)
    decision = game.decision(0)
    move = desk.ask(game, decision, game.view(0), Random(1))
    desk.end({"lines": []})
    person.thread.join(10)
    assert game.refusal(0, move) is None
    assert "9X" in str(found[0]["problem"])
    assert found[1] == {"problem": "This is not asked now."}
    assert "at most" in str(found[2]["problem"])
    assert found[3] == {"words": game.describe(0, move), "played": False}
    assert desk.say(Saying(1, "")) == {"problem": "This is not asked now."}


@pytest.mark.parametrize("leave", [Desk.quit, lambda desk: desk.state(-1, 0, 0, here)])
def test_a_match_stops_when_its_person_has_left(
    leave: Callable[[Desk], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desks, "_AWAY_SECONDS", 0.0)
    monkeypatch.setattr(desks, "_TICK", 0.01)
    game = dealt("steal_war")
    desk = Desk(0)
    leave(desk)
    (seat,) = game.deciders()[:1]
    with pytest.raises(RunError, match="its page was closed"):
        desk.ask(game, game.decision(seat), game.view(seat), Random(1))


def test_hostile_names_are_text_on_the_page() -> None:
    page = table_page(dealt("guerra"), 0, ["human", HOSTILE])
    assert HOSTILE not in page
    assert "alert(1)" in page
    assert "connect-src &#39;self&#39;; img-src data:" in page


@pytest.mark.parametrize("name", GAMES)
def test_the_inputs_of_every_form_make_a_line_that_is_understood(name: str) -> None:
    game = dealt(name, GAMES[name].seat_counts[0])
    rng = Random(1)
    seen: set[str] = set()
    for _ in range(60):
        moves = {}
        for seat in game.deciders():
            decision = game.decision(seat)
            if decision.name not in seen:
                seen.add(decision.name)
                question = Question(game, seat, decision, game.view(seat))
                forms = question.inputs()
                assert bool(question.menu()) != bool(forms)
                for form in forms:
                    assert all(
                        {"word", "choices", "low", "hint"} & {*each} for each in form["fields"]
                    )
                    if all("word" in each for each in form["fields"]):
                        line = " ".join(each["word"] for each in form["fields"])
                        assert game.refusal(seat, question.answer(line)) is None
            moves[seat] = game.sample(seat, rng)
        if not moves:
            break
        game.apply(moves)


def test_what_bots_wrote_is_data_on_the_page_of_the_whole_match(
    arena: Arena, tmp_path: Path
) -> None:
    file = tmp_path / "match.json"
    words = ("war", "random", "random", "--seed", "1", "--sandbox", "none", "--save", file)
    assert arena("play", *words).exit_code == 0
    saved = read_match(file)
    evidence = msgspec.structs.replace(saved.evidence, stderr=[HOSTILE, HOSTILE])
    seats = [msgspec.structs.replace(seat, name=HOSTILE) for seat in saved.seats]
    hostile = msgspec.structs.replace(saved, evidence=evidence, seats=seats)
    page = match_page(hostile.opened(), GAMES["war"], [HOSTILE])
    assert HOSTILE not in page
    assert "<script>alert" not in page
