// The loop of a bot in C++17, for authors: copy this file beside your program, it is all you need.
//
// A bot is a function from a decision to a move. This one plays every game:
//
//     #include "kit.hpp"
//
//     kit::Move choose(kit::Ask &ask) {
//         const kit::Moves &moves = ask.legal.empty() ? ask.samples : ask.legal;
//         return moves.at(ask.below(moves.size()));
//     }
//
//     int main() {
//         return kit::run(choose);
//     }
//
// ask.decision names what is asked, ask.view is all that your seat may know. ask.legal lists the
// legal moves; where there would be too many it is empty, ask.limits holds what is needed to make
// one, and ask.samples a few of them at random: as many as kit::run(choose, 4) says. `arena games
// GAME --rules` shows what a bot sees, `--schema` its moves.
//
// A Json is a piece of the line that was read. It lasts as long as the ask; options and table last
// as long as the match.
//
//     view["hand"], list[0]            a member, an item; an exception if it is not there
//     play.find("with")                a member that may be missing
//     exists()                         whether it is there, and not null
//     number(), real(), truth()        a whole number, any number, a boolean
//     text(), texts()                  a string; a list of strings, as a vector
//     items(), size()                  a list as a vector; how many items or members there are
//     play.find("with") == ask.seat    compares with a number, a string or another Json
//     for (auto [zone, cards] : zones.members())      walks an object; zone is a std::string
//
// What is not there, or not of the kind that is read, is an exception that begins with the line of
// yours that reads it: `bot.cpp:17: no member hnad in: {"hand":[]}`.
//
// A listed move is returned as it is, another is made of keys and values: numbers, strings, bool,
// nullptr, Json, other moves, and vectors, arrays, maps and optionals of all these.
//
//     kit::Move move = kit::object("play", "arm", "add", std::vector{0, 2, 1, 1});
//     move.set("one", "more");
//
// Set ask.note to keep a few words with the match. What you print goes to standard error, which is
// kept too. An exception ends the bot, with its message there. ask.below(n) is a random number from
// 0 to n - 1, and ask.rng the generator behind it; it begins anew from each match's seed.
//
// One process plays many matches. A bot that keeps something in static variables should forget it
// where ask.id is 1, the first of a match; then it plays each the same however often repeated.
//
// Where the league grants the bot a door, it asks elsewhere, while it is its turn, and waits for
// the answer. What is refused or fails is a kit::DoorError that says why:
//
//     kit::Answer answer = kit::fetch("https://api.example.org/v1/x", body.json(),
//                                     {{"content-type", "application/json"}});
//     answer.status, answer.headers["content-type"], answer.body, answer.json()["choices"]
//
// answer.body is a std::string, and answer.json() a Json that lasts as long as the answer.

#pragma once

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <unistd.h>

namespace kit {

// A line of the author's program: as a default argument, the one that calls.
struct Here {
    const char *file;
    int line;

    static Here now(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
        return {file, line};
    }

    [[noreturn]] void fail(const std::string &what, std::string_view in) const {
        std::string place = std::string(file) + ":" + std::to_string(line) + ": " + what;
        throw std::runtime_error(in.empty() ? place + ": there is nothing here"
                                            : place + " in: " + std::string(in.substr(0, 300)));
    }
};

// A key or a place, and the line that looks it up.
template <class Value> struct Step {
    Value value;
    Here here;

    template <class From, class = std::enable_if_t<std::is_convertible_v<From, Value>>>
    Step(const From &from, Here at = Here::now()) : value(static_cast<Value>(from)), here(at) {}
};

class Json {
public:
    Json() = default;

    explicit Json(std::string_view line) {
        std::size_t at = 0;
        raw_ = piece(line, at);
    }

    std::string_view raw() const { return raw_; }
    bool exists() const { return !raw_.empty() && raw_ != "null"; }
    bool truth() const { return raw_ == "true"; }
    long number(Here here = Here::now()) const {
        return std::strtol(digits(here).c_str(), nullptr, 10);
    }
    double real(Here here = Here::now()) const {
        return std::strtod(digits(here).c_str(), nullptr);
    }

    std::string text(Here here = Here::now()) const {
        if (!begins_with("\""))
            here.fail("no string", raw_);
        return decoded(raw_.substr(1, raw_.size() - 2));
    }

    std::vector<Json> items() const {
        std::vector<Json> all;
        walk([&](Json, Json item) { return all.push_back(item), true; });
        return all;
    }

    std::vector<std::pair<std::string, Json>> members() const {
        std::vector<std::pair<std::string, Json>> all;
        if (begins_with("{"))
            walk([&](Json key, Json value) { return all.emplace_back(key.text(), value), true; });
        return all;
    }

    std::vector<std::string> texts(Here here = Here::now()) const {
        std::vector<std::string> all;
        walk([&](Json, Json item) { return all.push_back(item.text(here)), true; });
        return all;
    }

    std::size_t size() const { return items().size(); }

    Json find(std::string_view name) const {
        Json found;
        walk([&](Json key, Json value) {
            if (key == name)
                found = value;
            return found.raw_.empty();
        });
        return found;
    }

    Json operator[](Step<std::string_view> name) const {
        Json found = find(name.value);
        if (found.raw_.empty())
            name.here.fail("no member " + std::string(name.value), raw_);
        return found;
    }

    Json operator[](Step<std::size_t> index) const {
        std::vector<Json> all = items();
        if (index.value >= all.size())
            index.here.fail("no item " + std::to_string(index.value), raw_);
        return all[index.value];
    }

    friend bool operator==(Json x, std::string_view text) {
        if (!x.begins_with("\""))
            return false;
        std::string_view inside = x.raw_.substr(1, x.raw_.size() - 2);
        return inside == text || (x.raw_.find('\\') != x.raw_.npos && decoded(inside) == text);
    }
    friend bool operator==(Json x, long number) { return x.raw_ == std::to_string(number); }
    friend bool operator==(Json x, Json y) {
        return x.begins_with("\"") ? y.begins_with("\"") && x.text() == y.text() : x.raw_ == y.raw_;
    }
    template <class Other> friend bool operator!=(Json x, const Other &y) { return !(x == y); }

private:
    std::string_view raw_; // empty for what is not there

    bool begins_with(const char *signs) const {
        return !raw_.empty() && std::strchr(signs, raw_[0]);
    }

    std::string digits(Here here) const {
        if (!begins_with("-0123456789"))
            here.fail("no number", raw_);
        return std::string(raw_);
    }

    // Calls `each` with every key and value, the key empty in a list, until it returns false.
    template <class Each> void walk(Each each) const {
        std::size_t at = 1;
        for (bool on = begins_with("[{"); on;) {
            Json key, value;
            if (raw_[0] == '{')
                key.raw_ = piece(raw_, at);
            value.raw_ = piece(raw_, at);
            on = !value.raw_.empty() && each(key, value);
        }
    }

    // Returns the next value in `text` from `at` on, and moves `at` behind it.
    static std::string_view piece(std::string_view text, std::size_t &at) {
        std::size_t begin = at = std::min(text.find_first_not_of(" \t\r\n,:", at), text.size());
        int depth = 0;
        do {
            char sign = at < text.size() ? text[at] : '\0';
            if (sign == '\0' || (depth == 0 && (sign == ']' || sign == '}')))
                break;
            if (sign == '"') {
                for (++at; at < text.size() && text[at] != '"'; ++at)
                    at += text[at] == '\\';
                ++at;
            } else if (depth == 0 && sign != '[' && sign != '{') {
                at = text.find_first_of(",:]} \t\r\n", at);
            } else {
                depth += (sign == '[' || sign == '{') - (sign == ']' || sign == '}');
                ++at;
            }
        } while (depth > 0);
        at = std::min(at, text.size());
        return text.substr(begin, at - begin);
    }

    static std::string decoded(std::string_view text) {
        std::string out;
        for (std::size_t at = 0; at < text.size(); ++at) {
            static constexpr std::string_view codes = "b\bf\fn\nr\rt\t";
            if (text[at] != '\\' || ++at == text.size()) {
                out += text[at];
            } else if (text[at] == 'u') {
                unsigned long low, code = unit(text, at);
                at += 4;
                if (code >> 10 == 0x36 && text.substr(at + 1, 2) == "\\u" &&
                    (low = unit(text, at + 2)) >> 10 == 0x37) {
                    code = 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF));
                    at += 6;
                }
                append(out, code);
            } else {
                std::size_t code = codes.find(text[at]);
                out += code == codes.npos ? text[at] : codes[code + 1];
            }
        }
        return out;
    }

    static unsigned long unit(std::string_view text, std::size_t u) {
        return std::strtoul(std::string(text.substr(u + 1, 4)).c_str(), nullptr, 16);
    }

    static void append(std::string &out, unsigned long code) {
        if (code < 0x80) {
            out += static_cast<char>(code);
            return;
        }
        int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        out += static_cast<char>((0xF80 >> more & 0xFF) | (code >> 6 * more));
        while (more-- > 0)
            out += static_cast<char>(0x80 | (code >> 6 * more & 0x3F));
    }
};

class Move {
public:
    Move() = default;
    Move(Json listed) : json_(listed.raw()) {}

    const std::string &json() const { return json_; }
    template <class Value, class... More>
    Move &set(std::string_view key, const Value &value, const More &...keys_and_values);

private:
    std::string json_ = "{}";
};

inline std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char sign : text) {
        if (sign == '"' || sign == '\\')
            out += '\\';
        if (static_cast<unsigned char>(sign) >= ' ')
            out += sign;
        else
            out += {'\\', 'u', '0', '0', "01"[sign / 16], "0123456789abcdef"[sign % 16]};
    }
    return out += '"';
}

template <class> constexpr bool is_map = false;
template <class... Of> constexpr bool is_map<std::map<Of...>> = true;
template <class> constexpr bool is_optional = false;
template <class Of> constexpr bool is_optional<std::optional<Of>> = true;

template <class Value> std::string written(const Value &value) {
    if constexpr (std::is_same_v<Value, Json>) {
        return std::string(value.exists() ? value.raw() : "null");
    } else if constexpr (std::is_same_v<Value, Move>) {
        return value.json();
    } else if constexpr (std::is_same_v<Value, bool>) {
        return value ? "true" : "false";
    } else if constexpr (std::is_same_v<Value, std::nullptr_t>) {
        return "null";
    } else if constexpr (is_optional<Value>) {
        return value ? written(*value) : "null";
    } else if constexpr (std::is_floating_point_v<Value>) {
        char digits[32]; // enough of them that the same number is read
        std::snprintf(digits, sizeof digits, "%.17g", static_cast<double>(value));
        return digits;
    } else if constexpr (std::is_arithmetic_v<Value>) {
        return std::to_string(value);
    } else if constexpr (std::is_convertible_v<Value, std::string_view>) {
        return quoted(value);
    } else if constexpr (is_map<Value>) {
        Move object;
        for (const auto &[key, member] : value)
            object.set(key, member);
        return object.json();
    } else {
        std::string out;
        for (const auto &item : value)
            out += (out.empty() ? "" : ",") + written(item);
        return "[" + out + "]";
    }
}

template <class Value, class... More>
Move &Move::set(std::string_view key, const Value &value, const More &...keys_and_values) {
    json_.pop_back();
    json_ += (json_.size() > 1 ? "," : "") + quoted(key) + ":" + written(value) + "}";
    if constexpr (sizeof...(More) > 0)
        set(keys_and_values...);
    return *this;
}

template <class... More> Move object(const More &...keys_and_values) {
    return Move().set(keys_and_values...);
}

// --- the door

struct DoorError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Answer {
    int status = 0;
    std::map<std::string, std::string> headers; // by small letters
    std::string body;

    Json json() const { return Json(body); }
};

inline std::string bytes_of(std::string_view base64) {
    static constexpr std::string_view signs =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    unsigned bits = 0, held = 0;
    for (char sign : base64) {
        std::size_t six = signs.find(sign);
        if (six == signs.npos)
            break;
        bits = bits << 6 | static_cast<unsigned>(six);
        if ((held += 6) >= 8)
            out += static_cast<char>(bits >> (held -= 8));
    }
    return out;
}

// The next line of the door; what came after it is kept.
inline std::string door_line(int from) {
    static std::string unread;
    std::size_t end;
    while ((end = unread.find('\n')) == unread.npos) {
        char piece[65536];
        ssize_t size = ::read(from, piece, sizeof piece);
        if (size > 0)
            unread.append(piece, static_cast<std::size_t>(size));
        else if (size == 0 || errno != EINTR)
            throw DoorError("the door is closed: the referee has closed it");
    }
    std::string line = unread.substr(0, end);
    unread.erase(0, end + 1);
    return line;
}

// Asks an address through the door and waits: by POST if there is a body, else by GET.
inline Answer fetch(std::string_view url, const std::optional<std::string> &body = {},
                    const std::map<std::string, std::string> &headers = {}) {
    static int asked = 0;
    int from, to;
    const char *named = std::getenv("ARENA_DOOR");
    if (!named || std::sscanf(named, "%d,%d", &from, &to) != 2)
        throw DoorError("there is no door: whoever organizes a league grants one, with the names "
                        "that a bot may ask");
    Move request = object("id", ++asked, "url", url);
    if (!headers.empty())
        request.set("headers", headers);
    if (body)
        request.set("body", *body);
    std::signal(SIGPIPE, SIG_IGN); // a door that is closed is told of, and ends no bot
    std::string left = request.json() + "\n";
    while (!left.empty()) {
        ssize_t size = ::write(to, left.data(), left.size());
        if (size > 0)
            left.erase(0, static_cast<std::size_t>(size));
        else if (errno != EINTR)
            throw DoorError("the door is closed: the referee has closed it");
    }
    for (;;) {
        std::string line = door_line(from);
        Json answer(line);
        if (answer["id"] != asked)
            continue; // it is for nobody
        if (answer.find("error").exists())
            throw DoorError(answer["error"].text());
        Answer all;
        all.status = static_cast<int>(answer["status"].number());
        for (auto [name, value] : answer.find("headers").members())
            all.headers[name] = value.text();
        Json text = answer.find("body"), coded = answer.find("body64");
        all.body = coded.exists() ? bytes_of(coded.text()) : text.exists() ? text.text() : "";
        return all;
    }
}

// Legal moves; at and [] look whether there is such a one.
struct Moves : std::vector<Json> {
    const Json &at(std::size_t index, Here here = Here::now()) const {
        if (index >= size())
            here.fail("no move " + std::to_string(index),
                      "a list of " + std::to_string(size()));
        return data()[index];
    }
    const Json &operator[](Step<std::size_t> index) const { return at(index.value, index.here); }
};

struct Ask {
    int id = 0; // 1 for the first of a match
    std::string decision;
    Json view;
    Moves legal, samples;
    Json limits, clock;
    std::string note;

    std::string game;
    int seat = 0, seats = 0; // your own, from 0, and how many there are
    Json options, table;
    std::uint64_t seed = 0;
    std::mt19937_64 rng;

    std::size_t below(std::size_t n) { return n ? rng() % n : 0; }
};

inline void begin_match(Ask &ask, Json start) {
    ask.game = start["game"].text();
    ask.seat = static_cast<int>(start["seat"].number());
    ask.seats = static_cast<int>(start["seats"].number());
    ask.options = start.find("options");
    ask.table = start.find("table");
    ask.seed = static_cast<std::uint64_t>(start["seed"].number());
    ask.rng.seed(ask.seed);
}

template <class Choose> std::string reply(Ask &ask, Json message, Choose &choose) {
    ask.id = static_cast<int>(message["id"].number());
    ask.decision = message["decision"].text();
    ask.view = message["view"];
    ask.legal = {message.find("legal").items()};
    ask.samples = {message.find("samples").items()};
    ask.limits = message.find("limits");
    ask.clock = message.find("clock");
    ask.note.clear();
    Move move = choose(ask);
    if (move.json().empty())
        throw std::runtime_error("no move for " + ask.decision);
    Move reply = object("id", ask.id, "move", move);
    return (ask.note.empty() ? reply : reply.set("note", ask.note)).json();
}

// Keeps the pipe to the referee for replies alone; what else is printed goes to standard error.
inline std::FILE *take_stdout() {
    std::FILE *kept = fdopen(dup(STDOUT_FILENO), "w");
    dup2(STDERR_FILENO, STDOUT_FILENO);
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    return kept;
}

inline std::FILE *const wire = take_stdout(); // before main begins

template <class Choose> int run(Choose choose, int samples = 4) try {
    std::ios::sync_with_stdio(false);
    std::cout << std::unitbuf;
    Ask ask;
    std::string line, start, out;
    while (std::getline(std::cin, line)) {
        Json message(line), type = message.find("type");
        if (type == "hello") {
            out = object("type", "ready", "samples", samples).json();
        } else if (type == "ask") {
            out = reply(ask, message, choose);
        } else if (type == "start") {
            start.swap(line); // options and table stay in it
            begin_match(ask, Json(start));
            continue;
        } else {
            continue;
        }
        std::fprintf(wire, "%s\n", out.c_str());
        std::fflush(wire);
    }
    return 0;
} catch (const std::exception &error) {
    std::cerr << "bot: " << error.what() << std::endl;
    return 1;
}

} // namespace kit
