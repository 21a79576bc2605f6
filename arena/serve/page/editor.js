"use strict";

// Makes the text field for a program one to write in: numbers, the key Tab, and a draft that stays.
(() => {
  const form = document.getElementById("write");
  if (!form) return;
  const source = document.getElementById("source");
  const numbers = form.querySelector(".numbers");
  const said = document.getElementById("editor-said");
  const draft = `arena ${form.dataset.draft}`;
  const last = `arena last ${form.dataset.draft.split(" ").slice(0, -1).join(" ")}`;
  const unit = /^(\t| {2,8})\S/m.exec(source.defaultValue)?.[1] ?? "    ";
  let leaves = false; // whether the next Tab goes on to what follows, as Esc was pressed

  /** Use what the browser keeps for this tab, where it lets us. */
  function kept(use) {
    try { return use(sessionStorage); } catch { return null; }
  }

  function number() {
    const count = source.value.split("\n").length;
    if (numbers.childElementCount !== count) {
      numbers.replaceChildren(...Array.from({ length: Math.min(count, 20_000) }, (_, at) =>
        Object.assign(document.createElement("div"), { textContent: at + 1 })));
    }
    numbers.scrollTop = source.scrollTop;
  }

  function changed() {
    number();
    kept((store) => source.value === source.defaultValue ? store.removeItem(draft) : store.setItem(draft, source.value));
  }

  /** Put a text in place of a part, as if it had been typed: it can be undone. */
  function put(text, from, to) {
    source.setSelectionRange(from, to);
    const done = text ? document.execCommand("insertText", false, text) : from === to || document.execCommand("delete");
    if (!done) {
      source.setRangeText(text, from, to, "end");
      changed();
    }
  }

  function shift(out) {
    const { selectionStart: from, selectionEnd: to, value } = source;
    if (!out && from === to) return put(unit, from, to);
    const begin = value.lastIndexOf("\n", from - 1) + 1;
    const end = to > from && value[to - 1] === "\n" ? to - 1 : to; // a line of which nothing is chosen stays
    const lines = value.slice(begin, end).split("\n");
    const moved = lines.map((line) => out ? line.replace(/^(\t| {1,4})/, "") : line && unit + line);
    put(moved.join("\n"), begin, end);
    if (from === to) {
      const at = Math.max(begin, from - (lines[0].length - moved[0].length));
      return source.setSelectionRange(at, at);
    }
    return source.setSelectionRange(begin, begin + moved.join("\n").length);
  }

  function pressed(event) {
    if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape") {
      leaves = true;
      said.textContent = "Tab leaves the field now.";
      return;
    }
    if (event.key === "Tab" && !leaves) {
      event.preventDefault();
      shift(event.shiftKey);
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      const { selectionStart: from, selectionEnd: to, value } = source;
      const line = value.slice(value.lastIndexOf("\n", from - 1) + 1, from);
      put(`\n${/^[ \t]*/.exec(line)[0]}${/[:{]\s*$/.test(line) ? unit : ""}`, from, to);
    }
    if (event.key !== "Tab" && event.key !== "Shift") { leaves = false; said.textContent = ""; }
  }

  let surely = false;
  const anew = document.getElementById("anew");
  anew.addEventListener("click", () => {
    if (source.value !== source.defaultValue && !surely) {
      surely = true;
      said.textContent = "This removes what you wrote. Press it once more to do so.";
      return;
    }
    surely = false;
    said.textContent = "";
    source.value = source.defaultValue;
    changed();
  });
  anew.addEventListener("blur", () => { surely = false; });

  const chosen = new URLSearchParams(location.search).get("lang");
  const before = kept((store) => store.getItem(last));
  const language = form.dataset.draft.split(" ").at(-1);
  if (!chosen && before && before !== language) return location.replace(`${location.pathname}?lang=${encodeURIComponent(before)}`);
  kept((store) => store.setItem(last, language));
  const written = kept((store) => store.getItem(draft));
  if (written) source.value = written;
  source.addEventListener("keydown", pressed);
  source.addEventListener("input", changed);
  source.addEventListener("scroll", () => { numbers.scrollTop = source.scrollTop; });
  source.addEventListener("blur", () => { leaves = false; said.textContent = ""; });
  form.querySelector(".editor").classList.add("is-numbered");
  for (const each of form.querySelectorAll(".with-script")) each.hidden = false;
  number();
  return undefined;
})();
