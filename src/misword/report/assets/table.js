"use strict";
/* A click on a table's heading sorts its rows; a second click reverses the order. */
(() => {
  const value = (row, column) => {
    const cell = row.cells[column];
    if (!("value" in cell.dataset)) return cell.textContent;
    return cell.dataset.value === "" ? NaN : Number(cell.dataset.value);
  };

  /** Numbers by size, text by the alphabet; missing values are last in both directions. */
  const compare = (a, b, sign) => {
    if (typeof a === "string" || typeof b === "string") return sign * `${a}`.localeCompare(`${b}`);
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return sign * (a - b);
  };

  const sort = (table, column, heading) => {
    const up = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of heading.parentElement.children) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const keyed = [...body.rows].map((row) => [value(row, column), row]);
    keyed.sort(([a], [b]) => compare(a, b, up ? 1 : -1));
    body.append(...keyed.map(([, row]) => row));
  };

  for (const table of document.querySelectorAll("table[data-sortable]")) {
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      const button = misword.make("button", { type: "button", class: "sort" });
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sort(table, column, heading));
    });
  }
})();
