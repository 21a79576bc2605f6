"""The bundled bots of Duel."""

from tests.bots.driver import Match, called


def test_the_turtle_always_defends_if_it_can() -> None:
    match = Match("duel", called("duel", "sensible", "turtle"), 4)
    match.play()
    answers = [
        (ask["view"], reply["move"])
        for ask, reply in match.transcripts[1]
        if reply and ask["decision"] == "defend" and ask["view"]["dexterity"][1] > 2
    ]
    assert answers
    assert all(move["cards"] for _, move in answers)
