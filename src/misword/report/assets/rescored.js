"use strict";
/* Rescored N-best lists: the hypotheses with their log-probabilities, and what each model prefers. */
(() => {
  const { make, numberField, unpack } = misword;
  const PREFERRED = ["rank 1", "another hypothesis"];
  const IN_LIST = 3; // models in a row of the list; all are in the details

  /** The lists, as misword.report.kinds.rescored.lists writes them. */
  class ListRows extends misword.Rows {
    constructor(data) {
      super();
      const { ids, systems, texts } = data;
      Object.assign(this, { ids, systems, texts, size: ids.length, ranks: unpack(data.ranks) });
      this.starts = misword.startsOf(unpack(data.lengths));
      this.models = data.models.map(({ name, values, preferred }) =>
        ({ name, values: unpack(values), preferred: unpack(preferred) }));
    }

    /** Return the number of the hypothesis that a model prefers. */
    best({ preferred }, row) {
      return this.starts[row] + preferred[row];
    }

    fields() {
      const each = (call) => this.ids.map((_, row) => call(row));
      const preferred = this.models.map((model) => ({
        name: `preferred by ${model.name}`, label: "Preferred", choices: PREFERRED,
        codes: Uint8Array.from(each((row) => (this.ranks[this.best(model, row)] > 1 ? 1 : 0))),
      }));
      const ranks = this.models.map((model) => numberField(`rank of the one preferred by ${model.name}`,
        Float32Array.from(each((row) => this.ranks[this.best(model, row)]))));
      const sizes = Float32Array.from(each((row) => this.starts[row + 1] - this.starts[row]));
      return misword.numbered([...preferred, ...ranks, numberField("number of hypotheses", sizes)], "Lists");
    }

    lines(row) {
      return [this.ids[row], ...this.texts.slice(this.starts[row], this.starts[row + 1])];
    }
  }

  class RescoredList extends misword.EntryList {
    constructor(place) {
      super(place, new ListRows(misword.read(place.dataset.rescored)), {
        one: "list", several: "lists", search: "Search in ids and texts", order: "order of the input",
      });
    }

    get shown() {
      return this.rows.models.slice(0, IN_LIST);
    }

    headings() {
      return [this.cell("id", "utterance"), ...this.shown.map(({ name }) => this.cell("num", name)),
        this.cell("text", "rank 1")];
    }

    fill(element, row) {
      const { rows } = this;
      element.append(this.cell("id", this.name(row)),
        ...this.shown.map((model) => this.cell("num", `rank ${rows.ranks[rows.best(model, row)]}`)),
        this.cell("text", rows.texts[rows.starts[row]]));
    }

    name(row) {
      const system = this.rows.systems[row];
      return system === undefined ? this.rows.ids[row] : `${this.rows.ids[row]}, ${system}`;
    }

    /** Return the hypotheses of a list; the log-probability of a model's preferred one is bold. */
    details(row) {
      const { rows } = this;
      const lines = [];
      for (let at = rows.starts[row]; at < rows.starts[row + 1]; at += 1) {
        lines.push([make("td", { class: "num" }, String(rows.ranks[at])),
          ...rows.models.map((model) => this.value(model, row, at)),
          make("td", { dir: "auto" }, rows.texts[at])]);
      }
      const heads = ["rank", ...rows.models.map(({ name }) => name), "hypothesis"];
      return [make("h4", {}, make("bdi", {}, this.name(row))),
        misword.smallTable("hypotheses", heads, lines, (at) => at < heads.length - 1)];
    }

    value(model, row, at) {
      const text = Number.isNaN(model.values[at]) ? "–" : model.values[at].toFixed(2);
      if (this.rows.best(model, row) !== at) return make("td", { class: "num" }, text);
      return make("td", { class: "num best" }, make("small", {}, "preferred "), text);
    }
  }

  misword.rescored = [...document.querySelectorAll("[data-rescored]")].map((place) => new RescoredList(place));
})();
