"use strict";
/* Differences that the reader calls the same: rules for --equivalents, and the rates with them. */
(() => {
  const { make } = misword;
  const MOST = 40; // differences of one utterance that have a button
  const NOTHING = "@"; // the empty form in lists of equivalents

  const percent = (rate) => (Number.isNaN(rate) ? "–" : (100 * rate).toFixed(2));

  /** Yield the runs of errors of a system in an utterance, as pairs of texts. */
  const runsOf = function* runsOf(corpus, layer, s, u) {
    let open = null;
    const closed = ([said, heard, errors]) => [said.join(" ") || NOTHING, heard.join(" ") || NOTHING, errors];
    const texts = (number) => (number < 0 ? [] : [corpus.words[number]]);
    for (const place of corpus.alignment(layer, s, u, -1)) {
      if (place.kind === "hit" || place.kind === "forgiven") {
        if (open) yield closed(open);
        open = null;
      } else {
        open ??= [[], [], 0];
        open[0].push(...texts(place.reference));
        open[1].push(...texts(place.hypothesis));
        open[2] += 1;
      }
    }
    if (open) yield closed(open);
  };

  const keyOf = (said, heard) => [said, heard].sort().join("\n");

  /** Count the errors and the words of each system, and the errors of each difference. */
  const countAll = (corpus, layer) => corpus.systems.map((_, s) => {
    const found = { errors: 0, words: 0, of: new Map() };
    for (let u = 0; u < corpus.size; u += 1) {
      for (const place of corpus.alignment(layer, s, u, -1)) {
        if (place.reference >= 0) {
          const text = corpus.words[place.reference];
          found.words += place.kind === "forgiven" ? text.split(" ").length : 1;
        }
      }
      for (const [said, heard, errors] of runsOf(corpus, layer, s, u)) {
        found.errors += errors;
        const key = keyOf(said, heard);
        found.of.set(key, (found.of.get(key) ?? 0) + errors);
      }
    }
    return found;
  });

  /** The rules of one explorer. */
  class Rules {
    constructor(corpus, layer) {
      Object.assign(this, { corpus, layer, rules: new Map(), totals: null });
      this.place = make("div", { class: "same", role: "status" });
    }

    toggle(said, heard) {
      const key = keyOf(said, heard);
      if (!this.rules.delete(key)) this.rules.set(key, `${said} / ${heard}`);
      this.draw();
    }

    has(said, heard) {
      return this.rules.has(keyOf(said, heard));
    }

    draw() {
      if (!this.rules.size) {
        this.place.replaceChildren();
        return;
      }
      this.totals ??= countAll(this.corpus, this.layer);
      const lines = this.corpus.systems.map((name, s) => {
        const { errors, words, of } = this.totals[s];
        const gone = [...this.rules.keys()].reduce((sum, key) => sum + (of.get(key) ?? 0), 0);
        return [make("th", { scope: "row" }, make("bdi", {}, name)),
          make("td", { class: "num" }, percent(errors / words)),
          make("td", { class: "num" }, percent((errors - gone) / words)),
          make("td", { class: "num" }, gone.toLocaleString("en"))];
      });
      const save = make("button", { type: "button" }, "Save rules");
      save.addEventListener("click", () => misword.save(
        new Blob([...this.rules.values()].map((rule) => `${rule}\n`), { type: "text/plain" }), "same.txt"));
      this.place.replaceChildren(
        make("p", {}, "These are the same: ", make("bdi", {}, [...this.rules.values()].join("; "))),
        misword.smallTable("word errors with these rules", ["system", "now, %", "with them, %", "errors less"],
          lines, (at) => at > 0),
        make("p", { class: "note" }, "Counted in the alignments of this page. Save the rules, and score again "
          + "with --equivalents same.txt."), save);
    }
  }

  const rulesOf = new WeakMap();

  /** Return the differences of an utterance with a button each, and the rules so far. */
  misword.same = (corpus, u, layer) => {
    if (!corpus.layers.length) return [];
    if (!rulesOf.has(corpus)) rulesOf.set(corpus, new Rules(corpus, layer));
    const rules = rulesOf.get(corpus);
    const found = new Map();
    for (const s of corpus.shown) {
      for (const [said, heard] of runsOf(corpus, layer, s, u)) {
        if (found.size >= MOST) break;
        found.set(keyOf(said, heard), [said, heard]);
      }
    }
    if (!found.size) return [rules.place];
    const items = [...found.values()].map(([said, heard]) => {
      const button = make("button", { type: "button", class: "link", "aria-pressed": String(rules.has(said, heard)) },
        "these two are the same");
      button.addEventListener("click", () => {
        rules.toggle(said, heard);
        button.setAttribute("aria-pressed", String(rules.has(said, heard)));
      });
      return make("li", {}, make("bdi", {}, said), " / ", make("bdi", {}, heard), " ", button);
    });
    return [make("details", { class: "differences" },
      make("summary", {}, `Differences (${items.length})`), make("ul", {}, ...items)), rules.place];
  };
})();
