//! Attacks with a seat that sought us as an ally in the last round, and else arms.
//!
//! `make` builds it. To try first: seek an ally yourself, where the two of you aim far more at
//! the others than they back.

mod kit;

use kit::{object, Ask, Json};

/// Answer each of the two decisions.
fn choose(ask: &mut Ask) -> Json {
    match ask.decision.as_str() {
        "talk" => object! { "say": "" },
        "play" => play(ask),
        _ => ask.legal[0].clone(),
    }
}

/// Accept an offer of the last round, else aim all new missiles where most are aimed from.
fn play(ask: &Ask) -> Json {
    let mut target = ask.limits["partners"][0].index();
    for partner in ask.limits["partners"].list() {
        let seat = partner.index();
        if ask.view["last"] != Json::Null && offers(&ask.view["last"][seat], ask.seat) {
            return object! { "play": "attack", "with": seat };
        }
        if threat(ask, seat) > threat(ask, target) {
            target = seat;
        }
    }
    let mut add = vec![0, 0, 0, 0];
    add[target] = ask.limits["add_max"].int();
    object! { "play": "arm", "add": add }
}

/// Whether a play of the last round was to attack with `seat`.
fn offers(play: &Json, seat: usize) -> bool {
    play.get("with") == Some(&seat.into())
}

/// How many more missiles `seat` aims at us than we at it.
fn threat(ask: &Ask, seat: usize) -> i64 {
    let markers = &ask.view["markers"];
    markers[seat][ask.seat].int() - markers[ask.seat][seat].int()
}

fn main() {
    kit::run(choose);
}
