/* Attacks with a Soldier that is stronger than a card it faces, and else brings in cards.
   `make` builds it.

   To try first: attack with two Soldiers together, where neither is strong enough alone. */

#include "kit.h"

static int rank(json card) {
    char name[8];
    text(card, name, sizeof name);
    return atoi(name);
}

/* How many wounds a card deals, not counting Banners. */
static int strength(json card) {
    return rank(card) < 10 ? rank(card) : rank(card) == 11 ? 2 : 1;
}

/* The card that is strongest but for so many others; equals in the order listed. */
static json strongest(json cards, int others) {
    for (int most = 9; most > 0; most--)
        for_each(card, cards)
            if (strength(card) == most && others-- == 0)
                return card;
    return item(cards, 0);
}

/* Puts the strongest cards in front. */
static json deploy(struct ask *ask) {
    static const char *zones[] = {"vanguard", "centre", "rearguard"};
    json hand = get(ask->view, "hand");
    int placed = 0;
    put(ask, "{");
    for (int zone = 0; zone < 3; zone++) {
        json room = find(ask->limits, zones[zone]);
        if (!room.size)
            continue;
        put(ask, "'%s':[", zones[zone]);
        for (long i = 0; i < number(room); i++) {
            json card = strongest(hand, placed++);
            put(ask, "%.*s", JSON(card));
        }
        put(ask, "]");
    }
    return put(ask, "}");
}

/* The cards of the foremost zone that is not empty. */
static json front(json zones) {
    json cards = get(zones, "vanguard");
    if (!count(cards))
        cards = get(zones, "centre");
    return count(cards) ? cards : get(zones, "rearguard");
}

struct strike {
    json attacker, target;
};

/* The first attack by a Soldier that it survives; without a target if there is none. */
static struct strike strike(json attackers, json targets) {
    for_each(attacker, attackers)
        for_each(target, targets)
            if (rank(attacker) <= 7 && strength(attacker) > strength(target))
                return (struct strike){attacker, target};
    return (struct strike){0};
}

/* Attacks where a strike is possible, else brings the strongest card of the hand to the front. */
static json orders(struct ask *ask) {
    json zones = get(ask->view, "zones"), hand = get(ask->view, "hand");
    json own = front(item(zones, ask->seat)), enemy = front(item(zones, 1 - ask->seat));
    if (!count(hand) || exists(strike(own, enemy).target))
        return put(ask, "{'action':'attack'}");
    json card = strongest(hand, 0);
    return put(ask, "{'action':'incorporate','zone':'vanguard','card':%.*s}", JSON(card));
}

static json attack(struct ask *ask) {
    json sweeps = get(ask->limits, "sweeps");
    for_each(knight, sweeps)
        return put(ask, "{'attackers':[%.*s],'target':null}", JSON(knight));
    struct strike found = strike(get(ask->limits, "attackers"), get(ask->limits, "targets"));
    if (!exists(found.target))
        return put(ask, "{'attackers':[],'target':null}");
    return put(ask, "{'attackers':[%.*s],'target':%.*s}", JSON(found.attacker), JSON(found.target));
}

static json choose(struct ask *ask) {
    if (is(ask->decision, "deploy"))
        return deploy(ask);
    if (is(ask->decision, "orders"))
        return orders(ask);
    if (is(ask->decision, "attack"))
        return attack(ask);
    return item(ask->legal, 0);
}

int main(void) {
    return run(choose);
}
