//! Steals the largest pile it can, and tops its own with the rank that lies open most often.
//!
//! `make` builds it. To try first: play a high card, instead of stealing a small pile with it, in
//! a war over many cards.

mod kit;

use kit::{Ask, Json};

/// The first of the moves that are worth most.
fn choose(ask: &mut Ask) -> Json {
    let mut best = &ask.legal[0];
    for each in &ask.legal {
        if worth(ask, each) > worth(ask, best) {
            best = each;
        }
    }
    best.clone()
}

/// How many cards a theft takes, or how many of its rank the top's rivals lack.
fn worth(ask: &Ask, choice: &Json) -> usize {
    let piles = &ask.view["piles"];
    if ask.decision == "top" {
        let rank = &choice["top"].text()[..1];
        let open: usize = piles.list().iter().map(|pile| count(rank, pile)).sum();
        return open + count(rank, &ask.view["won"]) + if rank == "X" { 2 } else { 0 };
    }
    if choice["action"] == "steal" && !ask.view["protected"].list().contains(&choice["target"]) {
        return piles[choice["target"].index()].list().len();
    }
    0
}

/// How many of the cards are of a rank.
fn count(rank: &str, cards: &Json) -> usize {
    cards
        .list()
        .iter()
        .filter(|card| card.text().starts_with(rank))
        .count()
}

fn main() {
    kit::run(choose);
}
