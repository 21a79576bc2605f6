/* Gathers one large army at a border, and rolls with it over whatever is much weaker.
   `make` builds it.

   To try first: place and attack where a continent lacks least, for its bonus every turn. */

#include "kit.h"

/* What the table says of a territory. */
static json facts(struct ask *ask, json territory) {
    char name[40];
    text(territory, name, sizeof name);
    return get(get(ask->table, "territories"), name);
}

/* The owner of a territory, or its armies. */
static long on(struct ask *ask, json territory, const char *field) {
    return number(item(get(ask->view, field), number(get(facts(ask, territory), "number"))));
}

static long armies(struct ask *ask, json territory) { return on(ask, territory, "armies"); }

/* Whether others hold a neighbour of a territory. */
static bool at_border(struct ask *ask, json territory) {
    for_each(other, get(facts(ask, territory), "borders"))
        if (on(ask, other, "owner") != ask->seat)
            return true;
    return false;
}

/* Our territory with most armies among those at a border. */
static json strongest(struct ask *ask) {
    json names = get(ask->limits, "territories"), best = {0};
    for_each(name, names)
        if (at_border(ask, name) && (!exists(best) || armies(ask, name) > armies(ask, best)))
            best = name;
    return exists(best) ? best : item(names, 0);
}

/* Attacks where we have most armies more than the defender, if at least three more. */
static json attack(struct ask *ask) {
    long most = 2;
    json best = {0}, target = {0}, rolls = find(ask->limits, "max_rolls");
    for_each(entry, get(ask->limits, "attacks"))
        for_each(goal, get(entry, "to")) {
            long lead = armies(ask, get(entry, "from")) - armies(ask, goal);
            if (lead > most)
                most = lead, best = entry, target = goal;
        }
    if (!exists(best))
        return put(ask, "{'action':'stop'}");
    json from = get(best, "from");
    put(ask, "{'action':'attack','from':%.*s,'to':%.*s", JSON(from), JSON(target));
    put(ask, "'dice':%ld", number(get(best, "max_dice")));
    if (exists(rolls)) {
        long stop = number(get(best, "max_stop_at"));
        put(ask, "'rolls':%ld,'stop_at':%ld", number(rolls), stop < 3 ? stop : 3);
    }
    return put(ask, "}");
}

/* Brings the largest army that has no enemy beside it one step on, to a border if it can. */
static json fortify(struct ask *ask) {
    long most = 0;
    json best = {0};
    for_each(entry, get(ask->limits, "moves"))
        if (number(get(entry, "max_armies")) > most && !at_border(ask, get(entry, "from")))
            most = number(get(entry, "max_armies")), best = entry;
    if (!exists(best))
        return put(ask, "{'action':'stay'}");
    json from = get(best, "from"), to = item(get(best, "to"), 0);
    for_each(goal, get(best, "to"))
        if (at_border(ask, goal)) {
            to = goal;
            break;
        }
    return put(ask, "{'action':'move','from':%.*s,'to':%.*s,'armies':%ld}", JSON(from), JSON(to),
               most);
}

static json choose(struct ask *ask) {
    if (is(ask->decision, "setup") || is(ask->decision, "deploy")) {
        json name = strongest(ask);
        return put(ask, "{'armies':{%.*s:%ld}}", JSON(name), number(get(ask->limits, "armies")));
    }
    if (is(ask->decision, "attack"))
        return attack(ask);
    if (is(ask->decision, "defend")) /* with as many dice as possible */
        return item(ask->legal, count(ask->legal) - 1);
    if (is(ask->decision, "occupy"))
        return put(ask, "{'armies':%ld}", number(get(ask->limits, "max_armies")));
    if (is(ask->decision, "fortify"))
        return fortify(ask);
    return item(ask->legal, 0); /* trades whenever there is a set */
}

int main(void) {
    return run(choose);
}
