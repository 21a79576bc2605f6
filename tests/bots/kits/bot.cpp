// Reads a view and writes a move as an author may, by the kit for C++.

#include "kit.hpp"

static kit::Move choose(kit::Ask &ask) {
    kit::Json hand = ask.view["hand"], who = ask.view["who"];
    long ally = who["with"].number();
    long sum = 0;
    for (kit::Json marker : ask.view["markers"][1].items())
        sum += marker.number();
    std::map<std::string, std::vector<int>> empty = {{"a", {}}};
    kit::Move of = kit::object("a", empty["a"], "none", nullptr, "say", "with \"quotes\" \\");
    ask.note = "a \"word\"";
    kit::Move move = kit::object("hand", hand.texts(), "first", hand[0].text(), "count", hand.size());
    move.set("sum", sum, "ally", ally);
    bool none = who["none"].exists(), nobody = who.find("nobody").exists();
    move.set("absent", std::vector<bool>{none, nobody}, "flag", ask.view["flag"].truth());
    move.set("twice", 2 * ask.view["half"].real(), "seat", ask.seat);
    move.set("option", ask.options["deck"], "of", of, "samples", ask.samples.size());
    return move;
}

int main() {
    return kit::run(choose);
}
