/* Parries what it can, rests when weak, and strikes when the rival has few cards.
   `make` builds it.

   To try first: attack as soon as the rival's answer costs more than the attack, with long
   ladders. */

#include "kit.h"

enum { RESERVE = 4 }; /* the stamina and the dexterity below which it rests */

/* Seat's number in one of the lists of two in the view. */
static long of(struct ask *ask, const char *name, int seat) {
    return number(item(get(ask->view, name), seat));
}

/* Rests when weak, strikes a rival with few cards, prepares, else draws; one action a turn. */
static json act(struct ask *ask) {
    long dexterity = of(ask, "dexterity", ask->seat);
    bool strikes = of(ask, "hand_size", 1 - ask->seat) < 3 && dexterity > 2;
    const char *wanted[] = {
        "end_turn",
        of(ask, "stamina", ask->seat) < RESERVE ? "breathe" : "",
        dexterity < RESERVE ? "footwork" : "",
        strikes ? "attack" : "",
        "observe",
        "feint",
    };
    for (int i = 0; i < 6; i++)
        for_each(move, ask->legal)
            if (is(get(move, "action"), wanted[i]))
                return move;
    return item(ask->legal, 0);
}

/* The first defence that holds and can be paid, else none. */
static json defend(struct ask *ask) {
    for_each(move, ask->legal) {
        json cards = get(move, "cards");
        if (!count(cards))
            continue;
        char suit[] = {letter(item(cards, 0)), 0};
        json bonus = item(get(ask->view, "bonus"), ask->seat);
        long guard = count(cards) + number(get(bonus, suit)), price = *suit == 'O' ? 1 : 2;
        if (guard >= number(get(get(ask->view, "attack"), "strength")) &&
            of(ask, "dexterity", ask->seat) > price)
            return move;
    }
    return put(ask, "{'cards':[]}");
}

static json choose(struct ask *ask) {
    if (is(ask->decision, "action"))
        return act(ask);
    if (is(ask->decision, "defend"))
        return defend(ask);
    if (is(ask->decision, "emergency_parry"))
        return put(ask, "{'use':%s}", of(ask, "stamina", ask->seat) > RESERVE ? "true" : "false");
    return item(ask->legal, 0); /* choose_trait: the first die */
}

int main(void) {
    return run(choose);
}
