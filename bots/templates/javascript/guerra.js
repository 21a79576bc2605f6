// Attacks with a Soldier that is stronger than a card it faces, and else brings in cards.
//
// To try first: attack with two Soldiers together, where neither is strong enough alone.

"use strict";

const kit = require("./kit.js");

// Answer each of the four decisions.
function choose(ask) {
  if (ask.decision === "deploy") return deploy([...ask.view.hand], ask.limits);
  if (ask.decision === "orders") return orders(ask);
  if (ask.decision === "attack") {
    const { sweeps, attackers, targets } = ask.limits;
    if (sweeps.length > 0) return { attackers: [sweeps[0]], target: null };
    return strike(attackers, targets);
  }
  return ask.legal[0];
}

const number = (card) => parseInt(card, 10);

// How many wounds a card deals, not counting Banners.
function strength(card) {
  if (number(card) < 10) return number(card);
  return number(card) === 11 ? 2 : 1;
}

// Put the strongest cards in front.
function deploy(hand, limits) {
  const move = {};
  for (const zone of ["vanguard", "centre", "rearguard"]) {
    if (limits[zone]) move[zone] = Array.from({ length: limits[zone] }, () => strongest(hand));
  }
  return move;
}

// Take the strongest card out of `cards` and return it.
function strongest(cards) {
  const best = cards.reduce((a, b) => (strength(b) > strength(a) ? b : a));
  cards.splice(cards.indexOf(best), 1);
  return best;
}

// Attack where a strike is possible, else bring the strongest card of the hand to the front.
function orders(ask) {
  const own = front(ask.view.zones[ask.seat]);
  const enemy = front(ask.view.zones[1 - ask.seat]);
  const fighters = own.filter((card) => number(card) >= 2 && number(card) <= 7);
  const hand = [...ask.view.hand];
  if (hand.length === 0 || strike(fighters, enemy).target) return { action: "attack" };
  return { action: "incorporate", card: strongest(hand), zone: "vanguard" };
}

// The cards of the foremost zone that is not empty.
function front(zones) {
  const rows = [zones.vanguard, zones.centre, zones.rearguard].map(Object.keys);
  return rows.find((cards) => cards.length > 0) || [];
}

// The first attack that its attacker survives, else the stop.
function strike(attackers, targets) {
  for (const attacker of attackers) {
    for (const target of targets) {
      if (strength(attacker) > strength(target)) return { attackers: [attacker], target };
    }
  }
  return { attackers: [], target: null };
}

kit.run(choose);
