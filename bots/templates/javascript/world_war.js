// Gathers one large army at a border, and rolls with it over whatever is much weaker.
//
// To try first: place and attack where a continent lacks least, for its bonus every turn.

"use strict";

const kit = require("./kit.js");

// Answer each of the seven decisions.
function choose(ask) {
  switch (ask.decision) {
    case "setup":
    case "deploy":
      return { armies: { [strongest(ask)]: ask.limits.armies } };
    case "attack":
      return attack(ask);
    case "defend":
      return ask.legal[ask.legal.length - 1]; // with as many dice as possible
    case "occupy":
      return { armies: ask.limits.max_armies };
    case "fortify":
      return fortify(ask);
    default:
      return ask.legal[0]; // trade whenever there is a set
  }
}

// The owner of a territory, or its armies.
function on(ask, name, field) {
  return ask.view[field][ask.table.territories[name].number];
}

// Whether others hold a neighbour of a territory.
function atBorder(ask, name) {
  const borders = ask.table.territories[name].borders;
  return borders.some((other) => on(ask, other, "owner") !== ask.seat);
}

// Our territory with most armies among those at a border.
function strongest(ask) {
  const armies = (name) => on(ask, name, "armies");
  let best = "";
  for (const name of ask.limits.territories) {
    if (atBorder(ask, name) && (!best || armies(name) > armies(best))) best = name;
  }
  return best || ask.limits.territories[0];
}

// Attack where we have most armies more than the defender, if at least three more.
function attack(ask) {
  const armies = (name) => on(ask, name, "armies");
  let most = 2;
  let move = { action: "stop" };
  for (const entry of ask.limits.attacks) {
    for (const goal of entry.to) {
      const lead = armies(entry.from) - armies(goal);
      if (lead > most) {
        most = lead;
        move = { action: "attack", from: entry.from, to: goal, dice: entry.max_dice };
        if (ask.limits.max_rolls) {
          move.rolls = ask.limits.max_rolls;
          move.stop_at = Math.min(3, entry.max_stop_at);
        }
      }
    }
  }
  return move;
}

// Bring the largest army that has no enemy beside it one step on, to a border if it can.
function fortify(ask) {
  let most = 0;
  let move = { action: "stay" };
  for (const entry of ask.limits.moves) {
    if (entry.max_armies > most && !atBorder(ask, entry.from)) {
      most = entry.max_armies;
      const goal = entry.to.find((name) => atBorder(ask, name)) || entry.to[0];
      move = { action: "move", from: entry.from, to: goal, armies: most };
    }
  }
  return move;
}

kit.run(choose);
