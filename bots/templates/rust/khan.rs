//! Gathers in peace, and defends itself with whatever it has.
//!
//! `make` builds it. To try first: attack a seat that has tokens in front but few cards, when
//! you hold a leader and a ladder of two.

mod kit;

use kit::{Ask, Json};

const LEADERS: [&str; 3] = ["C10", "C11", "C12"];

/// Draw, give up what makes no ladder, and show and use all there is.
fn choose(ask: &mut Ask) -> Json {
    let last = ask.legal.len() - 1;
    let place = match ask.decision.as_str() {
        "turn" | "place_front" => 0, // the draw; the two lowest cards
        "discard" => ask
            .legal
            .iter()
            .position(|each| useless(ask, each))
            .unwrap_or(0),
        _ => last,
    };
    ask.legal[place].clone()
}

/// Whether a card of the hand is given up that is not useful.
fn useless(ask: &Ask, discard: &Json) -> bool {
    discard["from"] == "hand" && !useful(ask, discard["discard"].text())
}

/// Whether a card is a leader or an ace, or has a neighbour of its suit in the hand.
fn useful(ask: &Ask, card: &str) -> bool {
    let (suit, rank) = card.split_at(1);
    let rank: i64 = rank.parse().expect("a card is a suit and a number");
    let held = |near| {
        ask.view["hand"]
            .list()
            .contains(&format!("{}{}", suit, near).into())
    };
    LEADERS.contains(&card) || rank == 1 || held(rank - 1) || held(rank + 1)
}

fn main() {
    kit::run(choose);
}
