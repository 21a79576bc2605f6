/* Bets the least, never on a tie, and always goes to war: so it loses as slowly as one can.
   `make` builds it.

   To try first: when the last rounds come and a rival has more money, bet enough to get past it. */

#include "kit.h"

static json choose(struct ask *ask) {
    if (is(ask->decision, "bet")) {
        json range = get(ask->limits, "bet");
        return put(ask, "{'bet':%ld,'tie_bet':0}", number(get(range, "min")));
    }
    return item(ask->legal, 0); /* war, which on average is never worse than to surrender */
}

int main(void) {
    return run(choose);
}
