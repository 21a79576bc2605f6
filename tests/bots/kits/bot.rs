//! Reads a view and writes a move as an author may, by the kit for Rust.

mod kit;

use kit::{object, Ask, Json};

fn choose(ask: &mut Ask) -> Json {
    ask.note = "a \"word\"".to_string();
    let who = &ask.view["who"];
    let ally = who["with"].int();
    let hand = &ask.view["hand"];
    let sum: i64 = ask.view["markers"][1].list().iter().map(Json::int).sum();
    let absent = vec![who["none"] != Json::Null, who.get("nobody").is_some()];
    let nothing: Vec<Json> = Vec::new();
    let of = object! { "a": nothing, "none": Json::Null, "say": "with \"quotes\" \\" };
    let mut reply = object! {
        "hand": hand,
        "first": hand[0].text(),
        "count": hand.list().len(),
        "sum": sum,
        "ally": ally,
        "absent": absent,
        "flag": ask.view["flag"].bool(),
        "twice": 2.0 * ask.view["half"].float(),
        "seat": ask.seat,
        "option": &ask.options["deck"],
        "of": of,
    };
    reply.set("samples", ask.samples.len());
    reply
}

fn main() {
    kit::run(choose);
}
