#!/usr/bin/env node
// A bot for Node: the first legal move, or else the one nearest to a pass.
"use strict";
const { writeSync } = require("node:fs");

const passes = {
    play: () => ({ play: "shift", move: [0, 0, 0, 0] }),
    talk: () => ({ say: "" }),
    deploy: ({ view, limits }) => {
        const hand = [...view.hand];
        const place = ([zone, count]) => [zone, hand.splice(0, count)];
        return Object.fromEntries(Object.entries(limits).map(place));
    },
    orders: () => ({ action: "attack" }),
    attack: () => ({ attackers: [], target: null }),
};

function send(message) {
    writeSync(1, JSON.stringify(message) + "\n");
}

function answer(line) {
    const message = JSON.parse(line);
    if (message.type === "hello") send({ type: "ready" });
    if (message.type !== "ask") return;
    const move = message.legal ? message.legal[0] : passes[message.decision](message);
    send({ id: message.id, move });
}

let unread = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (piece) => {
    const lines = (unread + piece).split("\n");
    unread = lines.pop();
    lines.forEach(answer);
});
