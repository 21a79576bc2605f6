"""The cautious bot of Casino War."""

from tests.bots.driver import Match, called


def test_the_cautious_bot_bets_the_least_and_goes_to_war() -> None:
    match = Match("casino_war", called("casino_war", "cautious", "random"), 5)
    match.play()
    moves = [reply["move"] for _, reply in match.transcripts[0] if reply]
    assert {str(move) for move in moves} == {"{'bet': 10}", "{'action': 'war'}"}
