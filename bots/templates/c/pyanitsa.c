/* Picks up the lowest card first, to lose it again; the highest where the aim is to have cards.
   `make` builds it.

   To try first: where both packs are known, let each card meet one that beats it, and mind the
   six. */

#include "kit.h"

static json choose(struct ask *ask) {
    if (!is(ask->decision, "pickup"))
        return item(ask->legal, 0);
    bool falling = is(get(ask->options, "aim"), "avoid_empty");
    put(ask, "{'order':[");
    for (const char *rank = falling ? "AKQJT98765432" : "23456789TJQKA"; *rank; rank++)
        for_each(card, get(ask->limits, "won"))
            if (letter(card) == *rank)
                put(ask, "%.*s", JSON(card));
    return put(ask, "]}");
}

int main(void) {
    return run(choose);
}
