from tests.provider import Provider
from tests.referee.door.at_the_door import COMPLETIONS, KEY, Caller, chat, opened


def test_a_bot_is_answered_and_what_it_takes_is_counted(provider: Provider, trap: int) -> None:
    before = provider.count
    with opened(provider, trap) as door:
        caller = Caller(door, "api.example.org")
        body = chat("which move now")
        answer, visit = caller.turn(COMPLETIONS, body=body)
        caller.close()
    assert answer["status"] == 200
    [seen] = provider.forget()
    assert seen["headers"]["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(answer)
    after = provider.count
    assert visit.requests == after["requests"] - before["requests"] == 1
    assert visit.tokens_in == after["tokens_in"] - before["tokens_in"] == 3
    assert visit.tokens_out == after["tokens_out"] - before["tokens_out"] == 3
    assert abs(visit.cost - (after["cost"] - before["cost"])) < 1e-12
    assert visit.sent == len(body)
    assert visit.got == len(answer["body"])
    assert door.spent == {"mine": visit.cost}
