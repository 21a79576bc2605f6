"use strict";

// Draws the replays. It knows no rules: all that it draws was made by the referee, and whatever
// a bot had a say in becomes text and nothing else.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const [MOST, LINE, LABEL] = [100_000, 300, 60]; // characters of a text; in a line; in a label
  const [LINES, WIDTH, COLOURS, KINDS, SHADES] = [4, 1000, 6, 6, 3]; // of a step; map; seats; tokens; regions
  const SYMBOLS = { hearts: "♥", diamonds: "♦", clubs: "♣", spades: "♠", joker: "★" };
  const PICKED = { best: "among the best", closest: "closest in rating", faulty: "with faults" };
  const UNSEEN = { isUnseen: true, words: "decided, unseen by this seat", note: null };
  const NUMBER = /^[-+−]?[\d.,]+ ?%?$/;

  const payload = JSON.parse(document.getElementById("matches").textContent);
  let [match, shownMatch, data, step] = [null, null, null, 0]; // the one that is chosen; that is unpacked
  let [timer, noting] = [null, null]; // of the next step while it plays, and of the link
  let [isTableOpen, tapped] = [false, null]; // the map's table, and the place that was tapped
  let holder; // the seat whose area is drawn
  let [named, kinds] = [null, new Map()]; // what decisions name; kinds of tokens as they were met

  const part = (id) => document.getElementById(`replay-${id}`);
  const tell = (text) => Object.assign(part("message"), { textContent: text, hidden: !text });

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

  const worded = (text) => String(text ?? "").replaceAll("_", " "); // the game's own names
  const placeNames = (payload.ground?.places ?? []).map(({ name }) => worded(name).toLowerCase());
  const longest = [...placeNames].sort((one, other) => other.length - one.length); // one may hold another
  const PLACE = new RegExp(`\\b(?:${longest.join("|")})\\b`, "gi");
  const wordsOf = ({ words, fault, isUnseen }) =>
    worded(fault && words && !isUnseen ? `by default: ${words}` : words);
  const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  const hasFault = (frame) => frame.entries.some((entry) => entry.fault);
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
    const made = document.createElementNS(SVG, tag);
    made.append(...children);
    return set(made, attributes);
  }

  const ringsOn = ({ x: cx, y: cy }, r, looks) => looks.map((look) => draw("circle", { cx, cy, r, class: look }));
  const said = (text) => make("bdi", "", plain(text));
  const unseen = (text) => make("span", "replay-unseen", text);
  const seatClass = (seat) => (Number.isInteger(seat) ? ` seat-${seat % COLOURS}` : "");
  const [TAP, IS_NAMED] = ["Tap or click a place for its name.", "named in the decision"];
  const nameOf = (seat) => shownMatch.bots[seat] ?? `seat ${seat}`;

  function table(head, rows, classOf = () => "") {
    const isNumeric = head.map((_, column) => rows.every((cells) => NUMBER.test(cells[column])));
    const cell = (tag, text, column, scope) =>
      set(make(tag, isNumeric[column] ? "number" : "", said(text)), tag === "th" ? { scope } : {});
    const top = make("tr", "", head.map((text, column) => cell(text ? "th" : "td", text, column, "col")));
    const body = rows.map((cells, at) => make("tr", classOf(at).trim(),
      cells.map((text, column) => cell(column ? "td" : "th", text, column, "row"))));
    const filled = make("table", "", head.some(Boolean) ? make("thead", "", top) : null, make("tbody", "", body));
    return set(make("div", "replay-scroll", filled), { role: "group", "aria-label": "Table" });
  }

  const AREAS = {
    row: drawRow, track: drawTrack, map: drawMap,
    facts: ({ head, rows, seats = [] }, made) => made.append(table(head, rows, (at) => seatClass(seats[at]))),
    group: ({ areas = [] }, made) => made.append(...bandsOf(areas)),
  };

  function areaOf(area) {
    const outer = holder;
    holder = area.seat ?? holder;
    const made = make("figure", `area area-${area.t}${seatClass(area.seat)}${area.hidden ? " is-hidden" : ""}`);
    const note = area.note ? make("span", "area-note", " ", said(area.note)) : null;
    const screen = area.hidden ? make("span", "area-note", " hidden from the others") : null;
    const caption = make("figcaption", "", make("b", "", said(area.label)), note, screen);
    if (caption.textContent) made.append(caption);
    AREAS[area.t](area, made);
    holder = outer;
    return made;
  }

  /** Whether a decision names a card: one that its seat or nobody holds, or any if there is none. */
  function isNamed(code, seat) {
    const isNear = seat === undefined || seat === named.words.get(code);
    return named.words.has(code) && (isNear || !named.near.has(code));
  }

  /** Return the codes of the cards that the seats which name them hold, or nobody. */
  function nearOf(areas, seat) {
    return areas.flatMap(({ seat: own = seat, items = [], areas: inner = [] }) =>
      [...items.map(({ code }) => code).filter((code) => own === undefined || own === named.words.get(code)),
        ...nearOf(inner, own)]);
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
    const items = (area.items ?? []).map((item) => (item.kind ? tokenOf : cardOf)(item));
    made.append(items.length ? make("ul", "items", items) : make("p", "area-none", "none"));
  }

  function cardOf({ text = "", suit = "", name = "", code = null, count = 1, mark = "" }) {
    const of = text && suit ? `${text} of ${suit}` : text || suit;
    const what = name || (count ? of || "face down" : "empty place");
    const namer = isNamed(code, holder) ? named.words.get(code) : undefined;
    const looks = ["card", suit && `suit-${suit}`, mark && `mark-${mark}`, count > 0 && !of && "is-back",
      count === 0 && "is-empty", count > 1 && "is-pile", text.length > 3 && "is-wordy",
      namer !== undefined && `is-named${seatClass(namer)}`];
    const face = make("span", "card-face", text ? make("span", "card-text", said(text)) : null);
    if (SYMBOLS[suit]) face.append(make("span", "card-symbol", `${SYMBOLS[suit]}\ufe0e`));
    else if (suit) face.append(draw("svg", { class: "card-symbol" }, draw("use", { href: `#suit-${suit}` })));
    if (count > 1) face.append(make("span", "badge", `×${count}`));
    const words = `${count > 1 ? `${count} cards: ` : ""}${what}${mark ? `, ${mark}` : ""}`;
    return thing(looks.filter(Boolean).join(" "), face, namer === undefined ? words : `${words}, ${IS_NAMED}`);
  }

  function tokenOf({ text, kind = "", count = 1, name = "" }) {
    if (!kinds.has(kind)) kinds.set(kind, kinds.size % KINDS);
    const face = make("span", "", said(text), count === 1 ? null : make("span", "badge", `×${count}`));
    const words = `${count === 1 ? "" : `${count} × `}${name || `${kind} ${text}`.trim()}`;
    return thing(`token kind-${kinds.get(kind)}`, face, words);
  }

  /** Return a thing with a face for those who see it and words for those who do not. */
  function thing(className, face, words) {
    set(face, { "aria-hidden": true });
    return set(make("li", className, face, unseen(plain(words))), { title: isolated(words) });
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
      const beside = marks.filter((each) => each.at === mark.at).indexOf(mark);
      line.append(placed(make("i", `track-dot${seatClass(mark.seat)}`), percent(mark.at), { "--beside": beside }));
      const words = `${mark.name ? `, ${plain(mark.name)}` : ""}, at ${mark.at}`;
      const item = make("li", `track-mark${seatClass(mark.seat)}`, said(text), unseen(words));
      set(item, { title: `${isolated(mark.name || text)} at ${mark.at}` });
      return placed(item, percent(mark.at), { "--lane": lane });
    });
    const list = placed(make("ul", "track-marks", items), 0, { "--lanes": taken.length });
    const isEven = low === -high; // two sides alike: their names say which is which
    const end = (number, text) => make("span", "", make("b", "", `${isEven ? high : number} `), said(text));
    made.append(list, line, make("div", "track-ends", end(low, ends[0]), end(high, ends[1])));
  }

  function placed(made, percent, more = {}) {
    const looks = { "--at": `${percent}%`, ...more };
    for (const [key, value] of Object.entries(looks)) made.style.setProperty(key, value);
    return made;
  }

  function drawMap({ label, owner, texts, marked = [], arrows = [] }, made) {
    const { places, roads } = payload.ground;
    const regions = [...new Set(places.map((place) => place.region))];
    const happens = places.map((_, at) => (marked.includes(at) ? ["marked"] : []));
    for (const at of named.places.keys()) happens[at].push(IS_NAMED);
    for (const [from, to] of arrows) happens[from].push(`→ ${places[to].name}`);
    const across = (pairs, shape) => pairs.flatMap(([from, to]) =>
      lines(places[from], places[to]).map((line) => shape(line, places[from].region === places[to].region)));
    const picture = draw("svg", { viewBox: `0 0 ${WIDTH} 600`, class: "replay-map", role: "img" },
      ...regions.map((region, at) => draw("g", { class: `region region-${at % SHADES}` },
        ...places.filter((each) => each.region === region).flatMap((place) => ringsOn(place, 44, [""])))),
      ...across(roads, ([x1, y1, x2, y2], isInside) =>
        draw("line", { x1, y1, x2, y2, class: isInside ? "road" : "road is-border" })),
      ...across(arrows, arrow),
      ...places.map((place, at) => placeOf(place, owner[at], texts[at], named.places.has(at))),
      ...marked.flatMap((at) => ringsOn(places[at], 25, ["place-ring is-edge", "place-ring"])),
      ...[...named.places].flatMap(([at, seat]) => ["is-inner", "is-outer"].flatMap((which, more) =>
        ringsOn(places[at], 34 + 6 * more, [`place-named ${which}${seatClass(seat)}`]))),
      ...places.map((place, at) => nameOn(place, marked.includes(at), named.places.has(at))));
    set(picture, { "aria-label": `${plain(label)}: what the table below says` });
    const rows = places.map(({ name, region = "" }, at) =>
      [name, region, owner[at] === null ? "nobody" : nameOf(owner[at]), texts[at], happens[at].join(", ")]);
    const details = make("details", "", make("summary", "", "The map as a table"),
      table(["Place", "Region", "Held by", "On it", "What happens"], rows, (at) => seatClass(owner[at])));
    details.open = isTableOpen;
    details.addEventListener("toggle", () => { isTableOpen = details.open; });
    const line = set(make("p", "area-note"), { "aria-live": "polite" });
    const tellTapped = () => line.replaceChildren(said(rows[tapped]?.filter(Boolean).join(" · ") ?? TAP));
    picture.addEventListener("click", ({ clientX, clientY }) => {
      const { left, top, width } = picture.getBoundingClientRect();
      const [x, y] = [clientX - left, clientY - top].map((at) => (at * WIDTH) / width);
      const far = places.map((place) => Math.hypot(place.x - x, place.y - y));
      tapped = far.indexOf(Math.min(...far));
      tellTapped();
    });
    tellTapped();
    made.append(picture, line, details);
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
    return draw("g", { class: "arrow" }, draw("path", { d: `M${point(length - 20, 0)}L${point(38, 0)}` }),
      draw("path", { d: `M${point(22, 0)}L${point(42, 11)}L${point(42, -11)}z` }));
  }

  function placeOf({ name, x, y }, seat, text, isNamed) {
    const holder = seat === null ? "nobody" : isolated(nameOf(seat));
    const long = ["", " is-long", " is-longer"][Math.min(Math.max(text.length - 2, 0), 2)];
    return draw("g", { class: `place${seatClass(seat)}${isNamed ? " is-named" : ""}${long}` },
      draw("title", {}, `${isolated(name)}: ${holder}, ${isolated(text)}${isNamed ? `, ${IS_NAMED}` : ""}`),
      draw("circle", { cx: x, cy: y, r: 19 }), draw("text", { x, y, dy: ".35em" }, plain(text)));
  }

  /** Return a place's name, in two lines if it is long, kept on the map. */
  function nameOn({ name, x, y }, isMarked, isNamed) {
    const side = x < 70 ? "start" : x > WIDTH - 70 ? "end" : "middle";
    const at = { start: x - 20, end: x + 20, middle: x }[side];
    const half = name.length > 11 ? name.indexOf(" ", name.length / 2 - 3) : -1;
    const parts = half < 0 ? [name] : [name.slice(0, half), name.slice(half + 1)];
    const where = y > 550 ? " is-above" : "";
    const look = `place-name is-${side}${where}${isMarked ? " is-marked" : ""}${isNamed ? " is-named" : ""}`;
    return draw("text", { y: where ? y - 38 : y + 34, class: look },
      ...parts.map((each, line) => draw("tspan", { x: at, dy: line ? "1em" : 0 }, plain(each))));
  }

  function showMatch() {
    const { bots, places, decisions, faults = 0, picked = [], id } = shownMatch;
    part("title").replaceChildren(...bots.flatMap((bot, seat) => [seat ? " – " : "", said(bot)]));
    const byPlace = [...bots.keys()].sort((one, other) => places[one] - places[other]);
    part("bots").replaceChildren(...byPlace.map((seat) =>
      make("li", seatClass(seat).trim(), `${places[seat]}. `, said(bots[seat]), ` (seat ${seat})`)));
    const why = picked.map((each) => PICKED[each] ?? each).join(", ");
    part("end").replaceChildren("Ended: ", ...outcome(),
      ` after ${plural(decisions, "decision")}, ${plural(faults, "fault")}.`,
      `${why ? ` Picked as ${why}.` : ""} Match ${id}.`);
    const eyes = part("eyes").value;
    part("eyes").replaceChildren(new Option("everybody's cards open", ""),
      ...bots.map((bot, seat) => new Option(`${isolated(bot)} (seat ${seat})`, seat)));
    part("eyes").value = Number(eyes) < bots.length ? eyes : "";
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

  /** Return who won, or who share the first place, and how it ended. */
  function outcome() {
    const { bots, places, reason } = shownMatch;
    const best = bots.filter((_, seat) => places[seat] === Math.min(...places));
    const names = best.flatMap((bot, at) => [at ? (best[at + 1] ? ", " : " and ") : "", said(bot)]);
    return [...names, best[1] ? " share place 1 (" : " wins (", said(worded(reason)), ")"];
  }

  function summaryOf(row) {
    const faults = Object.entries(row.faults ?? {}).map(([kind, count]) => `${count} ${kind}`);
    if (row.forfeited) faults.push("forfeits");
    return [`${row.bot} ${row.version ?? ""}`.trim(), row.place, row.asked, ms(row.cpu_us), ms(row.longest_us), faults.join(", ") || "none"];
  }

  function remainsOf({ bot, burner, last_lines: lastLines = [], stderr = "" }, seat) {
    const who = () => [said(bot), ` (seat ${seat})`];
    const block = (title, text) => (text ? [make("h4", seatClass(seat).trim(), `${title} `, who()),
      set(make("pre", "", plain(text, { lines: true })),
        { role: "group", "aria-label": `${title} ${isolated(bot)}, seat ${seat}` })] : []);
    return [burner ? make("p", "", who(), " burnt CPU off turn and was frozen between its turns.") : "",
      ...block("Last lines before the first fault of", lastLines.join("\n")),
      ...block("Standard error of", stderr)];
  }

  function showStep() {
    const frame = data.frames[step];
    const eyes = data.problem ? "" : part("eyes").value;
    const isSeen = ({ seat }) => eyes === "" || frame.entries.length < 2 || seat === Number(eyes);
    const entries = frame.entries.map((entry) => (isSeen(entry) ? entry : { ...entry, ...UNSEEN,
      fault: entry.fault && { ...entry.fault, line: null, reason: "unseen by this seat" } }));
    const seen = (eyes === "" ? frame.all : frame.seats[eyes]).map((number) => data.areas[number]);
    named = namesIn(entries);
    named.near = new Set(nearOf(seen));
    const problem = data.problem && make("p", "replay-message", "There are no boards: ", said(data.problem));
    part("board").replaceChildren(...bandsOf(seen), problem ?? "");
    part("step").replaceChildren(...stepWords(entries));
    part("decisions").replaceChildren(...entries.map(decisionOf));
    part("decided").hidden = !entries.length;
    const last = data.frames.length - 1;
    set(part("range"), { "aria-valuetext": `step ${step + 1} of ${last + 1}` }).value = step + 1;
    for (const id of ["first", "back"]) set(part(id), { "aria-disabled": step === 0 });
    for (const id of ["forward", "last"]) set(part(id), { "aria-disabled": step === last });
    reach();
  }

  /** Return by word, and by place of the map, the seat whose decision names it. */
  function namesIn(entries) {
    const [words, places] = [new Map(), new Map()];
    for (const { seat, words: text } of entries.filter((entry) => !entry.isUnseen)) {
      for (const word of worded(text).split(/[^\p{L}\p{N}]+/u)) words.set(word, seat);
      const found = payload.ground ? [...worded(text).matchAll(PLACE)] : [];
      for (const [name] of found) places.set(placeNames.indexOf(name.toLowerCase()), seat);
    }
    return { words, places };
  }

  /** Let the keyboard into boxes that scroll, and no others. */
  function reach() {
    for (const box of part("player").querySelectorAll(".replay-scroll, pre")) {
      const isWide = box.scrollWidth > box.clientWidth;
      box.classList.toggle("is-wide", isWide);
      if (isWide || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }

  function stepWords(entries) {
    const where = data.problem ? "As it was recorded" : `Step ${step + 1} of ${data.frames.length}`;
    if (!entries.length) return [make("b", "", where), ". The end: ", ...outcome(), "."];
    const faults = entries.filter((entry) => entry.fault).length;
    const more = entries.length > LINES ? make("li", "", `and ${entries.length - LINES} more below`) : null;
    return [make("b", "", where), make("span", "step-fault", faults ? `, with ${plural(faults, "fault")}` : ""),
      make("ol", "step-lines", entries.slice(0, LINES).map(lineOf), more)];
  }

  function lineOf(entry) {
    const { seat, decision, fault } = entry;
    const short = (text, look = "") => make("bdi", look, plain(text, { most: LINE }));
    return make("li", seatClass(seat).trim(), make("b", "", said(nameOf(seat))), ": ",
      short(wordsOf(entry) || worded(decision)), fault ? short(` Fault: ${fault.kind}: ${fault.reason}`, "step-fault") : null);
  }

  function decisionOf(entry) {
    const { fault, words, note, wall_us: wall } = entry;
    const times = `CPU ${ms(entry.cpu_us)} ms · wall ${ms(wall)} ms · lag ${ms(entry.lag_us)} ms`;
    return make("li", `decision${seatClass(entry.seat)}`,
      make("p", "decision-who", make("b", "", said(nameOf(entry.seat))), ` (seat ${entry.seat}) `,
        make("span", "area-note", said(worded(entry.decision)), ` · decision ${entry.number}`)),
      words ? make("p", "decision-words", said(wordsOf(entry))) : null,
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
    timer = clearInterval(timer) ?? null;
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
    const next = () => { go(step + 1); if (step === last) pause(); };
    timer = setInterval(next, 1000 / Number(part("speed").value));
  }

  const moves = {
    first: () => 0, back: () => step - 1,
    forward: () => step + 1, last: () => data.frames.length - 1,
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
    const { target, key, altKey, ctrlKey, metaKey, shiftKey } = event;
    const isOurs = target === part("player") || (target instanceof HTMLButtonElement && key !== " ");
    if (!isOurs || !(key in KEYS) || data.frames.length < 2 || altKey || ctrlKey || metaKey || shiftKey) return;
    event.preventDefault();
    act(KEYS[key]);
  }

  /** Return where a link leads, such as #match=ID&step=N, of which the first step is 1. */
  function linked() {
    const found = new URLSearchParams(location.hash.slice(1));
    const wanted = payload.matches.find((each) => each.id === found.get("match"));
    const at = /^[1-9]\d*$/.test(found.get("step")) ? Number(found.get("step")) - 1 : 0;
    if (!wanted && !found.has("match")) return null;
    return wanted ? { wanted, at } : { wanted: payload.matches[0], at: 0, isLost: true };
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
    if (link.isLost) return tell("That match is not on this page.");
    part("player").focus({ preventScroll: true });
    part("player").scrollIntoView();
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
    step = Math.min(at, data.frames.length - 1);
    showMatch();
    showStep();
    return true;
  }

  function optionOf(each, at) {
    const bots = each.bots.map((bot, seat) => `${each.places[seat]}. ${isolated(bot)}`).join("  ");
    const faults = each.faults ? `, ${plural(each.faults, "fault")}` : "";
    const picked = each.picked.map((why) => PICKED[why] ?? why).join(", ");
    const end = `${plain(worded(each.reason), { most: LABEL })}, ${plural(each.decisions, "decision")}`;
    return new Option(`${bots} — ${end}${faults} (${picked ? `${picked}; ` : ""}${each.id})`, at);
  }

  /** List the matches that fit the filters, and return them. */
  function listMatches() {
    const [bot, why] = [part("bot").value, part("picked").value];
    const found = payload.matches.filter((each) =>
      (!bot || each.bots.includes(bot)) && (!why || each.picked.includes(why)));
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
    const choose = async (wanted) => (await open(wanted)) && noteHash();
    part("choice").addEventListener("change", ({ target }) => {
      if (target === part("match")) return choose(payload.matches[target.value]);
      const found = listMatches();
      if (found.length && !found.includes(match)) choose(found[0]);
    });
    window.addEventListener("hashchange", follow);
    new ResizeObserver(reach).observe(part("player")); // also when something in it is unfolded
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
