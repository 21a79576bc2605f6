"""Who may see and do what on a server; every test is an attempt of somebody who may not."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.arena.serve.conftest import Contest
from tests.arena.serve.serving import DECIDED, add_person, bot_zip, serving, write_league
from tests.referee.process_watch import until

PAGES = ("", "bots/one", "queue", "calendar")
AUTHORS_PAGES = ("hand-in", "submissions", "submissions/1")


@pytest.fixture(scope="session")
def adas(contest: Contest) -> int:
    """The number of a submission of ada that plays."""
    answer = contest.server.hand_in(contest.ada, bot_zip(), "ada").json
    number = int(answer["submission"]["number"])
    assert contest.server.decided(contest.ada, number)["state"] == "playing"
    return number


def test_strangers_see_the_table_and_no_submission(contest: Contest) -> None:
    server = contest.server
    assert server.api("/table").json["table"]["game"] == "guerra"
    assert server.ask("/api/leagues").json["leagues"][0]["league"] == "cup"
    assert server.api("/submissions").status == 401
    assert server.hand_in("", bot_zip(), "x").status == 401
    for header in ("Basic YWRhOng=", "Bearer", "Bearer \xff", "Bearer a b"):
        assert server.api(Authorization=header).status in (401, 429)
    for page in PAGES:
        assert server.ask(f"/cup/{page}").status == 200, page
    for page in AUTHORS_PAGES:
        assert server.ask(f"/cup/{page}").status == 401, page


def test_an_answer_is_as_the_schema_says(contest: Contest, adas: int) -> None:
    server = contest.server
    schema = server.ask("/api/schema").json
    for path, name in (
        ("", "LeagueAnswer"),
        ("/table", "TableAnswer"),
        ("/bots/ada", "BotAnswer"),
        ("/matches", "MatchesAnswer"),
        ("/submissions", "SubmissionsAnswer"),
        (f"/submissions/{adas}", "SubmissionAnswer"),
        ("/submissions/99999", "ProblemAnswer"),
        ("/queue", "QueueAnswer"),
    ):
        validator = Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})
        validator.validate(server.api(path, token=contest.ada).json)


def test_nobody_sees_or_replaces_what_another_author_handed_in(contest: Contest, adas: int) -> None:
    server, path = contest.server, f"/submissions/{adas}"
    assert server.api(path, token=contest.ada).json["submission"]["author"] == "ada"
    assert server.api(path, token=contest.organizer).status == 200
    assert server.api(path, token=contest.bob).status == 404
    assert server.api(path, token=contest.reader).status == 403
    listed = server.api("/submissions", token=contest.bob).json["submissions"]
    assert [each for each in listed if each["author"] != "bob"] == []
    taken = server.hand_in(contest.bob, bot_zip(), "ada")
    assert taken.status == 409
    assert taken.error["what"] == "the name 'ada' is taken by another author."
    assert server.hand_in(contest.reader, bot_zip(), "eve").status == 403


def test_a_check_is_for_its_author_and_plays_nowhere(contest: Contest) -> None:
    server = contest.server
    sent = server.api(
        "/submissions?bot=secret-plan&filename=bot.zip&check=1",
        method="POST",
        token=contest.onlooker,
        body=bot_zip(),
    )
    assert sent.status == 202
    number = sent.json["submission"]["number"]
    while (
        server.api(f"/submissions/{number}", token=contest.onlooker).json["submission"]["state"]
        not in DECIDED
    ):
        queue = server.api("/queue", token=contest.bob).json["queue"]
        assert "secret-plan" not in [row["bot"] for row in queue]
        assert "secret-plan" not in server.ask("/cup/queue").text
    found = server.api(f"/submissions/{number}", token=contest.onlooker).json["submission"]
    assert (found["state"], found["only_check"]) == ("checked", True)
    assert server.api(f"/submissions/{number}", token=contest.bob).status == 404
    assert server.api("/bots/secret-plan").status == 404
    assert "secret-plan" not in (server.folders[0] / "league.toml").read_text()
    path = "/submissions?bot=cyd&filename=bot.zip&check=yes"
    odd = server.api(path, method="POST", token=contest.onlooker, body=bot_zip())
    assert (odd.status, odd.error["what"]) == (400, "`check` is 1, or is left out.")


def test_matches_are_for_the_authors_of_those_who_played(contest: Contest, adas: int) -> None:
    server = contest.server
    path = "/matches?bot=ada"
    of_ada = until(lambda: server.api(path, token=contest.ada).json["matches"]["rows"], 30)
    match = of_ada[0]["id"]
    replay = server.api(f"/matches/{match}", token=contest.ada)
    assert json.loads(replay.json["replay"]["payload"])["matches"]
    for token in (contest.onlooker, contest.reader, ""):
        assert server.api("/matches?bot=ada", token=token).json["matches"]["rows"] == []
        assert server.api(f"/matches/{match}", token=token).status == 403
        assert server.api("/bots/ada", token=token).json["own"] is None
    assert server.api(f"/matches/{match}", token=contest.organizer).status == 200
    assert server.api("/bots/ada", token=contest.ada).json["own"]["bot"] == "ada"


def test_a_refused_bot_gives_no_right_to_what_plays_under_its_name(contest: Contest) -> None:
    """Somebody whose bot was refused, and who never had one, learns nothing of who has it now."""
    server = contest.server
    refused = server.hand_in(contest.refused, bot_zip("import sys; sys.exit(1)"), "wanted")
    number = refused.json["submission"]["number"]
    assert server.decided(contest.refused, number)["state"] == "refused"
    assert server.hand_in(contest.organizer, bot_zip(), "wanted").status == 202
    assert server.api("/matches?bot=wanted", token=contest.refused).json["matches"]["rows"] == []


@pytest.mark.slow
def test_wrong_tokens_are_refused_and_right_ones_are_not_held_up(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup")
    token = add_person(folder, "ada")
    with serving(folder) as server:
        assert server.api(token=token).json["you"] == {"name": "ada", "role": "author"}
        cookie = server.enter(token)
        answers = [server.api(token=f"arena_wrong{number}") for number in range(12)]
        assert [answer.status for answer in answers] == [401] * 10 + [429] * 2
        assert answers[0].headers["www-authenticate"] == "Bearer"
        assert 0 < int(answers[-1].headers["retry-after"]) <= 60
        assert server.api(token=token).status == 200  # from the same address, meanwhile
        assert server.ask("/cup/submissions", cookie=cookie).status == 200
        assert server.api().status == 200
        assert server.logged
        assert all("arena_" not in line for line in server.logged)


@pytest.mark.slow
def test_a_league_without_readers_shows_strangers_nothing(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "secret", hand_in="readers = false")
    token = add_person(folder, "eve", "reader")
    with serving(folder) as server:
        for path in ("", "/table", "/events", "/bots/one", "/matches", "/queue", "/submissions"):
            assert server.api(path).status == 401, path
        for page in (*PAGES, *AUTHORS_PAGES):
            assert server.ask(f"/secret/{page}").status == 401, page
        assert server.ask("/api/leagues").json["leagues"] == []
        assert "secret" not in server.ask("/").text
        assert server.api("/table", token=token).status == 200
        assert server.ask("/secret/", cookie=server.enter(token)).status == 200
        assert server.ask("/secret/enter").status == 200  # its door alone says that it is there
        assert server.ask("/secret", method="POST").status == 405
