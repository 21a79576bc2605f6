//! All guess a number at once, twice: a game that uses all that a kit has.

mod game_kit;
mod kit;

use game_kit::{Ask, Chance, Ended, Game, Moves};
use kit::{object, Json};
use std::fmt::Display;

#[derive(Clone)]
struct Guess {
    high: i64,
    seats: usize,
    dealt: Chance,
    secret: Vec<String>,
    round: usize,
    out: Vec<usize>,
    hits: Vec<i64>,
}

impl Game for Guess {
    const ABOUT: &'static str = r#"@ABOUT@"#;
    const CAN: &'static [&'static str] = &[
        "check", "canonical", "sample", "show", "describe", "resample", "table", "called",
        "withdraw",
    ];

    fn new(seats: usize, options: &Json, chance: &Chance) -> Result<Self, String> {
        let high = options["high"].int();
        if high == 13 {
            return Err("nobody plays with 13 números".to_string());
        }
        let cards = ["a", "b", "c", "d", "e"].map(String::from);
        Ok(Guess {
            high,
            seats,
            dealt: chance.clone(),
            secret: chance.shuffled(&cards, &[&"secret"]),
            round: 1,
            out: vec![],
            hits: vec![0; seats],
        })
    }

    fn asks(&self) -> Vec<Ask> {
        println!("nor is this");
        let seats = if self.round > 2 { 0 } else { self.seats };
        let ask = |seat| Ask {
            seat,
            decision: "guess".to_string(),
            limits: Some(object! { "high": self.high }),
            default_move: Some(object! { "guess": 1 }),
            ..Ask::default()
        };
        (0..seats).map(ask).collect()
    }

    fn view(&self, seat: usize) -> Json {
        object! {
            "round": self.round,
            "card": self.secret[seat].as_str(),
            "hits": self.hits.clone(),
            "out": self.out.clone(),
        }
    }

    fn check(&self, _seat: usize, guess: &Json) -> String {
        let is_legal = guess["guess"].int() <= self.high;
        if is_legal { String::new() } else { format!("at most {}", self.high) }
    }

    fn canonical(&self, _seat: usize, guess: &Json) -> Json {
        object! { "guess": &guess["guess"] }
    }

    fn sample(&self, seat: usize, chance: &Chance) -> Json {
        object! { "guess": chance.die(self.high as u64, &[&"any", &seat]) as i64 }
    }

    fn apply(&mut self, moves: &Moves, chance: &Chance) {
        let number = chance.die(self.high as u64, &[&"number", &self.round]) as i64;
        for (&seat, guess) in moves {
            self.hits[seat] += number - guess["guess"].int();
        }
        self.round += 1;
    }

    fn withdraw(&mut self, seat: usize) {
        self.out.push(seat);
    }

    fn result(&self) -> Ended {
        let place = |mine| 1 + self.hits.iter().filter(|other| *other > mine).count();
        let scores: Vec<f64> = self.hits.iter().map(|hits| *hits as f64 / 4.0).collect();
        let best = scores.iter().copied().fold(f64::MIN, f64::max);
        Ended {
            places: self.hits.iter().map(place).collect(),
            reason: "rounds".to_string(),
            scores,
            numbers: vec![("best".to_string(), best)],
        }
    }

    fn resample(&self, seat: usize, chance: &Chance) -> Self {
        let mut other = self.clone();
        other.secret.remove(seat);
        other.secret = chance.shuffled(&other.secret, &[&"again"]);
        other.secret.insert(seat, self.secret[seat].clone());
        other
    }

    fn show(&self, seat: Option<usize>) -> Json {
        let seen = seat.map_or("all", |seat| &self.secret[seat]);
        let lines = vec![format!("{} ¡\"\\\n", seen)];
        vec![object! { "t": "text", "label": "Table", "lines": lines }].into()
    }

    fn describe(&self, _seat: usize, ask: &Json) -> String {
        let chance = Chance::new(ask["seed"].text());
        let limit = ask["limit"].index();
        let text = |name: &Json| match name {
            Json::Text(text) => text.clone(),
            other => other.to_string(),
        };
        let names: Vec<String> = ask["names"].list().iter().map(text).collect();
        let event: Vec<&dyn Display> = names.iter().map(|name| name as &dyn Display).collect();
        if ask["shuffle"].bool() {
            let items: Vec<usize> = (0..limit).collect();
            let order = chance.shuffled(&items, &event);
            return order.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        }
        chance.below(limit as u64, &event).to_string()
    }

    fn table(&self) -> Json {
        let first = self.dealt.choice(&self.secret, &[&"first"]);
        object! { "first": first.as_str(), "seats": self.seats }
    }

    fn called(&self) -> Vec<String> {
        ["ñandú", "two", "three"][..self.seats].iter().map(|name| name.to_string()).collect()
    }
}

fn main() {
    game_kit::run::<Guess>();
}
