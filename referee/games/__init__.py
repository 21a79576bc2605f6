"""The list of games: adding one is its module, its rules page and its line here."""

from referee.game import Game
from referee.games.casino_war.game import CasinoWar
from referee.games.cold_war import ColdWar
from referee.games.duel.game import Duel
from referee.games.guerra.game import Guerra
from referee.games.khan.game import Khan
from referee.games.pyanitsa import Pyanitsa
from referee.games.steal_war.game import StealWar
from referee.games.tod_und_leben import TodUndLeben
from referee.games.war import War
from referee.games.world_war.game import WorldWar

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
