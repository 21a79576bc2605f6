// Asks through the door what it is asked, by the kit for C++.

#include "kit.hpp"

static kit::Move choose(kit::Ask &ask) {
    try {
        kit::Json body = ask.view.find("body");
        std::optional<std::string> given;
        if (body.exists())
            given = body.text();
        kit::Answer answer =
            kit::fetch(ask.view["url"].text(), given, {{"x-one", "a \"b\""}});
        std::string kind = answer.headers["content-type"];
        kit::Move said = kit::object("status", answer.status, "size", answer.body.size());
        said.set("kind", kind);
        if (kind == "application/json")
            said.set("says", answer.json()["says"]);
        return said;
    } catch (const kit::DoorError &error) {
        return kit::object("error", error.what());
    }
}

int main() {
    return kit::run(choose);
}
