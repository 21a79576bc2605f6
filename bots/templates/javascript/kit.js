// The loop of a bot, for authors: copy this file beside your program, nothing else is needed.
//
// A bot is a function from a decision to a move. This one plays every game:
//
//     const kit = require("./kit.js");
//     kit.run((ask) => ask.rng.choice(ask.legal.length ? ask.legal : ask.samples));
//
// ask.decision   names what is asked
// ask.view       all that your seat may know (`arena games GAME --rules`)
// ask.legal      the legal moves, where they can be listed; else empty (`arena games GAME
//                --schema`)
// ask.limits     what is needed to make a move, where they cannot be listed
// ask.samples    a few of them at random then: as many as kit.run(choose, 4) says
// ask.seat, ask.seats, ask.options, ask.table, ask.game, ask.seed, ask.clock
//                the facts of the match
// ask.rng        its dice, which begin anew from the seed in every match:
//                below(n) is a whole number from 0 to n - 1, choice(list) one of a list
// ask.memory     an object of your own, empty at the beginning of every match
// ask.note       set it to keep a few words with the move
//
// What console.log prints goes to standard error, which is kept with the match. An exception
// ends the bot, with its stack there. One process plays many matches: keep to ask.memory and
// ask.rng, instead of global variables and the clock, and every match can be repeated.
//
// Where the league grants the bot a door, it asks elsewhere, while it is its turn:
//
//     const answer = kit.fetch("https://api.example.org/v1/chat/completions", { model: "x" });
//     console.log(answer.status, answer.headers, answer.text, answer.json());
//
// It waits for the answer, of which answer.body is a Buffer. What follows the address may be left
// out: kit.fetch(url, body, headers, method). A body that is no text and no Buffer is sent as JSON.
// What is refused or fails is an Error, whose message says why.

"use strict";

const fs = require("fs");

// The same numbers for the same seed, on every machine (a 32-bit xorshift).
class Dice {
  constructor(seed) {
    const high = Math.floor(seed / 2 ** 32) | 0;
    this.state = (seed | 0) ^ Math.imul(high, 0x9e3779b1) ^ 0x2545f491 || 1;
    for (let i = 0; i < 16; i++) this.next();
  }

  next() {
    let x = this.state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.state = x;
    return x >>> 0;
  }

  below(n) {
    return Math.floor((this.next() / 2 ** 32) * n);
  }

  choice(list) {
    return list[this.below(list.length)];
  }
}

// What holds for a whole match.
function newMatch(start) {
  const { game = "", seat = 0, seats = 0, options = {}, table = {}, seed = 0 } = start;
  return { game, seat, seats, options, table, seed, rng: new Dice(seed), memory: {} };
}

function answer(choose, match, message) {
  const { decision, view, legal, limits, samples, clock } = message;
  const ask = { ...match, decision, view, clock, note: "" };
  ask.legal = legal || [];
  ask.limits = limits || {};
  ask.samples = samples || [];
  const move = choose(ask);
  if (typeof move !== "object" || move === null) {
    throw new TypeError(`choose returned ${move} for the decision ${decision}, not a move`);
  }
  const reply = { id: message.id, move };
  if (ask.note) reply.note = String(ask.note);
  send(reply);
}

function send(message, wire = 1) {
  let rest = Buffer.from(JSON.stringify(message) + "\n");
  while (rest.length > 0) rest = rest.subarray(fs.writeSync(wire, rest));
}

let asked = 0;
let unread = Buffer.alloc(0);

// Asks through the door and waits: by POST if there is a body, else by GET.
function fetch(url, body, headers, method) {
  if (!process.env.ARENA_DOOR) {
    throw new Error(
      "there is no door: whoever organizes a league grants one, with the names that a bot may ask",
    );
  }
  const [reading, writing] = process.env.ARENA_DOOR.split(",").map(Number);
  const request = { id: ++asked, url };
  if (method) request.method = method;
  if (Buffer.isBuffer(body)) {
    request.body64 = body.toString("base64");
  } else if (typeof body === "string") {
    request.body = body;
  } else if (body !== undefined && body !== null) {
    request.body = JSON.stringify(body);
    headers = { "content-type": "application/json", ...headers };
  }
  if (headers) request.headers = headers;
  let answer;
  try {
    send(request, writing);
    do answer = JSON.parse(hearLine(reading));
    while (answer.id !== asked); // others are for nobody
  } catch (error) {
    throw new Error(`the door is closed: ${error.message}`);
  }
  if ("error" in answer) throw new Error(answer.error);
  const { status, headers: own = {}, body: text = "", body64 } = answer;
  const content = body64 === undefined ? Buffer.from(text) : Buffer.from(body64, "base64");
  return {
    status,
    headers: own,
    body: content,
    text: content.toString(),
    json: () => JSON.parse(content.toString()),
  };
}

function hearLine(reading) {
  const pieces = [unread];
  while (!pieces[pieces.length - 1].includes(10)) {
    const piece = Buffer.alloc(65536);
    const size = fs.readSync(reading, piece);
    if (size === 0) throw new Error("the referee has closed it");
    pieces.push(piece.subarray(0, size));
  }
  const whole = Buffer.concat(pieces);
  const end = whole.indexOf(10);
  unread = whole.subarray(end + 1);
  return whole.subarray(0, end).toString();
}

// Keep the pipe to the referee for replies alone; what else is printed goes to standard error.
function takeStdout() {
  console.log = console.info = console.error;
  Object.defineProperty(process, "stdout", { get: () => process.stderr, configurable: true });
}

// Whether this is a bot between two pipes: then what is printed before run() is no reply either.
function isPiped() {
  try {
    return [0, 1].every((end) => fs.fstatSync(end).isFIFO());
  } catch {
    return false;
  }
}

// Play until the input ends. What is read comes in pieces of any length, so that lines are put
// together here: by bytes, as a piece may end in the middle of a character.
function run(choose, samples = 4) {
  let match = newMatch({});
  let pieces = [];

  function hear(line) {
    const message = JSON.parse(line);
    if (message.type === "ask") answer(choose, match, message);
    else if (message.type === "start") match = newMatch(message);
    else if (message.type === "hello") send({ type: "ready", samples });
  }

  takeStdout();
  process.stdin.on("data", (data) => {
    let from = 0;
    for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, from)) {
      pieces.push(data.subarray(from, end));
      const line = Buffer.concat(pieces).toString();
      pieces = [];
      from = end + 1;
      hear(line);
    }
    pieces.push(data.subarray(from));
  });
}

if (isPiped()) takeStdout();

module.exports = { run, fetch };
