/* Waits for the end: in this game nothing is ever asked, the cards alone decide.
   `make` builds it.

   To try first: nothing, for no program can play it better. Any other game has decisions. */

#include "kit.h"

static json choose(struct ask *ask) {
    return item(ask->legal, 0);
}

int main(void) {
    return run(choose);
}
