"use strict";

// Draws the replays. It knows no rules: all that it draws was made by the referee, and whatever
// a bot had a say in becomes text and nothing else.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const MOST = 100_000; // characters of a text that are shown
  const LABEL = 60; // of one that stands in a label
  const COLOURS = 6; // of seats
  const KINDS = 6; // looks of tokens
  const SHADES = 3; // of regions
  const WIDTH = 1000; // of the map
  const SYMBOLS = { hearts: "♥", diamonds: "♦", clubs: "♣", spades: "♠", joker: "★" };
  const SHAPES = {
    oros: "M8 1a7 7 0 1 0 .01 0zM8 3a5 5 0 1 1-.01 0zM8 5.5a2.5 2.5 0 1 0 .01 0z",
    copas: "M2 1h12c0 5-1 8-5 9v3h3v2H4v-2h3v-3c-4-1-5-4-5-9z",
    espadas: "M8 0l2 3v7h4v2h-5v4H7v-4H2v-2h4V3z",
    bastos: "M10 0l4 2v3l-2 1v3l-3 2-1 3-3 2-3-2 2-4 1-3 2-1V5l2-2z",
  };
  const PICKED = { best: "among the best", closest: "closest in rating", faulty: "with faults" };
  const NUMBER = /^[-+−]?[\d.,]+ ?%?$/;

  const payload = JSON.parse(document.getElementById("matches").textContent);
  let match = null; // the one that is chosen
  let [shownMatch, data, step] = [null, null, 0]; // the one that is unpacked
  let [timer, noting] = [null, null]; // of the next step while it plays, and of the link
  let isTableOpen = false; // the map's
  let kinds = new Map(); // numbers of the kinds of tokens, in the order they were met

  const part = (id) => document.getElementById(`replay-${id}`);

  /** Return text with all that is invisible written out; with `lines`, these stay apart. */
  function plain(text, { lines = false, most = MOST } = {}) {
    let all = String(text ?? "");
    if (all.length > most) all = `${all.slice(0, most)}… (${all.length - most} characters more)`;
    const hidden = lines ? /(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu : /[\p{C}\p{Zl}\p{Zp}]/gu;
    const code = (char) => char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    return all.replace(hidden, (char) => `[U+${code(char)}]`).replace(/(\p{M}{4})\p{M}+/gu, "$1…");
  }

  /** Return text for a label, where no element keeps its direction to itself. */
  const isolated = (text) => `\u2068${plain(text, { most: LABEL })}\u2069`;

  const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  const ms = (microseconds = 0) => (microseconds / 1000).toFixed(microseconds < 99_995 ? 2 : 0);

  function make(tag, className, ...children) {
    const made = Object.assign(document.createElement(tag), className ? { className } : {});
    made.append(...children.flat().filter((child) => child !== null && child !== ""));
    return made;
  }

  function set(made, attributes) {
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function draw(tag, attributes, ...children) {
    const made = set(document.createElementNS(SVG, tag), attributes);
    made.append(...children);
    return made;
  }

  const said = (text) => make("bdi", "", plain(text));
  const unseen = (text) => make("span", "replay-unseen", text);
  const seatClass = (seat) => (Number.isInteger(seat) ? ` seat-${seat % COLOURS}` : "");
  const nameOf = (seat) => shownMatch.bots[seat] ?? `seat ${seat}`;

  function table(head, rows, classOf = () => "") {
    const isNumeric = head.map((_, column) => rows.every((cells) => NUMBER.test(cells[column])));
    const cell = (tag, text, column, scope) =>
      set(make(tag, isNumeric[column] ? "number" : "", said(text)), tag === "th" ? { scope } : {});
    const top = make("tr", "", head.map((text, column) => cell(text ? "th" : "td", text, column, "col")));
    const body = rows.map((cells, at) => make("tr", classOf(at).trim(),
      cells.map((text, column) => cell(column ? "td" : "th", text, column, "row"))));
    const titles = head.some(Boolean) ? make("thead", "", top) : null;
    return make("div", "replay-scroll", make("table", "", titles, make("tbody", "", body)));
  }

  const AREAS = {
    row: drawRow,
    track: drawTrack,
    map: drawMap,
    facts: ({ head, rows, seats = [] }, made) => made.append(table(head, rows, (at) => seatClass(seats[at]))),
    group: ({ areas = [] }, made) => made.append(...bandsOf(areas)),
  };

  function areaOf(area) {
    const look = `area area-${area.t}${seatClass(area.seat)}${area.hidden ? " is-hidden" : ""}`;
    const made = make("figure", look);
    const note = area.note ? make("span", "area-note", " ", said(area.note)) : null;
    const screen = area.hidden ? make("span", "area-note", " hidden from the others") : null;
    if (area.label || note || screen) {
      made.append(make("figcaption", "", make("b", "", said(area.label)), note, screen));
    }
    AREAS[area.t](area, made);
    return made;
  }

  /** Return areas in bands, so that those of the seats stand beside each other alone. */
  function bandsOf(areas) {
    const bands = [];
    for (const area of areas) {
      const band = area.t === "group" ? "band is-groups" : "band";
      if (bands.at(-1)?.className !== band) bands.push(make("div", band));
      bands.at(-1).append(areaOf(area));
    }
    return bands;
  }

  function drawRow(area, made) {
    const items = (area.items ?? []).map((item) => (item.kind ? tokenOf(item) : cardOf(item)));
    made.append(items.length ? make("ul", "items", items) : make("p", "area-none", "none"));
  }

  function cardOf({ text = "", suit = "", name = "", count = 1, mark = "" }) {
    const of = text && suit ? `${text} of ${suit}` : text || suit;
    const what = name || (count ? of || "face down" : "empty place");
    const looks = [
      "card", suit && `suit-${suit}`, mark && `mark-${mark}`, count > 0 && !of && "is-back",
      count === 0 && "is-empty", count > 1 && "is-pile", text.length > 3 && "is-wordy",
    ];
    const face = make("span", "card-face", text ? make("span", "card-text", said(text)) : null);
    if (SHAPES[suit]) {
      const shape = draw("path", { d: SHAPES[suit], "fill-rule": "evenodd" });
      face.append(draw("svg", { viewBox: "0 0 16 16", class: "card-symbol" }, shape));
    } else if (SYMBOLS[suit]) {
      face.append(make("span", "card-symbol", `${SYMBOLS[suit]}\ufe0e`));
    }
    if (count > 1) face.append(make("span", "badge", `×${count}`));
    const words = `${count > 1 ? `${count} cards: ` : ""}${what}${mark ? `, ${mark}` : ""}`;
    return thing(looks.filter(Boolean).join(" "), face, words);
  }

  function tokenOf({ text, kind = "", count = 1, name = "" }) {
    if (!kinds.has(kind)) kinds.set(kind, kinds.size % KINDS);
    const face = make("span", "", said(text), count === 1 ? null : make("span", "badge", `×${count}`));
    const words = `${count === 1 ? "" : `${count} × `}${name || `${kind} ${text}`.trim()}`;
    return thing(`token kind-${kinds.get(kind)}`, face, words);
  }

  /** Return a thing with a face for those who see it and words for those who do not. */
  function thing(className, face, words) {
    const made = make("li", className, set(face, { "aria-hidden": true }), unseen(plain(words)));
    return set(made, { title: isolated(words) });
  }

  function drawTrack({ low, high, marks = [], ends = ["", ""] }, made) {
    const size = Math.max(high - low, 1);
    const percent = (at) => (100 * (Math.min(Math.max(at, low), high) - low)) / size;
    const tick = (at) => placed(make("i", "track-tick"), percent(low + at));
    const line = make("div", "track-line", size > 24 ? [] : [...Array(size + 1).keys()].map(tick));
    const taken = []; // by lane, how far marks reach, as they may on the narrowest page
    const items = marks.slice().sort((one, other) => one.at - other.at).map((mark) => {
      const text = plain(mark.text, { most: LABEL });
      const share = Math.min(100, (text.length * 9 + 20) / 2.5);
      const from = percent(mark.at) * (1 - share / 100);
      let lane = taken.findIndex((reached) => reached <= from);
      if (lane < 0) lane = taken.length;
      taken[lane] = from + share;
      const dot = placed(make("i", `track-dot${seatClass(mark.seat)}`), percent(mark.at));
      dot.style.setProperty("--beside", marks.filter((each) => each.at === mark.at).indexOf(mark));
      line.append(dot);
      const words = `${mark.name ? `, ${plain(mark.name)}` : ""}, at ${mark.at}`;
      const item = make("li", `track-mark${seatClass(mark.seat)}`, said(text), unseen(words));
      set(item, { title: `${isolated(mark.name || text)} at ${mark.at}` });
      item.style.setProperty("--lane", lane);
      return placed(item, percent(mark.at));
    });
    const list = make("ul", "track-marks", items);
    list.style.setProperty("--lanes", taken.length);
    const end = (number, text) => make("span", "", make("b", "", String(number)), " ", said(text));
    made.append(list, line, make("div", "track-ends", end(low, ends[0]), end(high, ends[1])));
  }

  function placed(made, percent) {
    made.style.setProperty("--at", `${percent}%`);
    made.style.setProperty("--back", `-${percent}%`);
    return made;
  }

  function drawMap({ label, owner, texts, marked = [], arrows = [] }, made) {
    const { places, roads } = payload.ground;
    const regions = [...new Set(places.map((place) => place.region))];
    const happens = places.map((_, at) => (marked.includes(at) ? ["marked"] : []));
    for (const [from, to] of arrows) happens[from].push(`→ ${places[to].name}`);
    const across = (pairs, shape) => pairs.flatMap(([from, to]) =>
      lines(places[from], places[to]).map((line) => shape(line, places[from].region === places[to].region)));
    const picture = draw("svg", { viewBox: `0 0 ${WIDTH} 600`, class: "replay-map", role: "img" },
      ...regions.map((region, at) => draw("g", { class: `region region-${at % SHADES}` },
        ...places.filter((each) => each.region === region).map(({ x, y }) =>
          draw("circle", { cx: x, cy: y, r: 44 })))),
      ...across(roads, ([x1, y1, x2, y2], isInside) =>
        draw("line", { x1, y1, x2, y2, class: isInside ? "road" : "road is-border" })),
      ...across(arrows, arrow),
      ...places.map((place, at) => placeOf(place, owner[at], texts[at])),
      ...marked.map((at) => places[at]).map(({ x, y }) =>
        draw("circle", { cx: x, cy: y, r: 25, class: "place-ring" })),
      ...places.map((place, at) => nameOn(place, marked.includes(at))));
    set(picture, { "aria-label": `${plain(label)}: what the table below says` });
    const rows = places.map(({ name, region = "" }, at) =>
      [name, region, owner[at] === null ? "nobody" : nameOf(owner[at]), texts[at], happens[at].join(", ")]);
    const details = make("details", "", make("summary", "", "The map as a table"),
      table(["Place", "Region", "Held by", "On it", "What happens"], rows, (at) => seatClass(owner[at])));
    details.open = isTableOpen;
    details.addEventListener("toggle", () => { isTableOpen = details.open; });
    made.append(picture, details);
  }

  /** Return the line between two places; one that spans more than half the map goes round it. */
  function lines({ x: x1, y: y1 }, { x: x2, y: y2 }) {
    if (Math.abs(x1 - x2) <= WIDTH / 2) return [[x1, y1, x2, y2]];
    const round = x1 < x2 ? WIDTH : -WIDTH;
    return [[x1, y1, x2 - round, y2], [x1 + round, y1, x2, y2]];
  }

  function arrow([x1, y1, x2, y2]) {
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const point = (along, aside) =>
      [x2 - along * dx - aside * dy, y2 - along * dy + aside * dx].map(Math.round).join(" ");
    const shaft = draw("path", { d: `M${point(length - 20, 0)}L${point(38, 0)}` });
    const head = draw("path", { d: `M${point(22, 0)}L${point(42, 11)}L${point(42, -11)}z` });
    return draw("g", { class: "arrow" }, shaft, head);
  }

  function placeOf({ name, x, y }, seat, text) {
    const holder = seat === null ? "nobody" : isolated(nameOf(seat));
    return draw("g", { class: `place${seatClass(seat)}` },
      draw("title", {}, `${isolated(name)}: ${holder}, ${isolated(text)}`),
      draw("circle", { cx: x, cy: y, r: 19 }),
      draw("text", { x, y, dy: ".35em", class: text.length > 3 ? "is-long" : "" }, plain(text)));
  }

  /** Return a place's name, in two lines if it is long, kept on the map. */
  function nameOn({ name, x, y }, isMarked) {
    const side = x < 70 ? "start" : x > WIDTH - 70 ? "end" : "middle";
    const at = { start: x - 20, end: x + 20, middle: x }[side];
    const half = name.length > 11 ? name.indexOf(" ", name.length / 2 - 3) : -1;
    const parts = half < 0 ? [name] : [name.slice(0, half), name.slice(half + 1)];
    const look = `place-name is-${side}${isMarked ? " is-marked" : ""}`;
    return draw("text", { y: y > 550 ? y - 38 : y + 34, class: look },
      ...parts.map((each, line) => draw("tspan", { x: at, dy: line ? "1em" : 0 }, plain(each))));
  }

  function showMatch() {
    const { bots, places, reason, decisions, faults = 0, picked = [], id } = shownMatch;
    part("title").replaceChildren(...bots.flatMap((bot, seat) => [seat ? " – " : "", said(bot)]));
    const byPlace = [...bots.keys()].sort((one, other) => places[one] - places[other]);
    part("bots").replaceChildren(...byPlace.map((seat) =>
      make("li", seatClass(seat).trim(), `${places[seat]}. `, said(bots[seat]), ` (seat ${seat})`)));
    const why = picked.map((each) => PICKED[each] ?? each).join(", ");
    part("end").replaceChildren("Ended: ", said(reason),
      ` after ${plural(decisions, "decision")}, ${plural(faults, "fault")}.`,
      `${why ? ` Picked as ${why}.` : ""} Match ${id}.`);
    part("eyes").replaceChildren(new Option("all", ""),
      ...bots.map((bot, seat) => new Option(`seat ${seat}: ${isolated(bot)}`, seat)));
    part("range").max = data.frames.length;
    const isAlone = data.frames.length < 2; // there is nothing to step through
    for (const id of ["controls", "pace", "keys"]) part(id).hidden = isAlone;
    set(part("player"), { "aria-describedby": isAlone ? "" : "replay-keys" });
    part("settings").hidden = data.problem !== null; // there is nothing to see
    part("fault").hidden = !data.frames.some(hasFault);
    part("summary").replaceChildren(table(
      ["Bot", "Place", "Asked", "CPU ms", "Longest", "Faults"], data.seats.map(summaryOf), seatClass));
    part("remains").replaceChildren(...data.seats.flatMap(remainsOf));
  }

  function summaryOf(row) {
    const faults = Object.entries(row.faults ?? {}).map(([kind, count]) => `${count} ${kind}`);
    if (row.forfeited) faults.push("forfeits");
    const bot = [row.bot, row.version].filter(Boolean).join(" ");
    return [bot, row.place, row.asked, ms(row.cpu_us), ms(row.longest_us), faults.join(", ") || "none"];
  }

  function remainsOf({ bot, burner, last_lines: lastLines = [], stderr = "" }, seat) {
    const who = () => [said(bot), ` (seat ${seat})`];
    const block = (title, text) => {
      if (!text) return [];
      const label = { role: "group", tabindex: 0, "aria-label": `${title} ${isolated(bot)}, seat ${seat}` };
      const made = set(make("pre", "", plain(text, { lines: true })), label);
      return [make("h4", seatClass(seat).trim(), `${title} `, who()), made];
    };
    return [
      ...(burner ? [make("p", "", who(), " burnt CPU off turn and was frozen between its turns.")] : []),
      ...block("Last lines before the first fault of", lastLines.join("\n")),
      ...block("Standard error of", stderr),
    ];
  }

  const hasFault = (frame) => frame.entries.some((entry) => entry.fault);

  function showStep() {
    const frame = data.frames[step];
    const { entries } = frame;
    const eyes = part("eyes").value;
    const seen = eyes === "" ? frame.all : frame.seats[eyes];
    part("board").replaceChildren(...bandsOf(seen.map((number) => data.areas[number])));
    if (data.problem) {
      part("board").append(make("p", "replay-message", "There are no boards: ", said(data.problem)));
    }
    part("step").replaceChildren(...stepWords(entries));
    part("decisions").replaceChildren(...entries.map(decisionOf));
    part("decided").hidden = !entries.length;
    const last = data.frames.length - 1;
    part("range").value = step + 1;
    set(part("range"), { "aria-valuetext": `step ${step + 1} of ${last + 1}` });
    for (const id of ["first", "back"]) set(part(id), { "aria-disabled": step === 0 });
    for (const id of ["forward", "last"]) set(part(id), { "aria-disabled": step === last });
  }

  function stepWords(entries) {
    const where = data.problem ? "As it was recorded" : `Step ${step + 1} of ${data.frames.length}`;
    if (!entries.length) return [make("b", "", where), ": the end, ", said(shownMatch.reason), "."];
    const faults = entries.filter((entry) => entry.fault).length;
    const each = ({ seat, decision, words }, at) => make("span", "", at ? "; " : ": ",
      make("span", seatClass(seat).trim(), said(nameOf(seat))), decision ? ` – ${plain(decision)}` : "",
      unseen(` ${plain(words, { most: 300 })}`));
    const who = entries.length > 8 ? [`: ${plural(entries.length, "decision")}`] : entries.map(each);
    return [make("b", "", where), ...who, faults ? `, with ${plural(faults, "fault")}.` : "."];
  }

  function decisionOf(entry) {
    const { fault, words, note, wall_us: wall } = entry;
    const times = `CPU ${ms(entry.cpu_us)} ms · wall ${ms(wall)} ms · lag ${ms(entry.lag_us)} ms`;
    return make("li", `decision${seatClass(entry.seat)}`,
      make("p", "decision-who", make("b", "", said(nameOf(entry.seat))), ` (seat ${entry.seat}) `,
        make("span", "area-note", said(entry.decision), ` · decision ${entry.number}`)),
      words ? make("p", "decision-words", fault ? "by default: " : "", said(words)) : null,
      note ? make("p", "decision-note", "Note: ", said(note)) : null,
      fault ? make("div", "fault",
        make("p", "", make("b", "", `Fault: ${fault.kind}`), ": ", said(fault.reason)),
        fault.line ? make("p", "", "Its line: ", make("code", "", said(fault.line))) : null,
        fault.forfeit ? make("p", "", make("b", "", "It forfeits the match.")) : null) : null,
      make("p", "decision-times", wall ? times : "It was not asked: no time."));
  }

  function go(to) {
    step = Math.min(Math.max(to, 0), data.frames.length - 1);
    showStep();
    if (timer === null) noteHash();
  }

  function pause() {
    if (timer === null) return;
    clearInterval(timer);
    timer = null;
    part("play").textContent = "Play";
    part("step").setAttribute("aria-live", "polite");
    noteHash();
  }

  function play() {
    const last = data.frames.length - 1;
    if (step === last) go(0);
    part("play").textContent = "Pause";
    part("step").setAttribute("aria-live", "off"); // nobody could listen that fast
    clearInterval(timer);
    timer = setInterval(() => {
      go(step + 1);
      if (step === last) pause();
    }, 1000 / Number(part("speed").value));
  }

  const moves = {
    first: () => 0,
    back: () => step - 1,
    forward: () => step + 1,
    last: () => data.frames.length - 1,
    fault: () => {
      const after = data.frames.findIndex((frame, at) => at > step && hasFault(frame));
      return after < 0 ? data.frames.findIndex(hasFault) : after;
    },
  };
  const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play" };

  function act(name) {
    if (name === "play" && timer === null) return play();
    pause();
    if (name !== "play") go(moves[name]());
  }

  function pressed(event) {
    const isButton = event.target instanceof HTMLButtonElement;
    const isOurs = event.target === part("player") || (isButton && event.key !== " ");
    if (!isOurs || !(event.key in KEYS) || data.frames.length < 2) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    act(KEYS[event.key]);
  }

  // Links: #match=ID&step=N, of which the first step is 1

  function linked() {
    const found = new URLSearchParams(location.hash.slice(1));
    const wanted = payload.matches.find((each) => each.id === found.get("match"));
    const at = found.get("step") ?? "";
    return wanted ? { wanted, at: /^[1-9]\d{0,6}$/.test(at) ? Number(at) - 1 : 0 } : null;
  }

  function noteHash() {
    clearTimeout(noting);
    const hash = `#match=${encodeURIComponent(shownMatch.id)}&step=${step + 1}`;
    noting = setTimeout(() => history.replaceState(null, "", hash), 350); // browsers limit how often
  }

  async function follow() {
    const link = linked();
    if (!link) return;
    part("bot").value = part("picked").value = "";
    listMatches();
    if (!(await open(link.wanted, link.at))) return;
    part("player").focus({ preventScroll: true });
    part("player").scrollIntoView();
  }

  function tell(text) {
    part("message").textContent = text;
    part("message").hidden = !text;
  }

  async function unpack(packed) {
    const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  async function open(wanted, at = 0) {
    pause();
    clearTimeout(noting);
    match = wanted;
    part("match").value = payload.matches.indexOf(wanted);
    part("player").setAttribute("aria-busy", "true");
    const found = wanted === shownMatch ? data : await unpack(wanted.data).catch(() => null);
    if (match !== wanted) return false; // another one was chosen meanwhile
    if (wanted !== shownMatch) kinds = new Map();
    [shownMatch, data] = [found && wanted, found];
    part("player").removeAttribute("aria-busy");
    part("player").hidden = !found;
    tell(found ? "" : `The data of match ${wanted.id} cannot be unpacked.`);
    if (!found) return false;
    step = at < data.frames.length ? at : 0;
    showMatch();
    showStep();
    return true;
  }

  const choose = async (wanted) => (await open(wanted)) && noteHash();

  function optionOf(each, at) {
    const bots = each.bots.map((bot, seat) => `${each.places[seat]}. ${isolated(bot)}`).join("  ");
    const faults = each.faults ? `, ${plural(each.faults, "fault")}` : "";
    const picked = each.picked.map((why) => PICKED[why] ?? why).join(", ");
    const end = `${plain(each.reason, { most: LABEL })}, ${plural(each.decisions, "decision")}`;
    return new Option(`${bots} — ${end}${faults} (${picked ? `${picked}; ` : ""}${each.id})`, at);
  }

  /** List the matches that fit the filters, and return them. */
  function listMatches() {
    const [bot, why] = [part("bot").value, part("picked").value];
    const fits = (each) => (!bot || each.bots.includes(bot)) && (!why || each.picked.includes(why));
    const found = payload.matches.filter(fits);
    part("match").replaceChildren(...found.map((each) => optionOf(each, payload.matches.indexOf(each))));
    part("count").textContent = `${found.length} of ${payload.matches.length}`;
    if (match) part("match").value = payload.matches.indexOf(match);
    return found;
  }

  function listen() {
    for (const id of [...Object.keys(moves), "play"]) part(id).addEventListener("click", () => act(id));
    part("player").addEventListener("keydown", pressed);
    part("range").addEventListener("input", () => { pause(); go(Number(part("range").value) - 1); });
    part("eyes").addEventListener("change", showStep);
    part("speed").addEventListener("change", () => { if (timer !== null) play(); });
    part("choice").addEventListener("submit", (event) => event.preventDefault());
    part("choice").addEventListener("change", ({ target }) => {
      if (target === part("match")) return choose(payload.matches[target.value]);
      const found = listMatches();
      if (found.length && !found.includes(match)) choose(found[0]);
    });
    window.addEventListener("hashchange", follow);
  }

  function start() {
    if (!payload.matches.length) return tell("There are no replays in this report.");
    if (typeof DecompressionStream === "undefined") {
      return tell("This browser cannot unpack the replays: it knows no DecompressionStream. All else works.");
    }
    const bots = [...new Set(payload.matches.flatMap((each) => each.bots))].sort();
    part("bot").append(...bots.map((bot) => new Option(isolated(bot), bot)));
    const picks = new Set(["", ...payload.matches.flatMap((each) => each.picked)]);
    for (const option of [...part("picked").options]) if (!picks.has(option.value)) option.remove();
    listen();
    listMatches();
    part("choice").hidden = false;
    return linked() ? follow() : open(payload.matches[0]);
  }

  start();
})();
