"use strict";

// The pages of bots and of pairs within the page of a league, each with an address of its own
// (#bot=NAME, #bot=NAME&against=OTHER), made of the data that the page holds; and downloads of tables.
(() => {
  const { make, set, plain, said } = arenaBoard;
  const data = JSON.parse(document.getElementById("data").textContent);
  const matches = JSON.parse(document.getElementById("matches")?.textContent ?? '{"matches": []}').matches;
  const MOST = 200; // matches that are listed
  const [WIDE, HIGH, EDGE] = [640, 200, 34]; // of the picture of ratings
  const FORMULA = /^'*(?:[=@\t\r\n\uff1d\uff20\uff0b\uff0d]|[-+](?![\d\s.,:%±–]*$))/u; // as `guarded` in arena/text.py

  const objects = ({ keys, rows }) => rows.map((row) => Object.fromEntries(keys.map((key, at) => [key, row[at]])));
  const turned = ({ bot, other, wins, losses, points, low, high, mean_place: own, other_mean_place: its, lead, ...same }) =>
    ({ bot: other, other: bot, ...same, wins: losses, losses: wins, points: rounded(1 - points), low: rounded(1 - high),
      high: rounded(1 - low), mean_place: its, other_mean_place: own, lead: -lead });
  const rounded = (number) => Math.round(number * 10_000) / 10_000;
  const inOrder = ({ keys }, row) => Object.fromEntries(keys.map((key) => [key, row[key]]));

  const standings = objects(data.tables.standings);
  const order = new Map(standings.map(({ bot }, at) => [bot, at]));
  const shown = new Map(standings.map(({ bot }) => [plain(bot), bot])); // by the name as it is written here
  const encounters = objects(data.tables.encounters)
    .flatMap((row) => [row, inOrder(data.tables.encounters, turned(row))])
    .sort((one, two) => order.get(one.bot) - order.get(two.bot) || order.get(one.other) - order.get(two.other));
  const against = new Map(encounters.map((row) => [`${order.get(row.bot)} ${order.get(row.other)}`, row]));
  const encounterOf = (bot, other) => against.get(`${order.get(bot)} ${order.get(other)}`);
  const progress = standings.flatMap(({ bot }) => historyOf(bot));
  const TABLES = { standings, encounters, seats: objects(data.tables.seats), progress, lengths: objects(data.tables.lengths) };

  function historyOf(bot) {
    return data.progress.matches.flatMap((count, at) => {
      const [, text] = data.progress.bots[bot]?.[at] ?? [];
      const [rating, reach] = text?.split(" ± ") ?? [];
      return text ? [{ bot, matches: count, rating: Number(rating), two_sigma: reach ? Number(reach) : null }] : [];
    });
  }

  // --- downloads

  /** Return a row whose every value fits into a cell: what is nested has columns of its own. */
  function flat(row, before = "") {
    return Object.entries(row).reduce((all, [key, value]) => {
      const place = before === "rank_" ? ["from", "to"][key] : Number(key) + 1;
      const name = before + (Array.isArray(row) ? place : key);
      return { ...all, ...(value !== null && typeof value === "object" ? flat(value, `${name}_`) : { [name]: value }) };
    }, {});
  }

  /** Return rows as CSV, in which no text can be taken for a formula. */
  function csv(rows) {
    const flats = rows.map((row) => flat(row));
    const nested = new Set(rows.flatMap((row) => Object.keys(row).filter((key) => row[key] && typeof row[key] === "object")));
    const first = rows.length ? Object.keys(rows[0]) : [];
    const all = [...new Set(flats.flatMap((row) => Object.keys(row)))];
    const keys = first.flatMap((key) => (nested.has(key) ? all.filter((each) => each.startsWith(`${key}_`) && !first.includes(each)) : [key]));
    const cell = (value) => {
      if (value === null || value === undefined) return "";
      const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return [keys, ...flats.map((row) => keys.map((key) => row[key]))].map((row) => `${row.map(cell).join(",")}\n`).join("");
  }

  function save(text, name, type) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const file = `${data.name}-${name}`.replace(/[^\p{L}\p{N}._-]+/gu, "_");
    Object.assign(document.createElement("a"), { href: address, download: file }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }

  /** Return buttons by which rows are downloaded. */
  function downloads(rows, key, name = key) {
    const button = (form, text, type) => {
      const made = set(make("button", "", form), { type: "button", "aria-label": `Download ${name} as ${form}` });
      made.addEventListener("click", () => save(text(), `${name}.${form.toLowerCase()}`, type));
      return made;
    };
    return make("p", "downloads", "Download: ", button("CSV", () => csv(rows()), "text/csv"), " ",
      button("JSON", () => `${JSON.stringify({ [key]: rows() }, null, 2)}\n`, "application/json"));
  }

  // --- links

  const address = (bot, other = null) =>
    `#bot=${encodeURIComponent(bot)}${other === null ? "" : `&against=${encodeURIComponent(other)}`}`;
  const link = (where, ...children) => set(make("a", "", ...children), { href: where });
  const linkTo = (bot) => link(address(bot), said(bot));

  /** Put what is in a cell into a link. */
  function linked(cell, where) {
    const made = link(where);
    made.append(...cell.childNodes);
    cell.append(made);
    return made;
  }

  function linkNames() {
    for (const name of document.querySelectorAll("main th.who > bdi, .legend > li > bdi")) {
      const bot = shown.get(name.textContent);
      if (bot === undefined || name.closest("tfoot")) continue;
      const made = link(address(bot));
      name.replaceWith(made);
      made.append(name);
    }
  }

  function linkCells(heat) {
    const names = [...heat.tHead.rows[0].cells].map((cell) => shown.get(cell.title));
    const grid = [...heat.tBodies[0].rows].map((row) => {
      const bot = shown.get(row.cells[0].querySelector("bdi").textContent);
      return [...row.cells].map((cell, at) => {
        if (!at || !cell.childNodes.length || bot === undefined || names[at] === undefined) return null;
        const words = `${plain(bot)} against ${plain(names[at])}: ${cell.textContent} %, ${cell.title}`;
        return set(linked(cell, address(bot, names[at])), { tabindex: -1, "aria-label": words });
      });
    });
    const first = grid.flat().find(Boolean);
    if (first) first.tabIndex = 0; // the keyboard goes in here, and on with the arrows
    heat.addEventListener("keydown", (event) => move(event, grid));
  }

  const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

  function move(event, grid) {
    const step = ARROWS[event.key];
    let row = grid.findIndex((cells) => cells.includes(event.target));
    if (!step || row < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    let column = grid[row].indexOf(event.target);
    do { [row, column] = [row + step[0], column + step[1]]; } while (grid[row] && column in grid[row] && !grid[row][column]);
    const next = grid[row]?.[column];
    if (!next) return;
    [event.target.tabIndex, next.tabIndex] = [-1, 0];
    next.focus();
  }

  function linkPairs(table) {
    for (const { cells } of table.tBodies[0].rows) {
      const [bot, other] = [cells[0], cells[1]].map((cell) => shown.get(cell.textContent.trim()));
      if (bot === undefined || other === undefined) continue;
      linked(cells[0], address(bot));
      linked(cells[1], address(other));
      linked(cells[2], address(bot, other));
    }
  }

  // --- pages

  const percent = (share) => (share === null || share === undefined ? "–" : (100 * share).toFixed(1));
  const LEADS = { 1: "ahead", 0: "", "-1": "behind" };
  const faultsOf = ({ faults, forfeits }) =>
    [...Object.entries(faults ?? {}).map(([kind, count]) => `${count} ${kind}`), ...(forfeits ? [`forfeits ${forfeits}`] : [])].join(", ") || "none";

  function facts(pairs) {
    return make("dl", "", pairs.flatMap(([name, ...what]) => [make("dt", "", name), make("dd", "", ...what)]));
  }

  function table(label, head, rows) {
    const isNumeric = head.map((title) => !["Against", "Surely", "Bot"].includes(title));
    const cell = (tag, at, content) => make(tag, isNumeric[at] ? "n" : "", content ?? "");
    const top = make("tr", "", head.map((title, at) => set(cell("th", at, title), { scope: "col" })));
    const body = rows.map((row) => make("tr", "", row.map((content, at) => cell(at ? "td" : "th", at, content))));
    return set(make("div", "scroll tall", make("table", "", make("thead", "", top), make("tbody", "", body))),
      { role: "region", "aria-label": label, tabindex: 0 });
  }

  const botPage = (bot) => {
    const row = standings[order.get(bot)];
    const met = encounters.filter((each) => each.bot === bot);
    const history = historyOf(bot);
    const { elo, elo_error: eloError, error, rank, rating } = row;
    const value = elo ?? rating;
    const reach = elo === undefined ? error : eloError;
    const digits = elo === undefined ? 2 : 0;
    const seats = TABLES.seats.filter((each) => each.bot === bot && each.points !== null);
    return [
      facts([
        ["Rank", rank ? [...new Set(rank)].join("–") : "–"],
        [`${data.progress.scale} ± 2σ`, typeof value === "number" ? `${value.toFixed(digits)}${typeof reach === "number" ? ` ± ${(2 * reach).toFixed(digits)}` : ""}` : "–"],
        ["Points %", percent(row.points)],
        ["Matches", `${row.matches} in ${row.deals} deals`],
        ["W/D/L", `${row.wins}/${row.draws}/${row.losses}`],
        ["Faults", plain(faultsOf(row))],
        ["Version", make("code", "", plain(row.version))],
      ]),
      make("h3", "", "Rating over time"),
      ...(history.length > 1 ? [picture(history), make("details", "", make("summary", "", "As a table"),
        table("Rating over time", ["Matches", `${data.progress.scale} ± 2σ`],
          history.map((each) => [each.matches, `${each.rating} ± ${each.two_sigma ?? "–"}`])))]
        : [make("p", "", "There are not enough deals for a picture.")]),
      make("h3", "", "Opponents"),
      table("Opponents", ["Against", "Matches", "W/D/L", "Points %", "95 % interval", "Surely"], met.map((each) =>
        [link(address(bot, each.other), said(each.other)), each.matches, `${each.wins}/${each.draws}/${each.losses}`,
          percent(each.points), `${percent(each.low)} to ${percent(each.high)}`, LEADS[each.lead]])),
      ...(seats.length ? [make("h3", "", "Seats"), table("Seats", ["Seat", "Matches", "Points %"],
        seats.map((each) => [each.seat, each.matches, percent(each.points)]))] : []),
      ...matchList([bot], row.matches),
      downloads(() => met, "encounters", `${bot}-encounters`),
      downloads(() => history, "progress", `${bot}-progress`),
    ];
  };

  const pairPage = (bot, other) => {
    const row = encounterOf(bot, other);
    if (!row) return [make("p", "", "These two have not met in the matches that the tables count.")];
    return [
      facts([
        ["Bots", linkTo(bot), " and ", linkTo(other)],
        ["Matches", `${row.matches} in ${row.deals} deals`],
        ["W/D/L", `${row.wins}/${row.draws}/${row.losses}`],
        ["Points %", `${percent(row.points)}, 95 % interval ${percent(row.low)} to ${percent(row.high)}`],
        ["Surely", LEADS[row.lead] || "neither"],
        ["Mean place", `${row.mean_place.toFixed(2)} and ${row.other_mean_place.toFixed(2)}`],
      ]),
      make("p", "", link(address(other, bot), "The same, seen by ", said(other))),
      ...matchList([bot, other], row.matches),
      downloads(() => [row], "encounters", `${bot}-${other}`),
    ];
  };

  /** Return the matches of some bots that can be stepped through here. */
  function matchList(bots, counted) {
    const found = matches.filter((each) => bots.every((bot) => each.bots.includes(bot)));
    const items = found.slice(0, MOST).map(({ id, bots: seated, places, reason, decisions, faults }) => {
      const who = [...seated.keys()].sort((one, two) => places[one] - places[two])
        .flatMap((seat, at) => [at ? ", " : "", `${places[seat]}. `, said(seated[seat])]);
      const how = ` — ${plain(reason).replaceAll("_", " ")}, ${decisions} decisions${faults ? `, ${faults} faults` : ""}`;
      return make("li", "", link(`#match=${encodeURIComponent(id)}`, ...who), how, " ", make("code", "", plain(id)));
    });
    const rest = found.length > MOST ? ` The first ${MOST} are listed.` : "";
    return [make("h3", "", "Matches"),
      make("p", "", `${found.length} of ${counted} can be stepped through on this page.${rest} `, make("code", "", "arena matches"), " lists all."),
      ...(items.length ? [make("ol", "matches", items)] : [])];
  }

  /** Draw ratings over matches, with two standard errors on either side. */
  function picture(history) {
    const SVG = "http://www.w3.org/2000/svg";
    const draw = (tag, attributes, text = "") => {
      const made = set(document.createElementNS(SVG, tag), attributes);
      made.append(text);
      return made;
    };
    const ends = history.flatMap(({ rating, two_sigma: reach }) => [rating - (reach ?? 0), rating + (reach ?? 0)]);
    const [low, high, last] = [Math.min(...ends), Math.max(...ends), history.at(-1).matches];
    const x = (count) => (EDGE + ((WIDE - 2 * EDGE) * count) / last).toFixed(1);
    const y = (rating) => (HIGH - EDGE - ((HIGH - 2 * EDGE) * (rating - low)) / Math.max(high - low, 1)).toFixed(1);
    const line = history.map(({ matches: count, rating }) => `${x(count)},${y(rating)}`).join(" ");
    const made = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "chart history", role: "img",
      "aria-label": "Rating against matches played, as the table below has it" });
    made.append(
      draw("line", { x1: EDGE, x2: WIDE - EDGE, y1: HIGH - EDGE, y2: HIGH - EDGE, class: "base" }),
      ...history.map(({ matches: count, rating, two_sigma: reach }) =>
        draw("line", { x1: x(count), x2: x(count), y1: y(rating - (reach ?? 0)), y2: y(rating + (reach ?? 0)), class: "reach" })),
      draw("polyline", { points: line, class: "way" }),
      ...history.map(({ matches: count, rating, two_sigma: reach }) => {
        const dot = draw("circle", { cx: x(count), cy: y(rating), r: 3.5, class: "dot" });
        dot.append(draw("title", {}, `${rating} ± ${reach ?? "–"} after ${count} matches`));
        return dot;
      }),
      draw("text", { x: EDGE, y: 14 }, high.toFixed(1)), draw("text", { x: EDGE, y: HIGH - EDGE + 14 }, low.toFixed(1)),
      draw("text", { x: WIDE - EDGE, y: HIGH - 6 }, `${last} matches`));
    return set(make("div", "scroll", made), { role: "region", "aria-label": "Rating over time", tabindex: 0 });
  }

  // --- the dialog

  const dialog = document.getElementById("page");
  const [title, body] = ["page-title", "page-body"].map((id) => document.getElementById(id));

  /** Show the page that the address names, if it names one. */
  function follow() {
    const found = new URLSearchParams(location.hash.slice(1));
    const [bot, other] = [found.get("bot"), found.get("against")];
    if (bot === null) {
      if (dialog.open) dialog.close();
      return;
    }
    const lost = [bot, other].find((each) => each !== null && !order.has(each));
    title.replaceChildren(said(bot), ...(other === null ? [] : [" against ", said(other)]));
    body.replaceChildren(...(lost !== undefined ? [make("p", "", "There is no bot ", said(lost), " on this page.")]
      : other === null ? botPage(bot) : pairPage(bot, other)));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    title.focus();
  }

  dialog.addEventListener("close", () => {
    if (new URLSearchParams(location.hash.slice(1)).has("bot")) history.replaceState(null, "", "#");
  });
  dialog.addEventListener("click", ({ target }) => { if (target === dialog) dialog.close(); }); // beside it
  window.addEventListener("hashchange", follow);

  linkNames();
  for (const heat of document.querySelectorAll("table.heat")) linkCells(heat);
  for (const pairs of document.querySelectorAll("table.pairs")) {
    pairs.closest("details").addEventListener("toggle", () => linkPairs(pairs), { once: true });
  }
  for (const place of document.querySelectorAll("[data-download]")) {
    const name = place.dataset.download;
    if (TABLES[name].length) place.replaceChildren(downloads(() => TABLES[name], name));
  }
  follow();
})();
