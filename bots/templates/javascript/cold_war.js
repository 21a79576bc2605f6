// Attacks with a seat that sought us as an ally in the last round, and else arms.
//
// To try first: seek an ally yourself, where the two of you aim far more at the others than they
// aim back.

"use strict";

const kit = require("./kit.js");

// Return an offer of the last round, else aim all new missiles where most are aimed from.
function choose(ask) {
  if (ask.decision === "talk") return { say: "" };
  if (ask.decision !== "play") return ask.legal[0];
  let target = ask.limits.partners[0];
  for (const seat of ask.limits.partners) {
    if (ask.view.last && ask.view.last[seat].with === ask.seat) {
      return { play: "attack", with: seat };
    }
    if (threat(ask, seat) > threat(ask, target)) target = seat;
  }
  const add = [0, 0, 0, 0];
  add[target] = ask.limits.add_max;
  return { play: "arm", add };
}

// How many more missiles a seat aims at us than we at it.
function threat(ask, seat) {
  const markers = ask.view.markers;
  return markers[seat][ask.seat] - markers[ask.seat][seat];
}

kit.run(choose);
