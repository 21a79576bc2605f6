"use strict";

// Draws boards: the areas of a table, which the referee made. It knows no rules, and whatever a bot
// had a say in becomes text and nothing else; what makes text of it is here, for the viewer too.
const arenaBoard = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const [MOST, LABEL] = [100_000, 60]; // characters of a text; in a label
  const [WIDTH, COLOURS, KINDS, SHADES] = [1000, 6, 6, 3]; // of the map; seats; tokens; regions
  const SYMBOLS = { hearts: "♥", diamonds: "♦", clubs: "♣", spades: "♠", joker: "★" };
  const NUMBER = /^[-+−]?[\d.,]+ ?%?$/;
  const [TAP, IS_NAMED] = ["Tap or click a place for its name.", "named in the decision"];
  const CHANGED = "changed by the last move";

  let [ground, nameOf, kinds] = [null, null, new Map()]; // of the match; kinds of tokens as they were met
  let [named, holder] = [null, undefined]; // what decisions name; the seat whose area is drawn
  let [isTableOpen, tapped] = [false, null]; // the map's table, and the place that was tapped

  /** Return text with all that is invisible written out; with `lines`, these stay apart. */
  function plain(text, { lines = false, most = MOST } = {}) {
    let all = String(text ?? "");
    if (all.length > most) all = `${all.slice(0, most)}… (${all.length - most} characters more)`;
    const hidden = lines ? /(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu : /[\p{C}\p{Zl}\p{Zp}]/gu;
    const code = (char) => char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    return all.replace(hidden, (char) => `[U+${code(char)}]`).replace(/(\p{M}{4})\p{M}+/gu, "$1…");
  }

  const brief = (text) => plain(text, { most: LABEL });

  /** Return text for a label, where no element keeps its direction to itself. */
  const isolated = (text) => `\u2068${brief(text)}\u2069`;

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

  const upper = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

  /** Return a table in which each row begins with the seat that it is about, if there is one. */
  function seatTable(head, rows, seats) {
    const before = (cells, first) => (seats.length ? [first, ...cells] : cells);
    const top = head.some(Boolean) ? before(head, "") : [];
    const body = rows.map((cells, at) => before(cells, upper(nameOf(seats[at]))));
    return table(top, body, (at) => seatClass(seats[at]));
  }

  const AREAS = {
    row: drawRow, track: drawTrack, grid: drawGrid, map: drawMap, text: drawText,
    facts: ({ head, rows, seats = [] }, made, old) => {
      made.append(seatTable(head, rows, seats));
      const isSame = (row, cell) => row >= old.rows.length || rows[row][cell] === old.rows[row][cell];
      for (const [row, { cells }] of [...made.querySelectorAll("tbody tr")].entries()) {
        const own = [...cells].slice(seats.length ? 1 : 0);
        for (const [at, cell] of own.entries()) cell.classList.toggle("is-changed", !isSame(row, at));
      }
    },
    group: ({ areas = [] }, made, old) => made.append(...bandsOf(areas, old.areas ?? [])),
  };

  function areaOf(area, old) {
    const outer = holder;
    holder = area.seat ?? holder;
    const made = make("figure", `area area-${area.t}${seatClass(area.seat)}${area.hidden ? " is-hidden" : ""}`);
    const note = area.note ? make("span", "area-note", " ", said(area.note)) : null;
    const screen = area.hidden ? make("span", "area-note", " hidden from the others") : null;
    const who = Number.isInteger(area.seat) ? nameOf(area.seat) : "";
    const heading = upper([who, area.label].filter(Boolean).join(": "));
    const caption = make("figcaption", "", make("b", "", said(heading)), note, screen);
    if (caption.textContent) made.append(caption);
    AREAS[area.t](area, made, old ?? area);
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

  /** Return by area the one that stood in its place before, if there was one. */
  function formerOf(areas, olds) {
    const left = [...olds];
    const taken = (isIt) => left.splice(left.findIndex(isIt), 1)[0];
    return areas.map((area, at) => {
      const isLike = (old) => old.t === area.t && old.seat === area.seat;
      const isIt = (old) => isLike(old) && old.label === area.label;
      if (left.some(isIt)) return taken(isIt);
      return left.includes(olds[at]) && isLike(olds[at]) ? taken((old) => old === olds[at]) : null;
    });
  }

  /** Return areas in bands, so that those of the seats stand beside each other alone. */
  function bandsOf(areas, olds) {
    const bands = [];
    const former = formerOf(areas, olds);
    for (const [at, area] of areas.entries()) {
      const band = area.t === "group" ? "band is-groups" : "band";
      if (bands.at(-1)?.className !== band) bands.push(make("div", band));
      bands.at(-1).append(areaOf(area, former[at]));
    }
    return bands;
  }

  /** Return by item whether it was not in the row before; of backs nobody can say. */
  function newIn({ items = [] }, old) {
    const same = ({ text, suit, code, kind, count }) => JSON.stringify([text, suit, code, kind, count]);
    const left = (old.items ?? []).map(same);
    return items.map((item) => {
      const at = left.indexOf(same(item));
      if (at >= 0) left.splice(at, 1);
      return at < 0 && Boolean(item.kind || item.text || item.suit);
    });
  }

  function drawRow(area, made, old) {
    const isNew = newIn(area, old);
    const items = (area.items ?? []).map((item, at) => (item.kind ? tokenOf : cardOf)(item, isNew[at]));
    made.append(items.length ? make("ul", "items", items) : make("p", "area-none", "none"));
  }

  function cardOf({ text = "", suit = "", name = "", code = null, count = 1, mark = "" }, isNew) {
    const of = text && suit ? `${text} of ${suit}` : text || suit;
    const what = name || (count ? of || "face down" : "empty place");
    const namer = isNamed(code, holder) ? named.words.get(code) : undefined;
    const looks = ["card", suit && `suit-${suit}`, mark && `mark-${mark}`, count > 0 && !of && "is-back",
      count === 0 && "is-empty", count > 1 && "is-pile", text.length > 3 && "is-wordy",
      namer !== undefined && `is-named${seatClass(namer)}`, isNew && "is-changed"];
    const face = make("span", "card-face", text ? make("span", "card-text", said(text)) : null);
    if (SYMBOLS[suit]) face.append(make("span", "card-symbol", `${SYMBOLS[suit]}\ufe0e`));
    else if (suit) face.append(draw("svg", { class: "card-symbol" }, draw("use", { href: `#suit-${suit}` })));
    if (count > 1) face.append(make("span", "badge", `×${count}`));
    const words = `${count > 1 ? `${count} cards: ` : ""}${what}${mark ? `, ${mark}` : ""}${isNew ? `, ${CHANGED}` : ""}`;
    const made = thing(looks.filter(Boolean).join(" "), face, namer === undefined ? words : `${words}, ${IS_NAMED}`);
    return code === null ? made : set(made, { "data-code": code });
  }

  function tokenOf({ text, kind = "", count = 1, name = "" }, isNew) {
    if (!kinds.has(kind)) kinds.set(kind, kinds.size % KINDS);
    const face = make("span", "", said(text), count === 1 ? null : make("span", "badge", `×${count}`));
    const words = `${count === 1 ? "" : `${count} × `}${name || `${kind} ${text}`.trim()}`;
    return thing(`token kind-${kinds.get(kind)}${isNew ? " is-changed" : ""}`, face, isNew ? `${words}, ${CHANGED}` : words);
  }

  /** Return a thing with a face for those who see it and words for those who do not. */
  function thing(className, face, words) {
    set(face, { "aria-hidden": true });
    return set(make("li", className, face, unseen(plain(words))), { title: isolated(words) });
  }

  function drawTrack({ low, high, marks = [], ends = ["", ""] }, made, { marks: olds = [] }) {
    const isNew = (mark) => !olds.some((old) => old.at === mark.at && old.text === mark.text && old.seat === mark.seat);
    const size = Math.max(high - low, 1);
    const percent = (at) => (100 * (Math.min(Math.max(at, low), high) - low)) / size;
    const tick = (at) => placed(make("i", "track-tick"), percent(low + at));
    const line = make("div", "track-line", size > 24 ? [] : [...Array(size + 1).keys()].map(tick));
    const taken = []; // by lane, how far marks reach, as they may on the narrowest page
    const items = marks.slice().sort((one, other) => one.at - other.at).map((mark) => {
      const text = brief(mark.text);
      const share = Math.min(100, (text.length * 9 + 20) / 2.5);
      const from = percent(mark.at) * (1 - share / 100);
      let lane = taken.findIndex((reached) => reached <= from);
      if (lane < 0) lane = taken.length;
      taken[lane] = from + share;
      const beside = marks.filter((each) => each.at === mark.at).indexOf(mark);
      line.append(placed(make("i", `track-dot${seatClass(mark.seat)}`), percent(mark.at), { "--beside": beside }));
      const who = Number.isInteger(mark.seat) ? [nameOf(mark.seat)] : [];
      const words = plain([...who, mark.name ?? ""].filter(Boolean).join(", ") || `${text} at ${mark.at}`);
      const item = make("li", `track-mark${seatClass(mark.seat)}${isNew(mark) ? " is-changed" : ""}`, said(text), unseen(`, ${words}`));
      set(item, { title: isolated(words) });
      return placed(item, percent(mark.at), { "--lane": lane });
    });
    const list = placed(make("ul", "track-marks", items), 0, { "--lanes": taken.length });
    const isEven = low === -high; // two sides alike: their names say which is which
    const end = (number, text) => make("span", "", make("b", "", `${isEven ? high : number} `), said(text));
    made.append(list, line, make("div", "track-ends", end(low, ends[0]), end(high, ends[1])));
  }

  function drawGrid({ label, cells, owner = [], rows = [], columns = [], marked = [], checkered = false, slanted = false }, made, old) {
    const named = (text) => set(make("th", "", said(text)), { scope: "col" });
    const corner = rows.length ? [make("td")] : [];
    const top = columns.length ? [make("tr", "", corner, columns.map(named))] : [];
    const square = (text, row, column) => {
      const seat = owner[row]?.[column] ?? undefined;
      const isMarked = marked.some(([one, other]) => one === row && other === column);
      const isDark = checkered && (row + column) % 2 === 1;
      const isChanged = text !== (old.cells[row]?.[column] ?? text) || seat !== (old.owner ?? owner)[row]?.[column];
      const looks = ["square", isDark && "is-dark", isMarked && "is-marked", Number.isInteger(seat) && "is-held",
        isChanged && "is-changed"];
      const held = Number.isInteger(seat) ? unseen(`${text ? ", " : ""}${plain(nameOf(seat))}`) : null;
      const mark = isMarked || isChanged ? unseen(`, ${isMarked ? "marked" : CHANGED}`) : null;
      return make("td", looks.filter(Boolean).join(" ") + seatClass(seat), text ? said(text) : null, held, mark);
    };
    const body = cells.map((line, row) => placed(make("tr", "",
      rows.length ? set(make("th", "", said(rows[row] ?? "")), { scope: "row" }) : null,
      line.map((text, column) => square(text, row, column))), 0, { "--row": row }));
    const table = make("table", slanted ? "squares is-slanted" : "squares", make("tbody", "", top, body));
    const squares = set(placed(table, 0, { "--rows": cells.length }), { "aria-label": plain(label) });
    made.append(set(make("div", "replay-scroll", squares), { role: "group", "aria-label": "Board" }));
  }

  function drawText({ lines, seats = [] }, made) {
    if (seats.length) made.append(seatTable([], lines.map((line) => [line]), seats));
    else made.append(...lines.map((line) => make("p", "area-line", said(line))));
  }

  function placed(made, percent, more = {}) {
    const looks = { "--at": `${percent}%`, ...more };
    for (const [key, value] of Object.entries(looks)) made.style.setProperty(key, value);
    return made;
  }

  function drawMap({ label, owner, texts, marked = [], arrows = [] }, made, old) {
    const { places, roads } = ground;
    const isChanged = (at) => owner[at] !== old.owner[at] || texts[at] !== old.texts[at];
    const regions = [...new Set(places.map((place) => place.region))];
    const happens = places.map((_, at) => (marked.includes(at) ? ["marked"] : []));
    for (const at of named.places.keys()) happens[at].push(IS_NAMED);
    for (const at of places.keys()) if (isChanged(at)) happens[at].push(CHANGED);
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
      ...places.flatMap((place, at) => (isChanged(at) ? ringsOn(place, 29, ["place-changed"]) : [])),
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
      picture.dispatchEvent(new CustomEvent("place", { bubbles: true, detail: places[tapped].name }));
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

  /** Begin a match: `nameOf` returns what a seat is called; the ground is that of its maps. */
  function begin(match) {
    ({ ground, nameOf } = match);
    kinds = new Map();
  }

  /** Return areas as elements; words, and places of the map, tell the seat whose decision names them.
   *
   * `olds` are those before the last move, if there was one: what it changed is marked.
   */
  function drawAreas(areas, { words, places }, olds) {
    named = { words, places };
    named.near = new Set(nearOf(areas));
    return bandsOf(areas, olds ?? areas);
  }

  return Object.freeze({ begin, drawAreas, make, set, table, plain, brief, isolated, said, seatClass });
})();
