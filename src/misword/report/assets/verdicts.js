"use strict";
/* Verdicts on the rows of a draft: kept in the browser, saved as a file for --judged. */
(() => {
  const NAMES = ["", "accept", "reject", "other"];
  const [NONE, ACCEPT, REJECT, OTHER] = [0, 1, 2, 3];
  const WAIT = 300; // milliseconds after the last verdict before the browser's storage is written

  class Verdicts {
    /** `codes` and `others` are the verdicts that the draft has already. */
    constructor(key, codes, others) {
      Object.assign(this, { key: `misword-draft-${key}`, codes, others, changed: new Set() });
      this.counts = [0, 0, 0, 0];
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
        for (const [row, [code, other]] of Object.entries(kept)) this.put(Number(row), code, other);
      } catch {
        this.stored = false;
      }
    }

    write() {
      if (!this.changed.size) return;
      const rows = [...this.changed].map((row) => [row, [this.codes[row], this.others[row]]]);
      try {
        localStorage.setItem(this.key, JSON.stringify(Object.fromEntries(rows)));
        this.stored = true;
      } catch {
        this.stored = false;
      }
    }

    put(row, code, other) {
      this.counts[this.codes[row]] -= 1;
      this.counts[code] += 1;
      this.codes[row] = code;
      this.others[row] = other;
      this.changed.add(row);
    }

    set(row, code, other = "") {
      this.put(row, code, other);
      this.saved = false;
      this.store();
    }

    /** Return what a row of the list shows. */
    text(row) {
      const other = this.others[row];
      if (this.codes[row] === NONE) return "";
      return other ? `${NAMES[this.codes[row]]}: ${other}` : NAMES[this.codes[row]];
    }

    /** Download all rows with a verdict; `cells(row)` returns the headword and the first candidate. */
    save(cells) {
      const lines = [["source", "target", "verdict", "other"]];
      this.codes.forEach((code, row) => {
        if (code !== NONE) lines.push([...cells(row), NAMES[code], this.others[row]]);
      });
      misword.saveCsv(lines, "verdicts.csv");
      this.saved = true;
    }
  }

  Object.assign(misword, { Verdicts, verdictNames: NAMES, NONE, ACCEPT, REJECT, OTHER });
})();
