"use strict";

// Steps through the replays: which match and step is shown, and what is said about them. It knows
// no rules, and whatever a bot had a say in becomes text and nothing else.
(() => {
  const { make, set, table, plain, brief, isolated, said, seatClass } = arenaBoard;
  const [LINE, LINES] = [300, 4]; // characters of a line; lines of a step
  const PICKED = { best: "among the best", closest: "closest in rating", faulty: "with faults" };
  const UNSEEN = { isUnseen: true, words: "decided, unseen by this seat", note: null };

  const payload = JSON.parse(document.getElementById("matches").textContent);
  let [match, shownMatch, data, step] = [null, null, null, 0]; // the one that is chosen; that is unpacked
  let [placeNames, placePattern] = [[], null]; // of the map of the match, if it has one
  let [timer, noting] = [null, null]; // of the next step while it plays, and of the link

  const part = (id) => document.getElementById(`replay-${id}`);
  const tell = (text) => Object.assign(part("message"), { textContent: text, hidden: !text });
  const worded = (text) => String(text ?? "").replaceAll("_", " "); // the game's own names
  const wordsOf = ({ words, fault, isUnseen }) =>
    worded(fault && words && !isUnseen ? `by default: ${words}` : words);
  const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  const hasFault = (frame) => frame.entries.some((entry) => entry.fault);
  const ms = (microseconds = 0) => (microseconds / 1000).toFixed(microseconds < 99_995 ? 2 : 0);
  const nameOf = (seat) => shownMatch.bots[seat] ?? `seat ${seat}`;
  const calledOf = (seat) => [data.called?.[seat], nameOf(seat)].filter(Boolean).join(" ");

  /** Return the ground of a match, its places called as people call them. */
  function groundOf({ ground }) {
    const places = (ground?.places ?? []).map((place) =>
      ({ ...place, name: worded(place.name), region: worded(place.region) }));
    placeNames = places.map(({ name }) => name.toLowerCase());
    const longest = [...placeNames].sort((one, other) => other.length - one.length); // one may hold another
    const written = longest.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    placePattern = ground ? new RegExp(`(?<![\\p{L}\\p{N}])(?:${written.join("|")})(?![\\p{L}\\p{N}])`, "giu") : null;
    return ground && { ...ground, places };
  }

  function showMatch() {
    const { bots, places, decisions, numbers = {}, faults = 0, picked = [], id } = shownMatch;
    part("title").replaceChildren(...bots.flatMap((bot, seat) => [seat ? " – " : "", said(bot)]));
    const byPlace = [...bots.keys()].sort((one, other) => places[one] - places[other]);
    part("bots").replaceChildren(...byPlace.map((seat) =>
      make("li", seatClass(seat).trim(), `${places[seat]}. `, said(bots[seat]), ` (seat ${seat})${scoreOf(seat)}`)));
    const counts = Object.entries(numbers).map(([name, value]) => `, ${worded(name)} ${value}`).join("");
    const why = picked.map((each) => PICKED[each] ?? each).join(", ");
    part("end").replaceChildren("Ended: ", ...outcome(),
      ` after ${plural(decisions, "decision")}, ${plural(faults, "fault")}`, said(counts), ".",
      `${why ? ` Picked as ${why}.` : ""} Match ${id}.`);
    part("opening").hidden = !data.opening;
    part("opening").replaceChildren(...openingOf(data.opening ?? {}));
    const eyes = part("eyes").value;
    part("eyes").replaceChildren(new Option("everybody's cards open", ""),
      ...bots.map((bot, seat) => new Option(`${isolated(bot)} (seat ${seat})`, seat)));
    part("eyes").value = Number(eyes) < bots.length ? eyes : "";
    part("range").max = data.frames.length;
    const isAlone = data.frames.length < 2; // there is nothing to step through
    for (const id of ["controls", "pace", "keys", "legend"]) part(id).hidden = isAlone;
    set(part("player"), { "aria-describedby": isAlone ? "" : "replay-keys" });
    part("settings").hidden = data.problem !== null; // there is nothing to see
    part("fault").hidden = !data.frames.some(hasFault);
    part("summary").replaceChildren(table(
      ["Bot", "Place", "Asked", "CPU ms", "Wall ms", "Longest", ...(isMemoryKnown() ? ["Peak MiB"] : []), "Faults"],
      data.seats.map(summaryOf), seatClass));
    part("remains").replaceChildren(...data.seats.flatMap(remainsOf));
  }

  function scoreOf(seat) {
    const { score } = data.seats[seat];
    return score === undefined ? "" : `, score ${score}`;
  }

  /** Return who won, or who share the first place, and how it ended. */
  function outcome() {
    const { bots, places, reason } = shownMatch;
    const best = bots.filter((_, seat) => places[seat] === Math.min(...places));
    const names = best.flatMap((bot, at) => [at ? (best[at + 1] ? ", " : " and ") : "", said(bot)]);
    return [...names, best[1] ? " share place 1 (" : " wins (", said(worded(reason)), ")"];
  }

  /** Return whether cgroups have measured the memory of bots. */
  function isMemoryKnown() {
    return data.seats.some((row) => row.memory_peak);
  }

  function summaryOf(row) {
    const faults = Object.entries(row.faults ?? {}).map(([kind, count]) => `${count} ${kind}`);
    if (row.forfeited) faults.push("forfeits");
    const memory = isMemoryKnown() ? [row.memory_peak ? Math.round(row.memory_peak / 2 ** 20) : ""] : [];
    return [`${row.bot} ${row.version ?? ""}`.trim(), row.place, row.asked, ms(row.cpu_us), ms(row.wall_us), ms(row.longest_us),
      ...memory, faults.join(", ") || "none"];
  }

  function remainsOf({ bot, burner, last_lines: lastLines = [], stderr = "" }, seat) {
    const who = () => [said(bot), ` (seat ${seat})`];
    const block = (title, text) => (text ? [make("h4", seatClass(seat).trim(), `${title} `, who()),
      set(make("pre", "", plain(text, { lines: true })),
        { role: "group", "aria-label": `${title} ${isolated(bot)}, seat ${seat}` })] : []);
    return [burner ? make("p", "", who(), " used the CPU off turn and was frozen between its turns.") : "",
      ...block("Last lines before the first fault of", lastLines.join("\n")),
      ...block("Standard error of", stderr)];
  }

  /** Return what came before the first decision, in words. */
  function openingOf({ position = "", moves = [] }) {
    const told = moves.flatMap(({ seat, words }, at) => [at || position ? ", " : "", said(nameOf(seat)), `: ${worded(words)}`]);
    return ["Opening, before the first decision: ", said(position), ...told, "."];
  }

  function showStep() {
    const frame = data.frames[step];
    const eyes = data.problem ? "" : part("eyes").value;
    const isSeen = ({ seat }) => eyes === "" || frame.entries.length < 2 || seat === Number(eyes);
    const entries = frame.entries.map((entry) => (isSeen(entry) ? entry : { ...entry, ...UNSEEN,
      fault: entry.fault && { ...entry.fault, line: null, reason: "unseen by this seat" } }));
    const seenIn = (each) => (eyes === "" ? each.all : each.seats[eyes]).map((number) => data.areas[number]);
    const before = data.frames[step - 1];
    const problem = data.problem && make("p", "replay-message", "There are no boards: ", said(data.problem));
    part("board").replaceChildren(...arenaBoard.drawAreas(seenIn(frame), namesIn(entries), before && seenIn(before)), problem ?? "");
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
      const found = placePattern ? [...worded(text).matchAll(placePattern)] : [];
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
    part("copied").replaceChildren();
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

  /** Copy the address of the step that is shown, or show it where a browser does not let us. */
  async function copyLink() {
    pause();
    const address = new URL(`#match=${encodeURIComponent(shownMatch.id)}&step=${step + 1}`, location).href;
    history.replaceState(null, "", new URL(address).hash);
    const isCopied = await navigator.clipboard?.writeText(address).then(() => true, () => false);
    part("copied").replaceChildren(...(isCopied ? ["Copied: it leads to this step."]
      : [make("label", "", "Copy this: ", Object.assign(make("input"), { readOnly: true, value: address, size: 40 }))]));
    part("copied").querySelector("input")?.select();
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
    if (wanted !== shownMatch) arenaBoard.begin({ ground: groundOf(found ?? {}), nameOf: calledOf });
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
    const end = `${brief(worded(each.reason))}, ${plural(each.decisions, "decision")}`;
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
    part("link").addEventListener("click", copyLink);
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
    part("choice").hidden = payload.matches.length < 2;
    return linked() ? follow() : open(payload.matches[0]);
  }

  start();
})();
