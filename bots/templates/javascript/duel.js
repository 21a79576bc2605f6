// Parries what it can, rests when weak, and strikes when the rival has few cards.
//
// To try first: attack as soon as the rival's answer costs more than the attack, with long
// ladders.

"use strict";

const kit = require("./kit.js");

const PRICE = { O: 1, C: 2 }; // what a defence costs in dexterity, by suit
const RESERVE = 4; // the stamina and the dexterity below which it rests

// Answer each of the four decisions.
function choose(ask) {
  if (ask.decision === "action") return act(ask);
  if (ask.decision === "defend") return defend(ask);
  if (ask.decision === "emergency_parry") return { use: ask.view.stamina[ask.seat] > RESERVE };
  return ask.legal[0]; // choose_trait: the first die
}

// Rest when weak, strike a rival with few cards, prepare, else draw; one action a turn.
function act(ask) {
  const { stamina, dexterity, hand_size: cards } = ask.view;
  const me = ask.seat;
  const wanted = ["end_turn"];
  if (stamina[me] < RESERVE) wanted.push("breathe");
  if (dexterity[me] < RESERVE) wanted.push("footwork");
  if (cards[1 - me] < 3 && dexterity[me] > 2) wanted.push("attack");
  wanted.push("observe", "feint");
  for (const action of wanted) {
    const found = ask.legal.find((move) => move.action === action);
    if (found) return found;
  }
  return ask.legal[0];
}

// The first defence that holds and can be paid, else none.
function defend(ask) {
  for (const move of ask.legal) {
    if (move.cards.length > 0) {
      const suit = move.cards[0][0];
      const guard = move.cards.length + ask.view.bonus[ask.seat][suit];
      const holds = guard >= ask.view.attack.strength;
      if (holds && ask.view.dexterity[ask.seat] > PRICE[suit]) return move;
    }
  }
  return { cards: [] };
}

kit.run(choose);
