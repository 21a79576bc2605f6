//! Picks up the highest card first, so that it comes up again before the low ones.
//!
//! `make` builds it. To try first: where both packs are known, put each card where it meets one
//! that it just beats.

mod kit;

use kit::{object, Ask, Json};

const FALLING: &str = "XAKQJT98765432";

/// Sort what was won, the highest first; equal ranks stay in the order listed.
fn choose(ask: &mut Ask) -> Json {
    if ask.decision != "pickup" {
        return ask.legal[0].clone();
    }
    let mut order: Vec<&str> = ask.limits["won"].list().iter().map(Json::text).collect();
    order.sort_by_key(|card| FALLING.find(&card[..1]));
    object! { "order": order }
}

fn main() {
    kit::run(choose);
}
