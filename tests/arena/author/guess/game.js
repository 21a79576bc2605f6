// All guess a number at once, twice: a game that uses all that a kit has.
"use strict";

const game_kit = require("./game_kit.js");

console.log("what is printed is no answer");

class Guess {
  static about = JSON.parse(require("fs").readFileSync("about.json"));

  constructor(seats, options, chance) {
    this.high = options.high;
    this.seats = seats;
    this.dealt = chance.seed;
    if (this.high === 13) throw new game_kit.Refused("nobody plays with 13 números");
    this.secret = chance.shuffled(["a", "b", "c", "d", "e"], "secret");
    this.round = 1;
    this.out = [];
    this.hits = Array(seats).fill(0);
  }

  asks() {
    process.stdout.write("nor is this\n");
    if (this.round > 2) return [];
    const rest = { limits: { high: this.high }, default: { guess: 1 } };
    return this.hits.map((_, seat) => ({ seat, decision: "guess", ...rest }));
  }

  view(seat) {
    return { round: this.round, card: this.secret[seat], hits: this.hits, out: this.out };
  }

  check(seat, move) {
    return move.guess > this.high ? "at most " + this.high : "";
  }

  canonical(seat, { guess }) {
    return { guess };
  }

  sample(seat, chance) {
    return { guess: chance.die(this.high, "any", seat) };
  }

  apply(moves, chance) {
    const number = chance.die(this.high, "number", this.round);
    for (const seat in moves) this.hits[seat] += number - moves[seat].guess;
    this.round++;
  }

  withdraw(seat) {
    this.out.push(seat);
  }

  result() {
    const places = this.hits.map((mine) => 1 + this.hits.filter((other) => other > mine).length);
    const scores = this.hits.map((hits) => hits / 4);
    return { places, reason: "rounds", scores, numbers: { best: Math.max(...scores) } };
  }

  resample(seat, chance) {
    const other = game_kit.copied(this);
    other.secret = chance.shuffled(this.secret.filter((card) => card !== this.secret[seat]), "again");
    other.secret.splice(seat, 0, this.secret[seat]);
    return other;
  }

  show(seat) {
    const seen = seat === null ? "all" : this.secret[seat];
    return [{ t: "text", label: "Table", lines: [seen + ' ¡"\\\n'] }];
  }

  describe(seat, { seed, limit, names, shuffle }) {
    const chance = new game_kit.Chance(seed);
    if (shuffle) return chance.shuffled([...Array(limit).keys()], ...names).join(" ");
    return String(chance.below(limit, ...names));
  }

  table() {
    return { first: new game_kit.Chance(this.dealt).choice(this.secret, "first"), seats: this.seats };
  }

  called() {
    return ["ñandú", "two", "three"].slice(0, this.seats);
  }
}

game_kit.run(Guess);
