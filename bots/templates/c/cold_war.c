/* Attacks with a seat that sought us as an ally in the last round, and else arms.
   `make` builds it.

   To try first: seek an ally yourself, where the two of you aim far more at the others than they
   back. */

#include "kit.h"

static long aimed(struct ask *ask, long from, long at) {
    return number(item(item(get(ask->view, "markers"), from), at));
}

/* How many more missiles a seat aims at us than we at it. */
static long threat(struct ask *ask, long seat) {
    return aimed(ask, seat, ask->seat) - aimed(ask, ask->seat, seat);
}

static json choose(struct ask *ask) {
    if (is(ask->decision, "talk"))
        return put(ask, "{'say':''}");
    if (!is(ask->decision, "play"))
        return item(ask->legal, 0);
    json partners = get(ask->limits, "partners"), last = get(ask->view, "last");
    long target = number(item(partners, 0));
    for_each(partner, partners) {
        long seat = number(partner);
        json with = exists(last) ? find(item(last, seat), "with") : last;
        if (exists(with) && number(with) == ask->seat)
            return put(ask, "{'play':'attack','with':%ld}", seat);
        if (threat(ask, seat) > threat(ask, target))
            target = seat;
    }
    put(ask, "{'play':'arm','add':[");
    for (long seat = 0; seat < 4; seat++)
        put(ask, "%ld", seat == target ? number(get(ask->limits, "add_max")) : 0);
    return put(ask, "]}");
}

int main(void) {
    return run(choose);
}
