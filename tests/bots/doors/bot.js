// Asks through the door what it is asked, by the kit for JavaScript.

"use strict";

const kit = require("./kit.js");

function choose(ask) {
  let answer;
  try {
    answer = kit.fetch(ask.view.url, ask.view.body, { "x-one": 'a "b"' });
  } catch (error) {
    return { error: error.message };
  }
  const kind = answer.headers["content-type"];
  const said = { status: answer.status, size: answer.body.length, kind };
  if (kind === "application/json") said.says = answer.json().says;
  return said;
}

kit.run(choose);
