"use strict";

// Keeps a page as it would be if it were loaded anew: on each event that concerns it, it fetches
// itself and takes over what differs. Without it, the page is as it was when it was loaded.
(() => {
  const [PAUSE, SPREAD, SAID] = [1000, 500, 30_000]; // ms between fetches; so that readers do not all come at once; between words
  const live = document.querySelector("[data-live]");
  if (!live) return;
  let [timer, isWanted, isBusy, lastSaid, lastFetch] = [null, false, false, 0, 0];

  const state = (text, isLive) => {
    const line = document.getElementById("live-state");
    line.textContent = text;
    line.classList.toggle("is-live", isLive);
  };
  const parts = (root) => Array.from(root.querySelectorAll("[data-part]"));
  const textOf = (element) => element.textContent.replace(/\s+/g, " ").trim();

  const headsOf = (cells) => Array.from(cells, (cell) => (cell.tagName === "TH" ? textOf(cell) : "")).join("\n");

  /** Take over from a fresh row what differs, and show that it is new. */
  function mendRow(row, fresh) {
    for (const [at, cell] of Array.from(row.cells).entries()) {
      const other = fresh.cells[at];
      if (cell.innerHTML === other.innerHTML && cell.dataset.value === other.dataset.value) continue;
      const isSeen = textOf(cell) !== textOf(other);
      cell.replaceWith(other.cloneNode(true));
      if (isSeen) flash(row.cells[at]);
    }
  }

  function flash(element) {
    element.classList.remove("is-new");
    void element.offsetWidth; // so that the animation begins anew
    element.classList.add("is-new");
  }

  /** Take over the rows of a table, by their keys; a reader's own order stays. */
  function mendTable(table, fresh) {
    const body = table.tBodies[0];
    const focused = document.activeElement;
    const rows = new Map(Array.from(body.rows, (row) => [row.dataset.key, row]));
    for (const row of Array.from(fresh.tBodies[0].rows)) {
      const own = rows.get(row.dataset.key);
      rows.delete(row.dataset.key);
      if (own) mendRow(own, row);
      else flash(body.appendChild(row.cloneNode(true)));
    }
    for (const gone of rows.values()) gone.remove();
    const sorted = table.tHead.querySelector("[aria-sort]");
    if (sorted) {
      const turned = { ascending: "descending", descending: "ascending" }[sorted.getAttribute("aria-sort")];
      sorted.setAttribute("aria-sort", turned);
      sorted.querySelector("button").click(); // which turns it back, and sorts
    } else {
      const keys = Array.from(fresh.tBodies[0].rows, (row) => row.dataset.key);
      if (keys.some((key, at) => body.rows[at].dataset.key !== key)) {
        const own = new Map(Array.from(body.rows, (row) => [row.dataset.key, row]));
        body.append(...keys.map((key) => own.get(key)));
      }
    }
    if (table.contains(focused)) focused.focus({ preventScroll: true }); // what is moved loses it
  }

  /** Take over a part of the page. */
  function mend(part, fresh) {
    const [table, other] = [part.querySelector("table.sortable"), fresh.querySelector("table.sortable")];
    if (table && other) {
      const [own, theirs] = [table, other].map((each) => each.tHead.rows[0].cells);
      if (headsOf(own) !== headsOf(theirs)) return location.reload(); // other columns, which is rare
      for (const [at, cell] of Array.from(own).entries()) {
        if (cell.tagName === "TD" && cell.innerHTML !== theirs[at].innerHTML) cell.replaceWith(theirs[at].cloneNode(true));
      }
      return mendTable(table, other);
    }
    if (table || other) return location.reload();
    if (part.innerHTML === fresh.innerHTML && part.hidden === fresh.hidden) return;
    const focused = document.activeElement?.id;
    part.replaceChildren(...fresh.cloneNode(true).childNodes);
    part.hidden = fresh.hidden;
    arenaTimes.show(part);
    toEnd();
    if (focused && part.querySelector(`#${CSS.escape(focused)}`)) document.getElementById(focused).focus();
  }

  /** Show the end of what a build wrote, where its errors are. */
  function toEnd() {
    for (const box of document.querySelectorAll("pre.output")) box.scrollTop = box.scrollHeight;
  }

  function say(fresh) {
    const text = textOf(fresh.querySelector("#strip, #verdict, #queue, #submissions") ?? live).slice(0, 200);
    const line = document.getElementById("said");
    if (!line || Date.now() - lastSaid < SAID || line.dataset.text === text) return;
    lastSaid = Date.now();
    line.dataset.text = text;
    line.textContent = text;
  }

  async function renew() {
    timer = null;
    if (document.hidden) return; // once it is looked at again, all is fetched
    if (isBusy) { isWanted = true; return; }
    [isWanted, isBusy, lastFetch] = [false, true, Date.now()];
    try {
      const answer = await fetch(location.pathname + location.search, { headers: { "X-Live": "1" } });
      if (!answer.ok) throw new Error(answer.status);
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      const found = new Map(parts(fresh).map((part) => [part.id, part]));
      if (parts(document).some((part) => !found.has(part.id)) || parts(document).length !== found.size) return location.reload();
      arenaTimes.show(fresh.body);
      for (const part of parts(document)) mend(part, found.get(part.id));
      say(fresh);
      state("Live", true);
    } catch {
      state("No answer; trying again", false);
      isWanted = true;
    } finally {
      isBusy = false;
    }
    if (isWanted) want();
  }

  function want() {
    const wait = Math.max(0, PAUSE - (Date.now() - lastFetch)) + Math.random() * SPREAD;
    timer ??= setTimeout(renew, wait);
  }

  function heard(event) {
    const { number } = live.dataset;
    let said = null;
    try { said = JSON.parse(event.data); } catch { /* an event without data concerns everybody */ }
    if (number === undefined || said?.number === undefined || String(said.number) === number) want();
  }

  let [source, isKnown] = [null, false];

  /** Listen, but not where nobody looks: a browser has few connections to a server. */
  function listen() {
    if (document.hidden === (source === null)) return;
    if (document.hidden) {
      source.close();
      source = null;
      return;
    }
    source = new EventSource(live.dataset.events);
    for (const name of live.dataset.live.split(" ")) source.addEventListener(name, heard);
    source.addEventListener("open", () => {
      state("Live", true);
      if (isKnown) want(); // what happened meanwhile was not heard
      isKnown = true;
    });
    source.addEventListener("error", () => state("Not connected; trying again", false));
  }

  toEnd();
  document.addEventListener("visibilitychange", listen);
  listen();
})();
