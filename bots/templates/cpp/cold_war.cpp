// Attacks with a seat that sought us as an ally in the last round, and else arms.
// `make` builds it.
//
// To try first: seek an ally yourself, where the two of you aim far more at the others than they
// back.

#include "kit.hpp"

// How many more missiles a seat aims at us than we at it.
static long threat(const kit::Ask &ask, long seat) {
    kit::Json markers = ask.view["markers"];
    return markers[seat][ask.seat].number() - markers[ask.seat][seat].number();
}

kit::Move choose(kit::Ask &ask) {
    if (ask.decision == "talk")
        return kit::object("say", "");
    if (ask.decision != "play")
        return ask.legal.at(0);
    kit::Json partners = ask.limits["partners"], last = ask.view["last"];
    long target = partners[0].number();
    for (kit::Json partner : partners.items()) {
        long seat = partner.number();
        if (last.exists() && last[seat].find("with") == ask.seat)
            return kit::object("play", "attack", "with", seat);
        if (threat(ask, seat) > threat(ask, target))
            target = seat;
    }
    std::vector<long> add(4);
    add.at(target) = ask.limits["add_max"].number();
    return kit::object("play", "arm", "add", add);
}

int main() {
    return kit::run(choose);
}
