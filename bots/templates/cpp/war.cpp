// Picks up the highest card first, so that it comes up again before the low ones.
// `make` builds it.
//
// To try first: where both packs are known, put each card where it meets one that it just beats.

#include "kit.hpp"

static const std::string RANKS = "23456789TJQKAX";

static bool higher(const std::string &a, const std::string &b) {
    return RANKS.find(a[0]) > RANKS.find(b[0]);
}

kit::Move choose(kit::Ask &ask) {
    if (ask.decision != "pickup")
        return ask.legal.at(0);
    std::vector<std::string> cards = ask.limits["won"].texts();
    std::stable_sort(cards.begin(), cards.end(), higher);
    return kit::object("order", cards);
}

int main() {
    return kit::run(choose);
}
