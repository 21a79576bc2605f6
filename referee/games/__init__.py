"""The list of games: adding one is its folder and its line here."""

from referee.lazy import Lazy
from referee.rules.game import Game

GAMES: Lazy[type[Game]] = Lazy(
    {
        "cold_war": "referee.games.cold_war.game:ColdWar",
        "guerra": "referee.games.guerra.game:Guerra",
        "world_war": "referee.games.world_war.game:WorldWar",
        "war": "referee.games.war.game:War",
        "steal_war": "referee.games.steal_war.game:StealWar",
        "pyanitsa": "referee.games.pyanitsa.game:Pyanitsa",
        "tod_und_leben": "referee.games.tod_und_leben.game:TodUndLeben",
        "casino_war": "referee.games.casino_war.game:CasinoWar",
        "khan": "referee.games.khan.game:Khan",
        "duel": "referee.games.duel.game:Duel",
    }
)
