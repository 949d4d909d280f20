"use strict";
/* The triplets of people's choices: which metric prefers the hypothesis that people rejected? */
(() => {
  const { make, numberField, unpack } = misword;
  const VERDICTS = ["right", "wrong", "tie", "people tied"];
  const [WRONG, NO_MAJORITY] = [1, 3];
  const SIDES = ["a", "b"];
  const WRONG_METRICS = "metrics that are wrong";

  /** The triplets, as misword.report.kinds.agreement.triplets writes them. */
  class TripletRows extends misword.Rows {
    constructor(data) {
      super();
      const { ids, reference, a, b } = data;
      Object.assign(this, { ids, reference, texts: [a, b], size: ids.length, votes: data.votes.map(unpack) });
      this.metrics = data.metrics.map(({ name, rates, verdicts }) =>
        ({ name, rates: rates.map(unpack), verdicts: unpack(verdicts) }));
    }

    wrong(row) {
      return this.metrics.filter(({ verdicts }) => verdicts[row] === WRONG).length;
    }

    majority(row) {
      const votes = this.votes.map((of) => of[row]);
      return (100 * Math.max(...votes)) / Math.max(votes[0] + votes[1], 1);
    }

    fields() {
      const metrics = this.metrics.map(({ name, verdicts }) =>
        ({ group: "Verdict of", name, label: "Verdict", choices: VERDICTS, codes: verdicts }));
      const each = (call) => Float32Array.from(this.ids, (_, row) => call(row));
      const numbers = [
        numberField(WRONG_METRICS, each((row) => this.wrong(row))),
        numberField("votes for the majority, %", each((row) => this.majority(row))),
      ];
      return misword.numbered([...metrics, ...numbers], "Triplets");
    }

    lines(row) {
      return [this.ids[row], this.reference[row], ...this.texts.map((of) => of[row])];
    }
  }

  class TripletList extends misword.EntryList {
    constructor(place) {
      super(place, new TripletRows(misword.read(place.dataset.triplets)), {
        one: "triplet", several: "triplets", search: "Search in texts", order: "order of the file",
        start: WRONG_METRICS,
      });
    }

    headings() {
      return this.cells("triplet", "a : b", "wrong", "reference");
    }

    cells(id, votes, wrong, text) {
      return [this.cell("id", id), this.cell("num", votes), this.cell("num", wrong), this.cell("text", text)];
    }

    fill(element, row) {
      const { rows } = this;
      element.append(...this.cells(rows.ids[row], this.votes(row),
        `${rows.wrong(row)} of ${rows.metrics.length}`, rows.reference[row]));
    }

    votes(row) {
      return this.rows.votes.map((of) => of[row]).join(" : ");
    }

    details(row) {
      const { rows } = this;
      const undecided = rows.metrics[0].verdicts[row] === NO_MAJORITY;
      const chosen = SIDES[rows.votes[0][row] > rows.votes[1][row] ? 0 : 1];
      const people = undecided ? "as many chose a as b" : `most people chose ${chosen}`;
      return [make("h4", {}, `Triplet ${rows.ids[row]}`),
        make("p", { class: "facts" }, `Votes ${this.votes(row)}: ${people}.`),
        ...this.shownTexts(row), this.rateTable(row)];
    }

    /** Return the aligned words; for a result without them, the texts. */
    shownTexts(row) {
      if (this.words) return misword.aligned(this.words, 0, -1, this.words.ids.indexOf(this.rows.ids[row]));
      const texts = { reference: this.rows.reference[row], a: this.rows.texts[0][row], b: this.rows.texts[1][row] };
      return [make("div", { class: "texts whole" }, ...Object.entries(texts).flatMap(([name, text]) =>
        [make("span", {}, name), make("span", { dir: "auto" }, text)]))];
    }

    build(place) {
      const { words } = place.dataset;
      this.words = words ? new misword.Corpus(misword.read(words)) : null;
      super.build(place);
    }

    rateTable(row) {
      const lines = this.rows.metrics.map(({ name, rates, verdicts }) => [
        make("th", { scope: "row" }, make("bdi", {}, name)),
        ...rates.map((of) => make("td", { class: "num" }, misword.percent(of[row]))),
        make("td", { class: verdicts[row] === WRONG ? "wrong" : null }, VERDICTS[verdicts[row]]),
      ]);
      const heads = ["metric", "a, %", "b, %", "verdict"];
      return misword.smallTable("rates of both hypotheses", heads, lines, (at) => at === 1 || at === 2);
    }
  }

  misword.triplets = [...document.querySelectorAll("[data-triplets]")].map((place) => new TripletList(place));
})();
