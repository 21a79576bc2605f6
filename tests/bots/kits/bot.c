/* Reads a view and writes a move as an author may, by the kit for C. */

#include "kit.h"

static json choose(struct ask *ask) {
    json hand = get(ask->view, "hand"), who = get(ask->view, "who");
    long ally = number(get(who, "with"));
    char first[8];
    text(item(hand, 0), first, sizeof first);
    if (letter(item(hand, 0)) != 'C' || !same(item(hand, 0), item(hand, 0)))
        return put(ask, "{}");
    put(ask, "{'hand':[");
    for_each(card, hand)
        put(ask, "%.*s", JSON(card));
    put(ask, "], 'first':");
    put_string(ask, first);
    long sum = 0;
    for_each(marker, item(get(ask->view, "markers"), 1))
        sum += number(marker);
    put(ask, "'count':%ld,'sum':%ld,'ally':%ld", count(hand), sum, ally);
    put(ask, "'absent':[%s,%s]", exists(get(who, "none")) ? "true" : "false",
        exists(find(who, "nobody")) ? "true" : "false");
    put(ask, "'flag':%s", is_true(get(ask->view, "flag")) ? "true" : "false");
    put(ask, "'twice':%.1f", 2 * real(get(ask->view, "half")));
    put(ask, "'seat':%d,'option':%ld", ask->seat, number(get(ask->options, "deck")));
    put(ask, "'of':{'a':[],'none':null,'say':");
    put_string(ask, "with \"quotes\" \\");
    note(ask, "a \"%s\"", "word");
    return put(ask, "},'samples':%ld}", count(ask->samples));
}

int main(void) {
    return run(choose);
}
