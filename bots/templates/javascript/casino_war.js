// Bets the least, never on a tie, and always goes to war: so it loses as slowly as one can.
//
// To try first: when the last rounds come and a rival has more money, bet enough to get past it.

"use strict";

const kit = require("./kit.js");

// Answer each of the two decisions.
function choose(ask) {
  if (ask.decision === "bet") return { bet: ask.limits.bet.min, tie_bet: 0 };
  return ask.legal[0]; // war, which on average is never worse than to surrender
}

kit.run(choose);
