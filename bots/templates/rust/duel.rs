//! Parries what it can, rests when weak, and strikes when the rival has few cards.
//!
//! `make` builds it. To try first: attack as soon as the rival's answer costs more than the
//! attack, with long ladders.

mod kit;

use kit::{object, Ask, Json};

/// The stamina and the dexterity below which it rests.
const RESERVE: i64 = 4;

/// Answer each of the four decisions.
fn choose(ask: &mut Ask) -> Json {
    match ask.decision.as_str() {
        "action" => act(ask),
        "defend" => defend(ask),
        "emergency_parry" => object! { "use": ask.view["stamina"][ask.seat].int() > RESERVE },
        _ => ask.legal[0].clone(), // choose_trait: the first die
    }
}

/// Rest when weak, strike a rival with few cards, prepare, else draw; one action a turn.
fn act(ask: &Ask) -> Json {
    let dexterity = ask.view["dexterity"][ask.seat].int();
    let mut wanted = vec!["end_turn"];
    if ask.view["stamina"][ask.seat].int() < RESERVE {
        wanted.push("breathe");
    }
    if dexterity < RESERVE {
        wanted.push("footwork");
    }
    if ask.view["hand_size"][1 - ask.seat].int() < 3 && dexterity > 2 {
        wanted.push("attack");
    }
    wanted.extend(["observe", "feint"]);
    for action in wanted {
        if let Some(found) = ask.legal.iter().find(|each| each["action"] == action) {
            return found.clone();
        }
    }
    ask.legal[0].clone()
}

/// The first defence that holds and can be paid, else none.
fn defend(ask: &Ask) -> Json {
    for defence in &ask.legal {
        let cards = defence["cards"].list();
        if cards.is_empty() {
            continue;
        }
        let suit = &cards[0].text()[..1];
        let guard = cards.len() as i64 + ask.view["bonus"][ask.seat][suit].int();
        let price = if suit == "O" { 1 } else { 2 }; // in dexterity
        if guard >= ask.view["attack"]["strength"].int()
            && ask.view["dexterity"][ask.seat].int() > price
        {
            return defence.clone();
        }
    }
    object! { "cards": Json::List(vec![]) }
}

fn main() {
    kit::run(choose);
}
