"""The list of games: adding one is its module, its rules page and its line here."""

from referee.game import Game
from referee.games.casino_war import CasinoWar
from referee.games.cold_war import ColdWar
from referee.games.duel import Duel
from referee.games.guerra import Guerra
from referee.games.khan import Khan
from referee.games.pyanitsa import Pyanitsa
from referee.games.steal_war import StealWar
from referee.games.tod_und_leben import TodUndLeben
from referee.games.war import War
from referee.games.world_war import WorldWar

GAMES: dict[str, type[Game]] = {
    game.name: game
    for game in (
        ColdWar,
        Guerra,
        WorldWar,
        War,
        StealWar,
        Pyanitsa,
        TodUndLeben,
        CasinoWar,
        Khan,
        Duel,
    )
}
