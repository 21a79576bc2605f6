//! Plays {{game}} by legal moves at random, until you choose better ones. `make` builds it.

mod kit;

use kit::{Ask, Json};

/// A move; each decision of the game has its place here.
fn choose(ask: &mut Ask) -> Json {
    match ask.decision.as_str() {
        // {{each decision}}
        "{{name}}" => {
            // {{about}}
            any_move(ask)
        }
        // {{end}}
        _ => any_move(ask),
    }
}

/// One of the legal moves or, where they are not listed, of the samples.
fn any_move(ask: &mut Ask) -> Json {
    let listed = !ask.legal.is_empty();
    let moves = if listed { &ask.legal } else { &ask.samples };
    ask.rng.pick(moves).clone()
}

// What `ask.view` holds, such as when a match of {{seats}} seats begins:
//
// {{view}}

fn main() {
    kit::run(choose);
}
