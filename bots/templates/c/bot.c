// Plays {{game}} by legal moves at random, until you choose better ones. `make` builds it.

#include "kit.h"

// One of the legal moves or, where they are not listed, of the samples.
static json any_move(struct ask *ask) {
    json moves = count(ask->legal) ? ask->legal : ask->samples;
    return item(moves, below(ask, count(moves)));
}

// A move; each decision of the game has its place here.
static json choose(struct ask *ask) {
    // {{each decision}}
    if (is(ask->decision, "{{name}}")) {
        // {{about}}
        return any_move(ask);
    }
    // {{end}}
    return any_move(ask);
}

// What ask->view holds, such as when a match of {{seats}} seats begins:
//
// {{view}}

int main(void) {
    return run(choose);
}
