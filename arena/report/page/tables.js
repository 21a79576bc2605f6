"use strict";
(() => {
  const collator = new Intl.Collator(undefined, { numeric: true });

  /** Return what a cell is sorted by: text, or a number, which is null where there is none. */
  const value = (cell, isNumber) => {
    const text = cell.dataset.value ?? cell.textContent.trim();
    if (!isNumber) return text;
    const number = Number.parseFloat(text.replaceAll(",", ""));
    return Number.isNaN(number) ? null : number;
  };

  const compare = (one, other) =>
    typeof one === "number" ? one - other : collator.compare(one, other);

  const sort = (table, head) => {
    const isNumber = head.classList.contains("n");
    const body = table.tBodies[0];
    const last = head.getAttribute("aria-sort");
    const ascending = last ? last === "descending" : !isNumber || head.dataset.first === "ascending";
    const sign = ascending ? 1 : -1;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const keyed = Array.from(body.rows, (row) => [value(row.cells[head.cellIndex], isNumber), row]);
    keyed.sort(([one], [other]) =>
      one === null || other === null ? (one === null) - (other === null) : sign * compare(one, other));
    for (const [, row] of keyed) body.append(row);
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    for (const head of table.tHead.rows[0].cells) {
      if (head.tagName !== "TH") continue;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.addEventListener("click", () => sort(table, head));
      head.replaceChildren(button);
    }
  }
})();
