"""Whether a league still asks for what its matches were played with."""

from collections.abc import Mapping
from typing import Any

from arena.league.file import FILE
from arena.league.plan import LeaguePlan
from arena.store.store import Store
from arena.text import toml
from protocol.errors import ArenaError
from referee.catalog.identity import code_of


def check_unchanged(league: LeaguePlan, store: Store) -> None:
    """Raise ArenaError if anything differs from what the stored matches were played with."""
    change = difference(store.settings.all(), league.fixed(), league.game.options)
    if change:
        raise ArenaError(
            f"{league.folder / FILE}: {change}, when the first match was played. Put it back, or "
            f"make a new league: only bots and how much is played may change."
        )


def check_code(league: LeaguePlan, store: Store) -> None:
    """Raise ArenaError unless the stored matches were played by the game that is here."""
    if has_other_code(league, store):
        raise ArenaError(
            f"the code of {league.game.name} is not that by which the matches of {league.folder} "
            f"were played."
        )


def has_other_code(league: LeaguePlan, store: Store) -> bool:
    """Return whether the stored matches were played by other code of the same game.

    Then the replays are the test, which `arena.archive.agreement` makes. Raises ArenaError if they
    were played by another version of its rules.
    """
    assert league.rules is not None
    settings = store.settings.all()
    if "facts" not in settings:
        return (
            False  # matches of a bundled game were imported: the version of its rules is believed
        )
    rules = settings["facts"].get("rules_version", 1)
    if rules != league.game.rules_version:
        raise ArenaError(
            f"the matches of {league.folder} were played by version {rules} of the rules of "
            f"{league.game.name}, and here is version {league.game.rules_version}. Make a new "
            f"league."
        )
    return bool(settings.get("code", "") != code_of(league.rules))


def difference(before: Mapping[str, Any], now: Mapping[str, Any], usual: Mapping[str, Any]) -> str:
    """Return in words what differs first between settings, among those of both; or nothing.

    `usual` are the defaults of the game's options: a file whose game was not loaded has not all.
    """
    if "opening" in now and (was := before.get("opening")) != now["opening"]:
        return _other_opening(was, now["opening"])
    for key, value in now.items():
        if key not in before or before[key] == value:
            continue
        old = before[key]
        if isinstance(old, dict) and isinstance(value, dict):
            was, wanted = (old, {**usual, **value}) if key == "options" else (old, value)
            for name in sorted({*was, *wanted}):
                if was.get(name) != wanted.get(name):
                    return _other_value(key, name, was, wanted)
            continue
        return f"{key} was {toml(old)}, not {toml(value)}"
    return ""


def _other_value(table: str, name: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return in words how the values of a table's key differ, as a file has them."""
    old, new = ("none" if each.get(name) is None else toml(each[name]) for each in (was, now))
    return f"[{table}] had {name} = {old}, not {new}"


def _other_opening(was: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> str:
    """Return in words how openings differ."""
    if was is None:
        return "there was no [opening]"
    if now is None:
        return "there was an [opening], and now there is none"
    if "book" in was and "book" in now:
        return "the openings of the file in [opening] were others"
    said = [
        _other_value("opening", name, was, now)
        for name in ("plies", "open")
        if was.get(name) != now.get(name) and "book" not in {*was, *now}
    ]
    return said[0] if said else "[opening] had a file" if "book" in was else "[opening] had no file"
