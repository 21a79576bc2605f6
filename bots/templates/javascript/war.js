// Picks up the highest card first, so that it comes up again before the low ones.
//
// To try first: where both packs are known, put each card where it meets one that it just beats.

"use strict";

const kit = require("./kit.js");

const RANKS = "23456789TJQKAX";

// Sort what was won, the highest first; equal ranks stay in the order listed.
function choose(ask) {
  if (ask.decision !== "pickup") return ask.legal[0];
  const height = (card) => RANKS.indexOf(card[0]);
  return { order: [...ask.limits.won].sort((a, b) => height(b) - height(a)) };
}

kit.run(choose);
