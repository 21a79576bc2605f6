// Plays {{game}} by legal moves at random, until you choose better ones. `make` builds it.

#include "kit.hpp"

// One of the legal moves or, where they are not listed, of the samples.
static kit::Move any_move(kit::Ask &ask) {
    const kit::Moves &moves = ask.legal.empty() ? ask.samples : ask.legal;
    return moves.at(ask.below(moves.size()));
}

// A move; each decision of the game has its place here.
static kit::Move choose(kit::Ask &ask) {
    // {{each decision}}
    if (ask.decision == "{{name}}") {
        // {{about}}
        return any_move(ask);
    }
    // {{end}}
    return any_move(ask);
}

// What ask.view holds, such as when a match of {{seats}} seats begins:
//
// {{view}}

int main() {
    return kit::run(choose);
}
