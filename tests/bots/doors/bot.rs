//! Asks through the door what it is asked, by the kit for Rust.

mod kit;

use kit::{object, Ask, Json};

fn choose(ask: &mut Ask) -> Json {
    let body = ask.view.get("body").map(Json::text);
    let headers = [("x-one", "a \"b\"")];
    let answer = match kit::fetch(ask.view["url"].text(), body, &headers) {
        Ok(answer) => answer,
        Err(why) => return object! { "error": why },
    };
    let kind = answer.headers["content-type"].as_str();
    let mut said = object! {
        "status": i32::from(answer.status), "size": answer.body.len(), "kind": kind,
    };
    if kind == "application/json" {
        said.set("says", &answer.json()["says"]);
    }
    said
}

fn main() {
    kit::run(choose);
}
