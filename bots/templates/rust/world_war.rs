//! Gathers one large army at a border, and rolls with it over whatever is much weaker.
//!
//! `make` builds it. To try first: place and attack where a continent lacks least, for its bonus
//! every turn.

mod kit;

use kit::{object, Ask, Json};

/// Answer each of the seven decisions.
fn choose(ask: &mut Ask) -> Json {
    match ask.decision.as_str() {
        "setup" | "deploy" => {
            let mut armies = object! {};
            armies.set(strongest(ask), &ask.limits["armies"]);
            object! { "armies": armies }
        }
        "attack" => attack(ask),
        "defend" => ask.legal[ask.legal.len() - 1].clone(), // with as many dice as possible
        "occupy" => object! { "armies": &ask.limits["max_armies"] },
        "fortify" => fortify(ask),
        _ => ask.legal[0].clone(), // trade whenever there is a set
    }
}

/// The owner of a territory, or its armies.
fn on<'a>(ask: &'a Ask, name: &str, field: &str) -> &'a Json {
    let number = ask.table["territories"][name]["number"].index();
    &ask.view[field][number]
}

/// Whether others hold a neighbour of a territory.
fn at_border(ask: &Ask, name: &str) -> bool {
    let borders = ask.table["territories"][name]["borders"].list();
    borders
        .iter()
        .any(|other| *on(ask, other.text(), "owner") != ask.seat)
}

/// Our territory with most armies among those at a border.
fn strongest(ask: &Ask) -> &str {
    let armies = |name: &str| on(ask, name, "armies").int();
    let names = ask.limits["territories"].list().iter().map(Json::text);
    let mut best = "";
    for name in names {
        if at_border(ask, name) && (best.is_empty() || armies(name) > armies(best)) {
            best = name;
        }
    }
    if best.is_empty() {
        ask.limits["territories"][0].text()
    } else {
        best
    }
}

/// Attack where we have most armies more than the defender, if at least three more.
fn attack(ask: &Ask) -> Json {
    let armies = |name: &Json| on(ask, name.text(), "armies").int();
    let (mut most, mut order) = (2, object! { "action": "stop" });
    for entry in ask.limits["attacks"].list() {
        for goal in entry["to"].list() {
            let from = &entry["from"];
            let lead = armies(from) - armies(goal);
            if lead > most {
                most = lead;
                order = object! { "action": "attack", "from": from, "to": goal };
                order.set("dice", &entry["max_dice"]);
                if let Some(rolls) = ask.limits.get("max_rolls") {
                    order.set("rolls", rolls);
                    order.set("stop_at", entry["max_stop_at"].int().min(3));
                }
            }
        }
    }
    order
}

/// Bring the largest army that has no enemy beside it one step on, to a border if it can.
fn fortify(ask: &Ask) -> Json {
    let (mut most, mut order) = (0, object! { "action": "stay" });
    for entry in ask.limits["moves"].list() {
        let (from, to) = (&entry["from"], entry["to"].list());
        if entry["max_armies"].int() > most && !at_border(ask, from.text()) {
            most = entry["max_armies"].int();
            let goal = to
                .iter()
                .find(|name| at_border(ask, name.text()))
                .unwrap_or(&to[0]);
            order = object! { "action": "move", "from": from, "to": goal, "armies": most };
        }
    }
    order
}

fn main() {
    kit::run(choose);
}
