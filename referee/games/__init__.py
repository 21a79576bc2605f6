"""The list of games: adding one is its module, its rules page and its line here."""

from referee.game import Game
from referee.games.cold_war import ColdWar
from referee.games.guerra import Guerra

GAMES: dict[str, type[Game]] = {game.name: game for game in (ColdWar, Guerra)}
