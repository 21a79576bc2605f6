"""The list of games: adding one is its module, its rules page and its line here."""

from referee.game import Game
from referee.lazy import Lazy

GAMES: Lazy[type[Game]] = Lazy(
    {
        "cold_war": "referee.games.cold_war:ColdWar",
        "guerra": "referee.games.guerra.game:Guerra",
        "world_war": "referee.games.world_war.game:WorldWar",
        "war": "referee.games.war:War",
        "steal_war": "referee.games.steal_war.game:StealWar",
        "pyanitsa": "referee.games.pyanitsa:Pyanitsa",
        "tod_und_leben": "referee.games.tod_und_leben:TodUndLeben",
        "casino_war": "referee.games.casino_war.game:CasinoWar",
        "khan": "referee.games.khan.game:Khan",
        "duel": "referee.games.duel.game:Duel",
    }
)
