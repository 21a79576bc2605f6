"use strict";
(() => {
  const value = (row, column) => {
    const cell = row.cells[column];
    const given = cell.dataset.value;
    if (given === undefined) return cell.textContent.trim();
    return given === "" ? null : Number(given);
  };

  const compare = (one, other) => {
    if (one === null || other === null) return (one === null) - (other === null);
    if (typeof one === "number" && typeof other === "number") return one - other;
    return String(one).localeCompare(String(other), undefined, { numeric: true });
  };

  const sort = (table, head) => {
    const column = head.cellIndex;
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    const last = head.getAttribute("aria-sort");
    const numbers = rows.some((row) => typeof value(row, column) === "number");
    const ascending = last ? last === "descending" : !numbers || head.dataset.first === "ascending";
    const sign = ascending ? 1 : -1;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const keyed = rows.map((row) => [value(row, column), row]);
    keyed.sort(([one], [other]) =>
      one === null || other === null ? compare(one, other) : sign * compare(one, other));
    body.append(...keyed.map(([, row]) => row));
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
