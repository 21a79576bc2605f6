// Plays {{game}} by legal moves at random, until you choose better ones.

"use strict";

const kit = require("./kit.js");

// Return a move; each decision of the game has its place here.
function choose(ask) {
  switch (ask.decision) {
    // {{each decision}}
    case "{{name}}":
      // {{about}}
      return anyMove(ask);
    // {{end}}
    default:
      return anyMove(ask);
  }
}

// Return one of the legal moves or, where they are not listed, of the samples.
function anyMove(ask) {
  return ask.rng.choice(ask.legal.length ? ask.legal : ask.samples);
}

// What ask.view holds, such as when a match of {{seats}} seats begins:
//
// {{view}}

kit.run(choose);
