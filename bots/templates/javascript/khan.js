// Gathers in peace, and defends itself with whatever it has.
//
// To try first: attack a seat that has tokens in front but few cards, when you hold a leader and
// a ladder of two.

"use strict";

const kit = require("./kit.js");

const LEADERS = ["C10", "C11", "C12"];
const FIGHT = ["reveal", "gunpowder", "poison", "replace_leader", "retreat"];

// Draw, give up what makes no ladder, and in a combat show and use all there is.
function choose(ask) {
  if (ask.decision === "discard") {
    for (const move of ask.legal) {
      if (move.from === "hand" && !useful(ask, move.discard)) return move;
    }
  }
  if (FIGHT.includes(ask.decision)) {
    return ask.legal[ask.legal.length - 1]; // the first one listed does nothing
  }
  return ask.legal[0]; // of a turn's moves it is the draw
}

// Whether a card is a leader or an ace, or has a neighbour of its suit in the hand.
function useful(ask, card) {
  const rank = Number(card.slice(1));
  if (LEADERS.includes(card) || rank === 1) return true;
  return [-1, 1].some((step) => ask.view.hand.includes(`${card[0]}${rank + step}`));
}

kit.run(choose);
