// Picks up the lowest card first, to lose it again; the highest where the aim is to have cards.
//
// To try first: where both packs are known, let each card meet one that beats it, and mind the
// six.

"use strict";

const kit = require("./kit.js");

const RISING = "23456789TJQKA";
const FALLING = "AKQJT98765432";

// Sort what was won by rank; equal ranks stay in the order listed.
function choose(ask) {
  if (ask.decision !== "pickup") return ask.legal[0];
  const ranks = ask.options.aim === "avoid_empty" ? FALLING : RISING;
  const place = (card) => ranks.indexOf(card[0]);
  return { order: [...ask.limits.won].sort((a, b) => place(a) - place(b)) };
}

kit.run(choose);
