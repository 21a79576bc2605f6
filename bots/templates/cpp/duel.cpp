// Parries what it can, rests when weak, and strikes when the rival has few cards.
// `make` builds it.
//
// To try first: attack as soon as the rival's answer costs more than the attack, with long ladders.

#include "kit.hpp"

constexpr long RESERVE = 4; // the stamina and the dexterity below which it rests

// Rests when weak, strikes a rival with few cards, prepares, else draws; one action a turn.
static kit::Move act(const kit::Ask &ask) {
    long stamina = ask.view["stamina"][ask.seat].number();
    long dexterity = ask.view["dexterity"][ask.seat].number();
    std::vector<std::string> wanted = {"end_turn"};
    if (stamina < RESERVE)
        wanted.push_back("breathe");
    if (dexterity < RESERVE)
        wanted.push_back("footwork");
    if (ask.view["hand_size"][1 - ask.seat].number() < 3 && dexterity > 2)
        wanted.push_back("attack");
    wanted.insert(wanted.end(), {"observe", "feint"});
    for (const std::string &action : wanted)
        for (kit::Json move : ask.legal)
            if (move["action"] == action)
                return move;
    return ask.legal.at(0);
}

// The first defence that holds and can be paid, else none.
static kit::Move defend(const kit::Ask &ask) {
    long dexterity = ask.view["dexterity"][ask.seat].number();
    long strength = ask.view["attack"]["strength"].number();
    for (kit::Json move : ask.legal) {
        std::vector<std::string> cards = move["cards"].texts();
        if (cards.empty())
            continue;
        std::string suit = cards[0].substr(0, 1);
        long guard = static_cast<long>(cards.size()) + ask.view["bonus"][ask.seat][suit].number();
        if (guard >= strength && dexterity > (suit == "O" ? 1 : 2)) // what a defence costs
            return move;
    }
    return kit::object("cards", std::vector<std::string>());
}

kit::Move choose(kit::Ask &ask) {
    if (ask.decision == "action")
        return act(ask);
    if (ask.decision == "defend")
        return defend(ask);
    if (ask.decision == "emergency_parry")
        return kit::object("use", ask.view["stamina"][ask.seat].number() > RESERVE);
    return ask.legal.at(0); // choose_trait: the first die
}

int main() {
    return kit::run(choose);
}
