// Bets the least, never on a tie, and always goes to war: so it loses as slowly as one can.
// `make` builds it.
//
// To try first: when the last rounds come and a rival has more money, bet enough to get past it.

#include "kit.hpp"

kit::Move choose(kit::Ask &ask) {
    if (ask.decision == "bet")
        return kit::object("bet", ask.limits["bet"]["min"], "tie_bet", 0);
    return ask.legal.at(0); // war, which on average is never worse than to surrender
}

int main() {
    return kit::run(choose);
}
