//! Picks up the lowest card first, to lose it again; the highest where the aim is to have cards.
//!
//! `make` builds it. To try first: where both packs are known, let each card meet one that beats
//! it, and mind the six.

mod kit;

use kit::{object, Ask, Json};

const RISING: &str = "23456789TJQKA";
const FALLING: &str = "AKQJT98765432";

/// Sort what was won by rank; equal ranks stay in the order listed.
fn choose(ask: &mut Ask) -> Json {
    if ask.decision != "pickup" {
        return ask.legal[0].clone();
    }
    let ranks = if ask.options["aim"] == "avoid_empty" {
        FALLING
    } else {
        RISING
    };
    let mut order: Vec<&str> = ask.limits["won"].list().iter().map(Json::text).collect();
    order.sort_by_key(|card| ranks.find(&card[..1]));
    object! { "order": order }
}

fn main() {
    kit::run(choose);
}
