// All guess a number at once, twice: a game that uses all that a kit has.

#include "game_kit.hpp"

#include <algorithm>

struct Guess {
    static constexpr const char *about = R"(@ABOUT@)";

    int high, seats;
    game_kit::Chance dealt;
    std::vector<std::string> secret;
    int round = 1;
    std::vector<int> out, hits;

    Guess(int seats, kit::Json options, const game_kit::Chance &chance)
        : high(options["high"].number()), seats(seats), dealt(chance), hits(seats) {
        if (high == 13)
            throw game_kit::Refused("nobody plays with 13 números");
        secret = chance.shuffled(std::vector<std::string>{"a", "b", "c", "d", "e"}, "secret");
    }

    std::vector<game_kit::Ask> asks() const {
        std::cout << "nor is this" << std::endl;
        std::vector<game_kit::Ask> all;
        for (int seat = 0; seat < seats && round <= 2; ++seat)
            all.push_back({seat, "guess", {}, kit::object("high", high), kit::object("guess", 1)});
        return all;
    }

    kit::Move view(int seat) const {
        return kit::object("round", round, "card", secret[seat], "hits", hits, "out", out);
    }

    std::string check(int, kit::Json move) const {
        return move["guess"].number() > high ? "at most " + std::to_string(high) : "";
    }

    kit::Move canonical(int, kit::Json move) const { return kit::object("guess", move["guess"]); }

    kit::Move sample(int seat, const game_kit::Chance &chance) const {
        return kit::object("guess", chance.die(high, "any", seat));
    }

    void apply(const game_kit::Moves &moves, const game_kit::Chance &chance) {
        int number = chance.die(high, "number", round);
        for (auto [seat, move] : moves)
            hits[seat] += number - move["guess"].number();
        ++round;
    }

    void withdraw(int seat) { out.push_back(seat); }

    game_kit::Result result() const {
        std::vector<int> places;
        std::vector<double> scores;
        for (int mine : hits) {
            places.push_back(
                1 + std::count_if(hits.begin(), hits.end(), [=](int other) { return other > mine; }));
            scores.push_back(mine / 4.0);
        }
        double best = *std::max_element(scores.begin(), scores.end());
        return {places, "rounds", scores, {{"best", best}}};
    }

    Guess resample(int seat, const game_kit::Chance &chance) const {
        Guess other = *this;
        other.secret.erase(other.secret.begin() + seat);
        other.secret = chance.shuffled(other.secret, "again");
        other.secret.insert(other.secret.begin() + seat, secret[seat]);
        return other;
    }

    std::vector<kit::Move> show(std::optional<int> seat) const {
        std::vector<std::string> lines = {(seat ? secret[*seat] : "all") + " ¡\"\\\n"};
        return {kit::object("t", "text", "label", "Table", "lines", lines)};
    }

    std::string describe(int, kit::Json move) const {
        game_kit::Chance chance(move["seed"].text());
        long limit = move["limit"].number();
        std::vector<std::string> names;
        for (kit::Json name : move["names"].items())
            names.push_back(name.raw()[0] == '"' ? name.text() : std::string(name.raw()));
        if (move["shuffle"].truth()) {
            std::vector<int> items(limit);
            for (int at = 0; at < limit; ++at)
                items[at] = at;
            std::string text;
            for (int item : chance.shuffled(items, names.at(0)))
                text += (text.empty() ? "" : " ") + std::to_string(item);
            return text;
        }
        return std::to_string(names.empty()       ? chance.below(limit)
                              : names.size() == 1 ? chance.below(limit, names[0])
                                                  : chance.below(limit, names.at(0), names.at(1)));
    }

    kit::Move table() const {
        return kit::object("first", dealt.choice(secret, "first"), "seats", seats);
    }

    std::vector<std::string> called() const {
        return seats == 2 ? std::vector<std::string>{"ñandú", "two"}
                          : std::vector<std::string>{"ñandú", "two", "three"};
    }
};

int main() {
    std::printf("what is printed is no answer\n");
    return game_kit::run<Guess>();
}
