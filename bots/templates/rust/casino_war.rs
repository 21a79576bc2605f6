//! Bets the least, never on a tie, and always goes to war: so it loses as slowly as one can.
//!
//! `make` builds it. To try first: when the last rounds come and a rival has more money, bet
//! enough to get past it.

mod kit;

use kit::{object, Ask, Json};

/// Answer each of the two decisions.
fn choose(ask: &mut Ask) -> Json {
    if ask.decision == "bet" {
        return object! { "bet": &ask.limits["bet"]["min"], "tie_bet": 0 };
    }
    ask.legal[0].clone() // war, which on average is never worse than to surrender
}

fn main() {
    kit::run(choose);
}
