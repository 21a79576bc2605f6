// Gathers one large army at a border, and rolls with it over whatever is much weaker.
// `make` builds it.
//
// To try first: place and attack where a continent lacks least, for its bonus every turn.

#include "kit.hpp"

// The owner of a territory, or its armies.
static long on(const kit::Ask &ask, const std::string &name, const char *field) {
    std::size_t number = ask.table["territories"][name]["number"].number();
    return ask.view[field][number].number();
}

static long armies(const kit::Ask &ask, const std::string &name) {
    return on(ask, name, "armies");
}

// Whether others hold a neighbour of a territory.
static bool at_border(const kit::Ask &ask, const std::string &name) {
    for (const std::string &other : ask.table["territories"][name]["borders"].texts())
        if (on(ask, other, "owner") != ask.seat)
            return true;
    return false;
}

// Our territory with most armies among those at a border.
static std::string strongest(const kit::Ask &ask) {
    auto names = ask.limits["territories"].texts();
    std::string best;
    for (const std::string &name : names)
        if (at_border(ask, name) && (best.empty() || armies(ask, name) > armies(ask, best)))
            best = name;
    return best.empty() ? names.at(0) : best;
}

// Attacks where we have most armies more than the defender, if at least three more.
static kit::Move attack(const kit::Ask &ask) {
    long most = 2;
    kit::Move move = kit::object("action", "stop");
    for (kit::Json entry : ask.limits["attacks"].items())
        for (const std::string &goal : entry["to"].texts()) {
            std::string from = entry["from"].text();
            long lead = armies(ask, from) - armies(ask, goal);
            if (lead <= most)
                continue;
            most = lead;
            move = kit::object("action", "attack", "from", from, "to", goal);
            move.set("dice", entry["max_dice"]);
            if (kit::Json rolls = ask.limits.find("max_rolls"); rolls.exists())
                move.set("rolls", rolls, "stop_at", std::min(3L, entry["max_stop_at"].number()));
        }
    return move;
}

// Brings the largest army that has no enemy beside it one step on, to a border if it can.
static kit::Move fortify(const kit::Ask &ask) {
    long most = 0;
    kit::Move move = kit::object("action", "stay");
    for (kit::Json entry : ask.limits["moves"].items()) {
        std::string from = entry["from"].text();
        if (entry["max_armies"].number() <= most || at_border(ask, from))
            continue;
        most = entry["max_armies"].number();
        auto goals = entry["to"].texts();
        auto goal = std::find_if(goals.begin(), goals.end(), [&](const std::string &name) {
            return at_border(ask, name);
        });
        std::string to = goal == goals.end() ? goals.at(0) : *goal;
        move = kit::object("action", "move", "from", from, "to", to, "armies", most);
    }
    return move;
}

kit::Move choose(kit::Ask &ask) {
    if (ask.decision == "setup" || ask.decision == "deploy")
        return kit::object("armies", std::map<std::string, kit::Json>{
                                         {strongest(ask), ask.limits["armies"]}});
    if (ask.decision == "attack")
        return attack(ask);
    if (ask.decision == "defend")
        return ask.legal.back(); // with as many dice as possible
    if (ask.decision == "occupy")
        return kit::object("armies", ask.limits["max_armies"]);
    if (ask.decision == "fortify")
        return fortify(ask);
    return ask.legal.at(0); // trade whenever there is a set
}

int main() {
    return kit::run(choose);
}
