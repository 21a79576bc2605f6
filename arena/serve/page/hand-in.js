"use strict";

// Takes a program, or folders and files that are dropped or chosen, sends them, and goes on to the submission.
(() => {
  const form = document.getElementById("hand-in");
  if (!form) return;
  const writing = document.getElementById("write");
  const part = (id) => document.getElementById(id);
  const LEFT_OUT = /^(\.git|__pycache__|node_modules|\.venv|target|\.DS_Store)$/;
  const MOST_FILES = 20_000;
  let chosen = null; // files with their paths, in place of those of the form's own fields

  const size = (bytes) => (bytes < 1e5 ? `${Math.ceil(bytes / 100) / 10} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
  const total = (files) => files.reduce((sum, { file }) => sum + file.size, 0);

  function complain(what, remedy = "") {
    const sentence = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);
    const lines = [what, remedy].filter(Boolean)
      .map((text) => Object.assign(document.createElement("p"), { textContent: sentence(text) }));
    part("problem").replaceChildren(...lines);
    part("problem").hidden = false;
    part("problem").scrollIntoView({ block: "nearest" });
  }

  function choose(files) {
    const kept = files.filter(({ path }) => !path.split("/").some((step) => LEFT_OUT.test(step)));
    chosen = kept.length ? kept : null;
    const left = files.length - kept.length;
    const what = kept.length === 1 ? kept[0].path : `${kept.length} files`;
    part("chosen").textContent = chosen
      ? `${what}, ${size(total(kept))}${left ? `; ${left} left out, such as .git and __pycache__` : ""}.`
      : "There is no file in it.";
    part("problem").hidden = true;
  }

  /** Return the files below what was dropped, each with its path. */
  async function below(entry, path = "") {
    const own = path ? `${path}/${entry.name}` : entry.name;
    if (entry.isFile) return [{ path: own, file: await new Promise((done, fail) => entry.file(done, fail)) }];
    if (LEFT_OUT.test(entry.name)) return [];
    const reader = entry.createReader();
    const found = [];
    for (;;) {
      const some = await new Promise((done, fail) => reader.readEntries(done, fail)); // a hundred at a time
      if (!some.length) return found;
      for (const each of some) found.push(...(await below(each, own)));
      if (found.length > MOST_FILES) throw new Error(`There are more than ${MOST_FILES} files in it.`);
    }
  }

  async function dropped(event) {
    event.preventDefault();
    part("drop").classList.remove("is-over");
    const loose = Array.from(event.dataTransfer.files, (file) => [{ path: file.name, file }]); // where there are no entries
    const entries = Array.from(event.dataTransfer.items, (item) => item.webkitGetAsEntry?.() ?? null);
    try {
      const found = entries.every(Boolean) ? await Promise.all(entries.map((entry) => below(entry))) : loose;
      choose(found.flat());
      part("file").value = part("folder").value = "";
    } catch (error) {
      complain("What was dropped cannot be read.", error.message);
    }
  }

  /** Return the program that was written, to be sent. */
  function program() {
    const source = part("source").value;
    const name = part("filename").value.trim();
    if (!source.trim()) throw new Error("There is no program in the text field.");
    if (!name) { part("filename").focus(); throw new Error("Name the file of the program, such as bot.py."); }
    return { name, content: new Blob([source], { type: "text/plain" }) };
  }

  /** Return the files that are to be sent: an archive, or one. */
  async function parcel() {
    if (!chosen) throw new Error("Choose a folder, an archive or a file.");
    if (chosen.length === 1 && !chosen[0].path.includes("/")) return { name: chosen[0].path, content: chosen[0].file };
    return { name: "bot.tar", content: await arenaArchive.tar(chosen) };
  }

  function post(form, onlyCheck, { name, content }) {
    const data = new FormData();
    data.append("bot", form.elements.bot.value);
    data.append("file", content, name);
    const request = new XMLHttpRequest(); // fetch does not say how much was sent
    request.open("POST", `${form.dataset.api}?bot=${encodeURIComponent(form.elements.bot.value)}${onlyCheck ? "&check=1" : ""}`);
    request.setRequestHeader("X-CSRF-Token", form.elements.csrf.value);
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", ({ loaded, total: all }) => {
      part("sent").value = all ? loaded / all : 0;
      part("sent-words").textContent = loaded < all ? `${Math.floor((100 * loaded) / all)} % sent` : "Sent; waiting for the answer";
    });
    return new Promise((done) => {
      request.addEventListener("loadend", () => done(request));
      request.send(data);
    });
  }

  function readError(request) {
    try {
      const { error } = JSON.parse(request.responseText);
      return [error.what, error.remedy];
    } catch {
      return request.status
        ? [`The server answered ${request.status}.`, "Try again in a while."]
        : ["The server did not answer.", "Look at your connection, and hand in again."];
    }
  }

  async function send(event) {
    event.preventDefault();
    const form = event.currentTarget;
    const onlyCheck = event.submitter?.value === "check";
    const buttons = document.querySelectorAll(".buttons button");
    part("problem").hidden = true;
    let made;
    try { made = form === writing ? program() : await parcel(); } catch (error) { return complain(error.message); }
    const most = Number(form.dataset.most);
    if (made.content.size > most) return complain(`This is ${size(made.content.size)}, and ${size(most)} is the most.`, "Leave out what the bot does not need.");
    for (const each of buttons) each.disabled = true;
    part("sending").hidden = false;
    part("sending").scrollIntoView({ block: "nearest" });
    const request = await post(form, onlyCheck, made);
    if (request.status === 202) {
      const { submission } = JSON.parse(request.responseText);
      part("sent-words").textContent = `Received as submission ${submission.number}`;
      return location.assign(`${form.dataset.submissions}/${submission.number}`);
    }
    for (const each of buttons) each.disabled = false;
    part("sending").hidden = true;
    return complain(...readError(request));
  }

  const files = (input) => Array.from(input.files, (file) => ({ path: file.webkitRelativePath || file.name, file }));
  part("file").addEventListener("change", () => { part("folder").value = ""; choose(files(part("file"))); });
  part("folder").addEventListener("change", () => { part("file").value = ""; choose(files(part("folder"))); });
  for (const name of ["dragenter", "dragover"]) {
    part("drop").addEventListener(name, (event) => { event.preventDefault(); part("drop").classList.add("is-over"); });
  }
  part("drop").addEventListener("dragleave", () => part("drop").classList.remove("is-over"));
  part("drop").addEventListener("drop", dropped);
  for (const each of [form, writing]) each.addEventListener("submit", send);
  for (const each of [part("folder-choice"), ...document.querySelectorAll(".drop-words")]) each.hidden = false;
})();
