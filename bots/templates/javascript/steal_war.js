// Steals the largest pile it can, and tops its own with the rank that lies open most often.
//
// To try first: play a high card, instead of stealing a small pile with it, in a war over many
// cards.

"use strict";

const kit = require("./kit.js");

// The first of the moves that are worth most.
function choose(ask) {
  return ask.legal.reduce((best, move) => (worth(ask, move) > worth(ask, best) ? move : best));
}

// How many cards a theft takes, or how few can match the card on top.
function worth(ask, move) {
  const piles = ask.view.piles;
  if (ask.decision === "top") {
    const rank = move.top[0];
    const open = [...ask.view.won, ...piles.flat()];
    const seen = open.filter((card) => card[0] === rank).length;
    return rank === "X" ? seen + 2 : seen; // there are only two jokers
  }
  if (ask.decision === "steal" && move.action === "steal") {
    return ask.view.protected.includes(move.target) ? 0 : piles[move.target].length;
  }
  return 0;
}

kit.run(choose);
