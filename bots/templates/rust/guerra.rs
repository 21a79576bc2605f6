//! Attacks with a Soldier that is stronger than a card it faces, and else brings in cards.
//!
//! `make` builds it. To try first: attack with two Soldiers together, where neither is strong
//! enough alone.

mod kit;

use kit::{object, Ask, Json};

const ZONES: [&str; 3] = ["vanguard", "centre", "rearguard"];

/// Answer each of the four decisions.
fn choose(ask: &mut Ask) -> Json {
    match ask.decision.as_str() {
        "deploy" => deploy(ask),
        "orders" => orders(ask),
        "attack" => attack(ask),
        _ => ask.legal[0].clone(),
    }
}

/// Put the strongest cards in front.
fn deploy(ask: &Ask) -> Json {
    let mut left = texts(&ask.view["hand"]);
    let mut cards = object! {};
    for zone in ZONES {
        if let Some(wanted) = ask.limits.get(zone) {
            let taken: Vec<&str> = (0..wanted.int()).map(|_| strongest(&mut left)).collect();
            cards.set(zone, taken);
        }
    }
    cards
}

/// Attack where a strike is possible, else bring the strongest card of the hand to the front.
fn orders(ask: &Ask) -> Json {
    let mut fighters = front(&ask.view["zones"][ask.seat]);
    fighters.retain(|card| (2..=7).contains(&number(card)));
    let mut hand = texts(&ask.view["hand"]);
    if hand.is_empty() || strike(&fighters, &front(&ask.view["zones"][1 - ask.seat])).is_some() {
        return object! { "action": "attack" };
    }
    object! { "action": "incorporate", "card": strongest(&mut hand), "zone": "vanguard" }
}

/// Sweep if possible, else make the first attack that its attacker survives, else stop.
fn attack(ask: &Ask) -> Json {
    if let Some(first) = ask.limits["sweeps"].list().first() {
        return object! { "attackers": vec![first], "target": Json::Null };
    }
    match strike(
        &texts(&ask.limits["attackers"]),
        &texts(&ask.limits["targets"]),
    ) {
        Some((attacker, target)) => object! { "attackers": vec![attacker], "target": target },
        None => object! { "attackers": Json::List(vec![]), "target": Json::Null },
    }
}

/// The first attacker that is stronger than a target, with that target.
fn strike<'a>(attackers: &[&'a str], targets: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let mut pairs = attackers
        .iter()
        .flat_map(|a| targets.iter().map(move |t| (*a, *t)));
    pairs.find(|(attacker, target)| strength(attacker) > strength(target))
}

/// The cards of the foremost zone that is not empty.
fn front(zones: &Json) -> Vec<&str> {
    let mut cards = ZONES.iter().map(|zone| zones[*zone].members());
    let foremost = cards.find(|cards| !cards.is_empty()).unwrap_or_default();
    foremost.iter().map(|member| member.0.as_str()).collect()
}

/// Take the strongest card out of `cards`, the first of such.
fn strongest<'a>(cards: &mut Vec<&'a str>) -> &'a str {
    let most = cards.iter().map(|card| strength(card)).max();
    let place = cards.iter().position(|card| Some(strength(card)) == most);
    cards.remove(place.expect("there are cards"))
}

/// How many wounds a card deals, doubling by Banners left aside.
fn strength(card: &str) -> i64 {
    match number(card) {
        11 => 2,
        10 | 12 => 1,
        soldier => soldier,
    }
}

fn number(card: &str) -> i64 {
    card[..card.len() - 1]
        .parse()
        .expect("a card is a number and a suit")
}

fn texts(list: &Json) -> Vec<&str> {
    list.list().iter().map(Json::text).collect()
}

fn main() {
    kit::run(choose);
}
