"""Games that OpenSpiel has only as parameters of others, under names of their own."""

from collections.abc import Mapping

NAMED: Mapping[str, str] = {
    "misere_tic_tac_toe": "misere(game=tic_tac_toe())",
    "repeated_matching_pennies": "repeated_game(stage_game=matrix_mp(),num_repetitions=100)",
    "repeated_prisoners_dilemma": "repeated_game(stage_game=matrix_pd(),num_repetitions=100)",
    "repeated_rock_paper_scissors": "repeated_game(stage_game=matrix_rps(),num_repetitions=100)",
    "repeated_stag_hunt": "repeated_game(stage_game=matrix_sh(),num_repetitions=100)",
    "chess960": "chess(chess960=true)",
    "crazyhouse960": "crazyhouse(chess960=true)",
    "limit_holdem": (
        "universal_poker(betting=limit,bettingAbstraction=fcpa,blind=5 10,firstPlayer=2 1 1 1,"
        "maxRaises=3 4 4 4,numBoardCards=0 3 1 1,numHoleCards=2,numPlayers=2,numRanks=13,"
        "numRounds=4,numSuits=4,raiseSize=10 10 20 20,stack=20000 20000)"
    ),
    "no_limit_holdem": (
        "universal_poker(betting=nolimit,bettingAbstraction=fcpa,blind=100 50,"
        "firstPlayer=2 1 1 1,numBoardCards=0 3 1 1,numHoleCards=2,numPlayers=2,numRanks=13,"
        "numRounds=4,numSuits=4,stack=20000 20000)"
    ),
}
"""What each name stands for, as OpenSpiel writes a game with its parameters."""

REFUSED: Mapping[str, str] = {
    "chat_game": "it is a frame for games of talk, which a language model would have to judge",
    "pathfinding": "its map is for one player",
}
"""Why some games cannot be played of which their types do not say so."""

CHANCE = ("chess960",)
"""Parameters with which a game begins by chance, and is another one; it has a name of its own."""

COSTLY = {"bridge"}
"""Games whose chance takes half a second to retrace: bridge works out how many tricks each side can
take. There, fewer changes of a history are tried."""

LEAKING = {"gin_rummy", "hearts"}
"""Games whose observations as JSON say more than the player's information state: hearts tells what
cards a player will be passed while it still chooses what to pass itself, and gin rummy all cards of
a player who has knocked before that player has laid them down. Their texts are sent."""

ENDLESS = {"go_fish", "oware"}
"""Games that OpenSpiel does not bring to an end: go fish goes on while players ask for cards that
nobody has, and oware fails after the longest match that it expects. A match ends after as many
actions as OpenSpiel calls its greatest length. In go fish the deck may also run out as it is dealt:
then nothing is left to chance, and the match ends at once."""
