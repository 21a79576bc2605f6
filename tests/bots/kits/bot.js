// Reads a view and writes a move as an author may, by the kit for JavaScript.

"use strict";

const kit = require("./kit.js");

function choose(ask) {
  const { hand, markers, who, flag, half } = ask.view;
  ask.note = 'a "word"';
  return {
    hand,
    first: hand[0],
    count: hand.length,
    sum: markers[1][0] + markers[1][1],
    ally: who.with,
    absent: [who.none !== null, "nobody" in who],
    flag,
    twice: 2 * half,
    seat: ask.seat,
    option: ask.options.deck,
    of: { a: [], none: null, say: 'with "quotes" \\' },
    samples: ask.samples.length,
  };
}

kit.run(choose);
