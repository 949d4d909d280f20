"use strict";
/* Verdicts on rows, of a draft or of suspects: kept in the browser, saved as files for --judged. */
(() => {
  const NONE = 0;
  const WAIT = 300; // milliseconds after the last verdict before the browser's storage is written

  class Verdicts {
    /** `names` are the verdicts; the first is none, and its code 0. `codes`, `others` (texts) and
        `reviewers` are the verdicts that there are already; `key` names them in the browser. */
    constructor(key, names, codes, others, reviewers = others.map(() => "")) {
      Object.assign(this, { key: `misword-${key}`, names, codes, others, reviewers, changed: new Set() });
      this.counts = names.map(() => 0);
      for (const code of codes) this.counts[code] += 1;
      this.stored = true; // false if the browser has no storage for this page
      this.saved = true; // whether all verdicts are in a file
      this.store = misword.debounced(WAIT, () => this.write());
      this.restore();
      addEventListener("pagehide", () => this.write());
      addEventListener("beforeunload", (event) => {
        this.write();
        if (!this.stored && !this.saved) event.preventDefault();
      });
    }

    restore() {
      try {
        const kept = JSON.parse(localStorage.getItem(this.key) ?? "{}");
        for (const [row, values] of Object.entries(kept)) this.put(Number(row), ...values);
      } catch {
        this.stored = false;
      }
    }

    write() {
      if (!this.changed.size) return;
      const rows = [...this.changed].map((row) => [row, [this.codes[row], this.others[row], this.reviewers[row]]]);
      try {
        localStorage.setItem(this.key, JSON.stringify(Object.fromEntries(rows)));
        this.stored = true;
      } catch {
        this.stored = false;
      }
    }

    put(row, code, other, reviewer = "") {
      this.counts[this.codes[row]] -= 1;
      this.counts[code] += 1;
      this.codes[row] = code;
      this.others[row] = other;
      this.reviewers[row] = reviewer;
      this.changed.add(row);
    }

    set(row, code, other = "", reviewer = "") {
      this.put(row, code, other, reviewer);
      this.saved = false;
      this.store();
    }

    /** Return what a row of the list shows. */
    text(row) {
      const other = this.others[row];
      if (this.codes[row] === NONE) return "";
      return other ? `${this.names[this.codes[row]]}: ${other}` : this.names[this.codes[row]];
    }

    /** Return the numbers of the rows with a verdict. */
    judged() {
      return [...this.codes.keys()].filter((row) => this.codes[row] !== NONE);
    }

    /** Download the rows with a verdict as CSV; `cells(row)` returns the cells before the verdict. */
    saveCsv(heads, cells, more = () => []) {
      const lines = this.judged().map((row) =>
        [...cells(row), this.names[this.codes[row]], this.others[row], ...more(row)]);
      misword.saveCsv([heads, ...lines], "verdicts.csv");
      this.saved = true;
    }
  }

  const REVIEWER = "misword-reviewer";
  const reviewer = () => {
    try {
      return localStorage.getItem(REVIEWER) ?? "";
    } catch {
      return "";
    }
  };

  /** Return a field for the name of the person who judges, which the browser keeps. */
  misword.reviewerField = () => {
    const field = misword.make("input", { type: "text", name: "reviewer", autocomplete: "off", value: reviewer() });
    field.addEventListener("change", () => {
      try {
        localStorage.setItem(REVIEWER, field.value.trim());
      } catch { /* the name stays on this page alone */ }
    });
    return field;
  };

  misword.Verdicts = Verdicts;
})();
