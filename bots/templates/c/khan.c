/* Gathers in peace, and defends itself with whatever it has.
   `make` builds it.

   To try first: attack a seat that has tokens in front but few cards, when you hold a leader and a
   ladder of two. */

#include "kit.h"

/* Whether a card is a leader or an ace, or has a neighbour of its suit in the hand. */
static bool useful(struct ask *ask, json card) {
    char name[8], lower[16], higher[16];
    text(card, name, sizeof name);
    int rank = atoi(name + 1);
    if (rank == 1 || rank >= 10)
        return true;
    snprintf(lower, sizeof lower, "%c%d", name[0], rank - 1);
    snprintf(higher, sizeof higher, "%c%d", name[0], rank + 1);
    for_each(held, get(ask->view, "hand"))
        if (is(held, lower) || is(held, higher))
            return true;
    return false;
}

static json choose(struct ask *ask) {
    static const char *fight[] = {"reveal", "gunpowder", "poison", "replace_leader", "retreat"};
    if (is(ask->decision, "discard"))
        for_each(move, ask->legal)
            if (is(get(move, "from"), "hand") && !useful(ask, get(move, "discard")))
                return move;
    for (int i = 0; i < 5; i++)
        if (is(ask->decision, fight[i]))
            return item(ask->legal, count(ask->legal) - 1); /* the first listed does nothing */
    return item(ask->legal, 0); /* of a turn's moves it is the draw */
}

int main(void) {
    return run(choose);
}
