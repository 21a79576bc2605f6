// Attacks with a Soldier that is stronger than a card it faces, and else brings in cards.
// `make` builds it.
//
// To try first: attack with two Soldiers together, where neither is strong enough alone.

#include "kit.hpp"

using Cards = std::vector<std::string>;

// How many wounds a card deals, not counting Banners.
static int strength(const std::string &card) {
    int number = std::stoi(card);
    return number < 10 ? number : number == 11 ? 2 : 1;
}

// Takes the strongest card out of `cards`.
static std::string strongest(Cards &cards) {
    auto best = std::max_element(cards.begin(), cards.end(), [](const auto &a, const auto &b) {
        return strength(a) < strength(b);
    });
    std::string card = *best;
    cards.erase(best);
    return card;
}

// Puts the strongest cards in front.
static kit::Move deploy(kit::Ask &ask) {
    Cards left = ask.view["hand"].texts();
    kit::Move move;
    for (const char *zone : {"vanguard", "centre", "rearguard"}) {
        kit::Json room = ask.limits.find(zone);
        if (!room.exists())
            continue;
        Cards cards;
        for (long i = room.number(); i > 0; i--)
            cards.push_back(strongest(left));
        move.set(zone, cards);
    }
    return move;
}

// The cards of the foremost zone that is not empty.
static Cards front(kit::Json zones) {
    Cards cards;
    for (const char *zone : {"vanguard", "centre", "rearguard"})
        if (cards.empty())
            for (const auto &[card, wounds] : zones[zone].members())
                cards.push_back(card);
    return cards;
}

// The first attacker, with its target, that survives; an empty pair if there is none.
static std::pair<std::string, std::string> strike(const Cards &attackers, const Cards &targets) {
    for (const std::string &attacker : attackers)
        for (const std::string &target : targets)
            if (strength(attacker) > strength(target))
                return {attacker, target};
    return {};
}

// Attacks where a strike is possible, else brings the strongest card of the hand to the front.
static kit::Move orders(kit::Ask &ask) {
    Cards fighters, hand = ask.view["hand"].texts();
    for (const std::string &card : front(ask.view["zones"][ask.seat]))
        if (std::stoi(card) <= 7)
            fighters.push_back(card);
    Cards enemy = front(ask.view["zones"][1 - ask.seat]);
    if (hand.empty() || !strike(fighters, enemy).second.empty())
        return kit::object("action", "attack");
    return kit::object("action", "incorporate", "card", strongest(hand), "zone", "vanguard");
}

static kit::Move attack(kit::Ask &ask) {
    if (ask.limits["sweeps"].size() > 0)
        return kit::object("attackers", Cards{ask.limits["sweeps"][0].text()}, "target", nullptr);
    auto [attacker, target] =
        strike(ask.limits["attackers"].texts(), ask.limits["targets"].texts());
    if (target.empty())
        return kit::object("attackers", Cards(), "target", nullptr);
    return kit::object("attackers", Cards{attacker}, "target", target);
}

kit::Move choose(kit::Ask &ask) {
    if (ask.decision == "deploy")
        return deploy(ask);
    if (ask.decision == "orders")
        return orders(ask);
    if (ask.decision == "attack")
        return attack(ask);
    return ask.legal.at(0);
}

int main() {
    return kit::run(choose);
}
