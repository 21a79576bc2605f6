// Picks up the lowest card first, to lose it again; the highest where the aim is to have cards.
// `make` builds it.
//
// To try first: where both packs are known, let each card meet one that beats it, and mind the six.

#include "kit.hpp"

kit::Move choose(kit::Ask &ask) {
    if (ask.decision != "pickup")
        return ask.legal.at(0);
    bool falling = ask.options["aim"] == "avoid_empty";
    std::string ranks = falling ? "AKQJT98765432" : "23456789TJQKA";
    std::vector<std::string> cards = ask.limits["won"].texts();
    std::stable_sort(cards.begin(), cards.end(), [&](const auto &a, const auto &b) {
        return ranks.find(a[0]) < ranks.find(b[0]);
    });
    return kit::object("order", cards);
}

int main() {
    return kit::run(choose);
}
