//! The loop of a bot in Rust 1.63 or newer, for authors: keep this file beside your program,
//! nothing else is needed.
//!
//! A bot is a function from a decision to a move. This one plays every game:
//!
//! ```
//! mod kit;
//!
//! fn choose(ask: &mut kit::Ask) -> kit::Json {
//!     let moves = if ask.legal.is_empty() { &ask.samples } else { &ask.legal };
//!     ask.rng.pick(moves).clone()
//! }
//!
//! fn main() {
//!     kit::run(choose);
//! }
//! ```
//!
//! `ask.decision` names what is asked, `ask.view` is all that your seat may know. `ask.legal` lists
//! the legal moves; where there would be too many it is empty, `ask.limits` holds what is needed to
//! make one, and `ask.samples` a few of them at random: as many as `SAMPLES` says. `arena games
//! GAME --rules` shows what a bot sees, `--schema` its moves.
//!
//! JSON is read by `ask.view["markers"][0][2].int()`, or by `get("with")` where there may be
//! nothing; `for card in ask.view["hand"].list()` goes through a list. It is written by
//! `object! { "action": "attack", "target": seat }`, for which you `use kit::object`.
//!
//! Set `ask.note` to keep a few words with the match. `eprintln!` writes to the standard error,
//! which is kept too; the standard output belongs to the replies, so never `println!`. A panic ends
//! the bot, with its message and the line of the bot on the standard error.
//!
//! One process plays many matches. `ask.memory` is a map that begins empty in each of them, and
//! `ask.rng` begins anew from the match's seed. A bot that keeps to these two, instead of statics,
//! the clock and the order of a `HashMap`, plays every match the same however often it is repeated.
//!
//! Where the league grants the bot a door, it asks elsewhere, while it is its turn, and waits for
//! the answer. What is refused or fails is an `Err` that says why:
//!
//! ```
//! let body = object! { "model": "x" }.to_string();
//! let headers = [("content-type", "application/json")];
//! let answer = kit::fetch("https://api.example.org/v1/chat/completions", Some(&body), &headers)?;
//! eprintln!("{} {}", answer.status, answer.json()["id"]);
//! ```

#![allow(dead_code, unused_imports, unused_macros)] // a bot need not use all of it

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::ops::Index;
use std::os::unix::io::FromRawFd;
use std::sync::Mutex;

/// How many legal moves are shown with an ask that does not list them: 0 to 16.
const SAMPLES: usize = 4;

/// Make an object: `object! { "action": "attack", "target": seat }`.
macro_rules! object {
    ($($key:literal: $value:expr),* $(,)?) => {
        $crate::kit::Json::Object(vec![$(($key.to_string(), $value.into())),*])
    };
}
pub(crate) use object;

/// One decision asked of the bot, with the facts of its match.
#[derive(Default)]
pub struct Ask {
    pub decision: String,
    pub view: Json,
    pub legal: Vec<Json>,
    pub limits: Json,
    pub samples: Vec<Json>,
    /// `move_time` and `bank`: the seconds left for this decision.
    pub clock: Json,
    /// Text to keep with the match.
    pub note: String,
    pub game: String,
    /// The bot's own seat, from 0.
    pub seat: usize,
    /// How many seats there are.
    pub seats: usize,
    pub options: Json,
    /// The constants of the game.
    pub table: Json,
    pub rng: Rng,
    pub memory: BTreeMap<String, Json>,
}

/// Play until the input ends.
pub fn run(choose: fn(&mut Ask) -> Json) {
    let mut ask = Ask::default();
    for line in io::stdin().lock().lines() {
        let message = Json::read(&line.expect("the input cannot be read"));
        let part = |key| message.get(key).cloned().unwrap_or_default();
        let moves = |key| {
            message
                .get(key)
                .map_or(Vec::new(), |listed| listed.list().to_vec())
        };
        match part("type") {
            Json::Text(kind) if kind == "hello" => {
                send(object! { "type": "ready", "samples": SAMPLES })
            }
            Json::Text(kind) if kind == "start" => {
                ask = Ask {
                    game: message["game"].text().to_string(),
                    seat: message["seat"].index(),
                    seats: message["seats"].index(),
                    options: part("options"),
                    table: part("table"),
                    rng: Rng(message.get("seed").map_or(0, Json::int) as u64),
                    ..Ask::default()
                }
            }
            Json::Text(kind) if kind == "ask" => {
                ask.decision = message["decision"].text().to_string();
                ask.view = part("view");
                ask.legal = moves("legal");
                ask.samples = moves("samples");
                ask.limits = part("limits");
                ask.clock = part("clock");
                ask.note.clear();
                let mut reply = object! { "id": part("id"), "move": choose(&mut ask) };
                if !ask.note.is_empty() {
                    reply.set("note", ask.note.as_str());
                }
                send(reply);
            }
            _ => {}
        }
    }
}

fn send(message: Json) {
    let line = format!("{}\n", message);
    let sent = io::stdout().write_all(line.as_bytes());
    sent.expect("the output is closed"); // which is flushed at every newline
}

/// What a request was answered.
pub struct Answer {
    /// The status of HTTP.
    pub status: u16,
    /// By small letters.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON, which is taken to be sound.
    pub fn json(&self) -> Json {
        Json::read(&self.text())
    }
}

/// The ends of the door, opened at the first request, and how many there were.
struct Door {
    reads: BufReader<File>,
    writes: File,
    asked: usize,
}

static DOOR: Mutex<Option<Door>> = Mutex::new(None);

/// Ask an address through the door and wait: by POST if there is a body, else by GET.
pub fn fetch(url: &str, body: Option<&str>, headers: &[(&str, &str)]) -> Result<Answer, String> {
    let mut opened = DOOR.lock().unwrap();
    if opened.is_none() {
        let named = std::env::var("ARENA_DOOR").map_err(|_| {
            "there is no door: whoever organizes a league grants one, with the names that a bot \
             may ask"
        })?;
        let ends: Vec<i32> = named.split(',').flat_map(|end| end.parse()).collect();
        // the numbers are the door's alone, and stay open until the bot ends
        let (reads, writes) = unsafe { (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])) };
        *opened = Some(Door {
            reads: BufReader::new(reads),
            writes,
            asked: 0,
        });
    }
    let door = opened.as_mut().unwrap();
    door.asked += 1;
    let mut request = object! { "id": door.asked, "url": url };
    if !headers.is_empty() {
        let pair = |each: &(&str, &str)| (each.0.to_string(), each.1.into());
        request.set("headers", Json::Object(headers.iter().map(pair).collect()));
    }
    if let Some(text) = body {
        request.set("body", text);
    }
    let closed = |error: io::Error| format!("the door is closed: {}", error);
    let line = format!("{}\n", request);
    door.writes.write_all(line.as_bytes()).map_err(closed)?;
    loop {
        let mut line = String::new();
        if door.reads.read_line(&mut line).map_err(closed)? == 0 {
            return Err("the door is closed: the referee has closed it".to_string());
        }
        let answer = Json::read(&line);
        if answer["id"] != door.asked {
            continue; // it is for nobody
        }
        if let Some(why) = answer.get("error") {
            return Err(why.text().to_string());
        }
        let text = |key| answer.get(key).map(Json::text);
        let pair = |each: &(String, Json)| (each.0.clone(), each.1.text().to_string());
        let headers = answer.get("headers").map_or(&[][..], Json::members);
        return Ok(Answer {
            status: answer["status"].index() as u16,
            headers: headers.iter().map(pair).collect(),
            body: match text("body64") {
                Some(coded) => decoded(coded),
                None => text("body").unwrap_or("").as_bytes().to_vec(),
            },
        });
    }
}

/// The bytes of a text in base64.
fn decoded(text: &str) -> Vec<u8> {
    let (mut bits, mut held, mut bytes) = (0u32, 0, Vec::new());
    for letter in text.bytes() {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}

/// Dice that fall the same for the same seed (SplitMix64).
#[derive(Default)]
pub struct Rng(u64);

impl Rng {
    /// A number from 0 to `n` - 1.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        ((u128::from(mixed) * n as u128) >> 64) as usize
    }

    /// One of `items`, of which there must be at least one.
    #[track_caller]
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        assert!(!items.is_empty(), "there is nothing to pick from");
        &items[self.below(items.len())]
    }
}

/// A JSON value. The members of an object keep their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Json {
    #[default]
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

macro_rules! readers {
    ($($name:ident -> $kind:ty, $pattern:pat $(if $sure:expr)? => $result:expr;)*) => {
        /// What a value holds; if it holds something else, the panic names the line of the bot.
        impl Json {
            $(#[track_caller]
            pub fn $name(&self) -> $kind {
                match self {
                    $pattern $(if $sure)? => $result,
                    other => panic!("this is no {}: {}", stringify!($name), other),
                }
            })*
        }
    };
}

readers! {
    bool -> bool, Json::Bool(truth) => *truth;
    float -> f64, Json::Number(number) => *number;
    int -> i64, Json::Number(number) if number.fract() == 0.0 => *number as i64;
    index -> usize, Json::Number(number) if *number >= 0.0 => *number as usize;
    text -> &str, Json::Text(text) => text;
    list -> &[Json], Json::List(items) => items;
    members -> &[(String, Json)], Json::Object(members) => members;
}

impl Json {
    /// A text of JSON, which is taken to be sound, as a value.
    pub fn read(text: &str) -> Json {
        Reader(text).value()
    }

    /// The member of an object, if there is one; `value["key"]` panics if there is none.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => Some(&members.iter().find(|each| each.0 == key)?.1),
            _ => None,
        }
    }

    /// Give an object one member more.
    pub fn set(&mut self, key: &str, value: impl Into<Json>) {
        match self {
            Json::Object(members) => members.push((key.to_string(), value.into())),
            other => panic!("this is no object: {}", other),
        }
    }
}

impl Index<&str> for Json {
    type Output = Json;

    #[track_caller]
    fn index(&self, key: &str) -> &Json {
        match self.get(key) {
            Some(value) => value,
            None => panic!("there is no {:?} in {}", key, self),
        }
    }
}

impl Index<usize> for Json {
    type Output = Json;

    #[track_caller]
    fn index(&self, place: usize) -> &Json {
        &self.list()[place]
    }
}

/// `value == 3` and `value == "hand"`.
impl<T: Copy + Into<Json>> PartialEq<T> for Json {
    fn eq(&self, other: &T) -> bool {
        let other: Json = (*other).into();
        *self == other
    }
}

macro_rules! writers {
    ($($kind:ty, $value:ident => $json:expr;)*) => {
        $(impl From<$kind> for Json {
            fn from($value: $kind) -> Json {
                $json
            }
        })*
    };
}

writers! {
    bool, truth => Json::Bool(truth);
    f64, number => Json::Number(number);
    i64, number => Json::Number(number as f64);
    i32, number => Json::Number(number.into());
    usize, number => Json::Number(number as f64);
    &str, text => Json::Text(text.to_string());
    String, text => Json::Text(text);
    &Json, value => value.clone();
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Json {
        Json::List(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Json {
        value.map_or(Json::Null, Into::into)
    }
}

/// The line that is sent.
impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Json::Null => out.write_str("null"),
            Json::Bool(truth) => write!(out, "{}", truth),
            Json::Number(number) if number.fract() == 0.0 && number.abs() < 1e17 => {
                write!(out, "{}", number)
            }
            Json::Number(number) => write!(out, "{:?}", number),
            Json::Text(text) => out.write_str(&quoted(text)),
            Json::List(items) => {
                let items: Vec<_> = items.iter().map(Json::to_string).collect();
                write!(out, "[{}]", items.join(","))
            }
            Json::Object(members) => {
                let pair = |each: &(String, Json)| format!("{}:{}", quoted(&each.0), each.1);
                let pairs: Vec<_> = members.iter().map(pair).collect();
                write!(out, "{{{}}}", pairs.join(","))
            }
        }
    }
}

fn quoted(text: &str) -> String {
    let mut line = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => line.extend(['\\', letter]),
            '\0'..='\x1f' => line += &format!("\\u{:04x}", letter as u32),
            _ => line.push(letter),
        }
    }
    line + "\""
}

/// What is left of a text of JSON, which is taken to be sound.
struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    fn value(&mut self) -> Json {
        if self.eat("{") {
            Json::Object(self.items("}", |reader| {
                reader.must("\"");
                let key = reader.string();
                reader.must(":");
                (key, reader.value())
            }))
        } else if self.eat("[") {
            Json::List(self.items("]", Reader::value))
        } else if self.eat("\"") {
            Json::Text(self.string())
        } else {
            self.word()
        }
    }

    fn items<T>(&mut self, end: &str, item: fn(&mut Self) -> T) -> Vec<T> {
        let mut items = Vec::new();
        while !self.eat(end) {
            if !items.is_empty() {
                self.must(",");
            }
            items.push(item(self));
        }
        items
    }

    /// A string, without its first quotation mark.
    fn string(&mut self) -> String {
        let mut text = String::new();
        loop {
            let plain = self.0.find(['"', '\\']);
            text += self.take(plain.expect("no end of a string in JSON"));
            if self.take(1) == "\"" {
                return text;
            }
            match self.take(1) {
                "b" => text.push('\x08'),
                "f" => text.push('\x0c'),
                "n" => text.push('\n'),
                "r" => text.push('\r'),
                "t" => text.push('\t'),
                "u" => text += &self.units(),
                mark => text += mark,
            }
        }
    }

    /// The digits of `\u`, and of those that follow at once: two may make one character.
    fn units(&mut self) -> String {
        let mut units = Vec::new();
        loop {
            let digits = self.take(4);
            units.push(u16::from_str_radix(digits, 16).expect("no digits in JSON"));
            if !self.0.starts_with("\\u") {
                return String::from_utf16_lossy(&units);
            }
            self.take(2);
        }
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Json {
        let end = self.0.find(|letter| ",]} \t\r\n".contains(letter));
        match self.take(end.unwrap_or(self.0.len())) {
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            "null" => Json::Null,
            number => Json::Number(number.parse().expect("no value in JSON")),
        }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, left) = self.0.split_at(length);
        self.0 = left;
        taken
    }

    fn eat(&mut self, mark: &str) -> bool {
        let line = self.0.trim_start();
        let left = line.strip_prefix(mark);
        self.0 = left.unwrap_or(line);
        left.is_some()
    }

    fn must(&mut self, mark: &str) {
        assert!(self.eat(mark), "no {} in JSON before {}", mark, self.0);
    }
}
