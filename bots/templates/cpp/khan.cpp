// Gathers in peace, and defends itself with whatever it has.
// `make` builds it.
//
// To try first: attack a seat that has tokens in front but few cards, when you hold a leader and a
// ladder of two.

#include "kit.hpp"

#include <set>

static const std::set<std::string> LEADERS = {"C10", "C11", "C12"};
static const std::set<std::string> FIGHT = {"reveal", "gunpowder", "poison", "replace_leader",
                                            "retreat"};

// Whether a card is a leader or an ace, or has a neighbour of its suit in the hand.
static bool useful(const std::vector<std::string> &hand, const std::string &card) {
    int rank = std::stoi(card.substr(1));
    if (LEADERS.count(card) || rank == 1)
        return true;
    return std::any_of(hand.begin(), hand.end(), [&](const std::string &held) {
        return held[0] == card[0] && std::abs(std::stoi(held.substr(1)) - rank) == 1;
    });
}

kit::Move choose(kit::Ask &ask) {
    if (ask.decision == "discard") {
        auto hand = ask.view["hand"].texts();
        for (kit::Json move : ask.legal)
            if (move["from"] == "hand" && !useful(hand, move["discard"].text()))
                return move;
    }
    if (FIGHT.count(ask.decision))
        return ask.legal.back(); // the first one listed does nothing
    return ask.legal.at(0); // of a turn's moves it is the draw
}

int main() {
    return kit::run(choose);
}
