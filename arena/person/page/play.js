"use strict";

// A table at which a person plays: draws what the seat sees, table by table, and sends answers. It
// knows no rules; questions come in words from the referee, and what bots had a say in becomes text.
(() => {
  const { make, set, plain, said } = arenaBoard;
  const MANY = 24; // listed moves that are narrowed down by words
  const told = JSON.parse(document.getElementById("told").textContent);
  const part = (id) => document.getElementById(id);
  const worded = (text) => String(text ?? "").replaceAll("_", " "); // the game's own names

  let [version, frames, areas] = [0, [], []];
  let [at, isFollowing, timer] = [-1, true, null]; // the table that is shown; whether new ones come by themselves
  let [asked, shownNumber, over] = [null, 0, null];
  let [meant, field] = ["", null]; // the line whose meaning was told; the input that clicks on cards fill
  let hasLeft = false;

  const ground = told.ground && { ...told.ground, places: told.ground.places.map((place) =>
    ({ ...place, name: worded(place.name), region: worded(place.region) })) };
  arenaBoard.begin({ ground, nameOf: (seat) => [told.called[seat], seat === told.seat ? "you" : told.names[seat]].filter(Boolean).join(" ") });

  function tell(text) {
    Object.assign(part("message"), { textContent: text, hidden: !text });
  }

  async function send(where, body = {}) {
    const answer = await fetch(where, { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body) });
    return answer.ok ? answer.json() : { problem: (await answer.text()).trim() };
  }

  // --- the table

  const areasOf = (frame) => frame.areas.map((number) => areas[number]);

  function showTable() {
    const frame = frames[at];
    const last = frames.length - 1;
    part("board").replaceChildren(...arenaBoard.drawAreas(areasOf(frame), { words: new Map(), places: new Map() },
      at ? areasOf(frames[at - 1]) : null));
    part("where").textContent = `Table ${at + 1} of ${last + 1}${frame.own.length ? `. You: ${plain(frame.own.join("; "))}` : ""}`;
    set(part("back"), { "aria-disabled": at === 0 });
    for (const id of ["forward", "latest"]) set(part(id), { "aria-disabled": at === last });
    for (const box of part("board").querySelectorAll(".replay-scroll")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    }
    showQuestion();
  }

  function go(to) {
    at = Math.min(Math.max(to, 0), frames.length - 1);
    showTable();
  }

  /** Go on to the tables that are new, one by one. */
  function follow() {
    if (timer !== null || !isFollowing) return;
    if (at >= frames.length - 1) return showQuestion();
    timer = setTimeout(() => { timer = null; go(at + 1); follow(); }, at < 0 ? 0 : 1000 / Number(part("speed").value));
  }

  function step(to, follows) {
    timer = clearTimeout(timer) ?? null;
    go(to);
    isFollowing = follows || at === frames.length - 1;
    follow();
  }

  // --- the question

  function showQuestion() {
    const isLast = at === frames.length - 1;
    const isOpen = Boolean(asked) && isLast;
    part("asked").classList.toggle("is-asked", isOpen);
    if (over && isLast) return showEnd();
    if (!isOpen) {
      if (shownNumber !== 0) clearQuestion();
      part("asked-head").textContent = !isLast ? "Something has happened" : frames.length ? "The others decide" : "The match begins";
      return;
    }
    if (asked.number === shownNumber) return;
    clearQuestion();
    shownNumber = asked.number;
    part("asked-head").textContent = `You decide: ${worded(asked.decision)}`;
    const isMenu = asked.menu.length > 0;
    Object.assign(part("choices"), { textContent: plain(asked.choices, { lines: true }), hidden: isMenu });
    part("menu").replaceChildren(...asked.menu.map(([label, text]) => {
      const made = set(make("button", "", said(text)), { type: "button" });
      made.addEventListener("click", () => answer({ line: label }));
      return made;
    }));
    part("narrow").hidden = asked.menu.length <= MANY;
    part("filter").value = "";
    part("words").replaceChildren(...asked.words.map((word) => set(make("option"), { value: word })));
    part("inputs").replaceChildren(...(isMenu ? [] : asked.inputs.filter(({ fields }) => fields.length > 1
      || asked.inputs.length > 1 || fields.some(({ choices }) => choices)).map(formOf)));
    part("typed").hidden = isMenu;
    part("silence").hidden = !asked.silence;
    part("line").value = "";
    part("more").hidden = isMenu;
    part("help").textContent = plain(asked.help, { lines: true });
    part("others").hidden = false;
    field = isMenu ? null : part("inputs").querySelector("input[data-hint]") ?? part("line");
    part("board").classList.toggle("can-be-named", Boolean(field));
    document.title = `You decide: ${worded(asked.decision)}`;
    const first = isMenu ? part("menu").querySelector("button") : part("inputs").querySelector("input, select") ?? part("line");
    if (document.activeElement === document.body || part("asked").contains(document.activeElement)) first?.focus({ preventScroll: true });
  }

  function clearQuestion() {
    shownNumber = 0;
    [meant, field] = ["", null];
    for (const id of ["choices", "narrow", "typed", "more", "others"]) part(id).hidden = true;
    for (const id of ["menu", "inputs", "means"]) part(id).replaceChildren();
    part("means").className = "means";
    part("board").classList.remove("can-be-named");
    if (part("asked").contains(document.activeElement)) part("asked-head").focus({ preventScroll: true });
  }

  /** Return one form of a move with an input for each field that varies. */
  function formOf({ usage, about, example, fields }) {
    const inputs = fields.map((each) => [each, inputOf(each)]);
    const made = make("form", "", make("fieldset", "", make("legend", "", said(usage)),
      about ? make("p", "area-note", said(about)) : null,
      ...inputs.map(([each, input]) => (input ? make("label", "", `${worded(each.name)}${each.required ? "" : " (may be left out)"}: `,
        said(each.about ?? ""), input) : null)),
      make("p", "area-note", "For example: ", said(example)),
      make("button", "", "Play this")));
    made.addEventListener("submit", (event) => {
      event.preventDefault();
      const line = inputs.map(([{ name, word, required }, input]) => {
        const value = input ? input.value.trim() : word;
        return value && !required ? `${name} ${value}` : value;
      }).filter(Boolean).join(" ");
      part("line").value = line;
      propose(line);
    });
    return made;
  }

  function inputOf({ word, choices, low, high, hint, required }) {
    if (word !== undefined) return null;
    if (choices) return make("select", "", ...(required ? [] : [new Option("", "")]), ...choices.map((each) => new Option(plain(each), each)));
    const input = make("input");
    if (hint === undefined) {
      const bounds = Object.entries({ min: low, max: high }).filter(([, bound]) => bound !== null && bound !== undefined);
      return set(input, { type: "number", step: 1, ...Object.fromEntries(bounds) });
    }
    return set(input, { autocomplete: "off", spellcheck: false, list: "words", "data-hint": hint, placeholder: `${hint}: type, or click cards` });
  }

  async function answer({ line = "", plays = true, at_random = false }) {
    const { number } = asked ?? {};
    if (!number) return;
    const found = await send("say", { number, line, plays, at_random }).catch(() => ({ problem: "The table does not answer." }));
    if (asked?.number !== number) return;
    meant = found.problem || found.played ? "" : line;
    part("means").className = found.problem ? "means is-bad" : "means";
    part("means").replaceChildren(...(found.problem ? [said(found.problem)]
      : found.played ? [] : ["It means: ", make("b", "", said(found.words)), ". Play it by the same button."]));
  }

  /** Play a line whose meaning was told, or tell what it means. */
  function propose(line) {
    if (line.trim() === "?") {
      part("more").open = true;
      return;
    }
    answer({ line, plays: (line === meant && Boolean(line.trim())) || (asked?.silence && !line.trim()) });
  }

  /** Put what was clicked into the field, or take it out again; a field of one word gives way to the next. */
  function name(word) {
    const isList = field === part("line") || field.dataset.hint.includes("...");
    const words = isList ? field.value.split(/\s+/).filter(Boolean) : [];
    const kept = words.filter((each) => each !== word);
    field.value = (kept.length < words.length ? kept : [...words, word]).join(" ");
    const others = [...(field.form?.querySelectorAll("input[data-hint]") ?? [])];
    const next = isList ? field : others[others.indexOf(field) + 1] ?? field;
    next.focus({ preventScroll: true }); // which makes it the field
  }

  // --- the end

  function showEnd() {
    if (!part("over").hidden) return;
    clearQuestion();
    part("asked-head").textContent = "The match is over";
    document.title = "The match is over";
    const link = (where, text) => set(make("a", "", text), { href: where });
    part("over").append(...over.lines.map((line) => make("p", "", said(line))),
      make("p", "", link("match", "Step through the whole match"), ", all cards open"),
      make("p", "", set(link("match.json", "Save the match"), { download: "match.json" })));
    part("over").hidden = false;
    part("over").querySelector("a").focus({ preventScroll: true });
  }

  // --- what is new

  async function listen() {
    let failures = 0;
    while (!hasLeft) {
      const where = `state?version=${version}&frames=${frames.length}&areas=${areas.length}`;
      const answered = await fetch(where).catch(() => null);
      if (!answered?.ok) {
        failures += 1;
        if (answered || failures > 3) {
          asked = null;
          clearQuestion();
          return tell(answered ? (await answered.text()).trim() : "The table is gone: arena play has ended.");
        }
        await new Promise((resolve) => { setTimeout(resolve, 1000); });
        continue;
      }
      failures = 0;
      const news = await answered.json();
      version = news.version;
      frames = [...frames.slice(0, news.from), ...news.frames];
      areas.push(...news.areas);
      [asked, over] = [news.asked, news.over];
      if (frames.length) follow();
    }
  }

  part("back").addEventListener("click", () => step(at - 1, false));
  part("forward").addEventListener("click", () => step(at + 1, false));
  part("latest").addEventListener("click", () => step(frames.length - 1, true));
  part("typed").addEventListener("submit", (event) => { event.preventDefault(); propose(part("line").value); });
  part("silence").addEventListener("click", () => answer({ line: "" }));
  part("random").addEventListener("click", () => answer({ at_random: true }));
  part("quit").addEventListener("click", async () => {
    hasLeft = true;
    asked = null;
    await send("quit").catch(() => null);
    clearQuestion();
    tell("You have left the match.");
  });
  part("filter").addEventListener("input", () => {
    const wanted = part("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const button of part("menu").children) {
      const text = button.textContent.toLowerCase();
      button.hidden = !wanted.every((word) => text.includes(word));
    }
  });
  part("asked").addEventListener("focusin", ({ target }) => {
    if (target.matches("input[data-hint], #line")) field = target;
  });
  part("board").addEventListener("click", ({ target }) => {
    const code = target.closest("[data-code]")?.dataset.code;
    if (code && field) name(code);
  });
  part("board").addEventListener("place", ({ detail }) => { if (field) name(detail.replaceAll(" ", "_")); });

  listen();
})();
