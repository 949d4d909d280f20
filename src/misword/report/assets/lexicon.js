"use strict";
/* The headwords of an evaluated lexicon: what each system found for them, side by side. */
(() => {
  const { make, numberField, unpack } = misword;
  const FOUND = 0;
  const OUTCOMES = ["found", "not found", "headword out of vocabulary", "gold out of vocabulary"];
  const FOUND_BY = ["all systems", "some systems", "no system"];
  const IN_LIST = 3; // systems in a row of the list; all are in the details

  /** The headwords, as misword.report.kinds.evaluation.entries writes them. */
  class LexiconRows extends misword.Rows {
    constructor(data) {
      super();
      const { words, targets, width } = data;
      Object.assign(this, { words, targets, width, size: words.length, gold: unpack(data.gold) });
      this.starts = misword.startsOf(unpack(data.lengths));
      this.columns = data.columns.map(({ name, values, codes }) => ({ name, values, codes: unpack(codes) }));
      this.systems = data.systems.map(({ name, outcomes, ranks, candidates, right }) => ({
        name, outcomes: unpack(outcomes), ranks: unpack(ranks), candidates: unpack(candidates),
        right: unpack(right),
      }));
    }

    /** Return the numbers of the gold pairs of a headword. */
    pairs(row) {
      const [from, to] = [this.starts[row], this.starts[row + 1]];
      return Array.from({ length: to - from }, (_, place) => from + place);
    }

    goldWords(row) {
      return this.pairs(row).map((pair) => this.targets[this.gold[pair]]);
    }

    /** Return the candidates of a system: words, and whether they are right. */
    candidates({ candidates, right }, row) {
      const found = [];
      for (let at = row * this.width; at < (row + 1) * this.width && candidates[at]; at += 1) {
        found.push({ word: this.targets[candidates[at]], right: Boolean(right[at]) });
      }
      return found;
    }

    /** Return the rank of the first gold translation of each headword; NaN where none is found. */
    bestRanks({ ranks }) {
      return Float32Array.from(this.words, (_, row) => {
        const found = this.pairs(row).map((pair) => ranks[pair]).filter(Boolean);
        return found.length ? Math.min(...found) : NaN;
      });
    }

    fields() {
      const { systems, columns } = this;
      const several = systems.length > 1;
      const of = (name, system) => (several ? `${name}, ${system}` : name);
      const found = systems.map(({ name, outcomes }) =>
        ({ name: of("result", name), label: "Result", choices: OUTCOMES, codes: outcomes }));
      if (several) {
        const codes = Uint8Array.from(this.words, (_, row) => {
          const hits = systems.filter(({ outcomes }) => outcomes[row] === FOUND).length;
          if (hits === systems.length) return 0;
          return hits ? 1 : 2;
        });
        found.push({ name: "found by", label: "Systems", choices: FOUND_BY, codes });
      }
      columns.forEach(({ name, values, codes }) => {
        const within = (chosen, kept) => this.withValue(codes, values.indexOf(chosen), kept);
        found.push({ name, choices: values, within });
      });
      for (const system of systems) {
        const ranks = this.bestRanks(system);
        found.push(numberField(of("rank of gold", system.name), ranks));
      }
      found.push(numberField("gold translations",
        Float32Array.from(this.words, (_, row) => this.starts[row + 1] - this.starts[row])));
      return misword.numbered(found, "Entries");
    }

    /** Keep headwords of which some gold pair has a value. */
    withValue(codes, wanted, kept) {
      for (let row = 0; row < this.size; row += 1) {
        if (!codes.subarray(this.starts[row], this.starts[row + 1]).includes(wanted)) kept[row] = 0;
      }
    }

    lines(row) {
      const candidates = this.systems.flatMap((system) => this.candidates(system, row));
      return [this.words[row], ...this.goldWords(row), ...candidates.map(({ word }) => word)];
    }
  }

  class LexiconList extends misword.EntryList {
    constructor(place) {
      super(place, new LexiconRows(misword.read(place.dataset.lexicon)), {
        one: "headword", several: "headwords", search: "Search in words and candidates",
        order: "order of the lexicon",
      });
    }

    /** Ranks are read from the lowest on. */
    falling({ name }) {
      return name === "gold translations";
    }

    get shown() {
      return this.rows.systems.slice(0, IN_LIST);
    }

    headings() {
      return [this.cell("word", "headword"), this.cell("gold", "gold"),
        ...this.shown.map(({ name }) => this.cell("outcome", name))];
    }

    fill(element, row) {
      const { rows } = this;
      element.append(this.cell("word", rows.words[row]), this.cell("gold", rows.goldWords(row).join(", ")),
        ...this.shown.map((system) => this.outcome(system, row)));
    }

    /** Return the cell of a system: the rank of the gold translation, and the first candidate. */
    outcome(system, row) {
      const { rows } = this;
      const code = system.outcomes[row];
      const [first] = rows.candidates(system, row);
      const ranks = rows.pairs(row).map((pair) => system.ranks[pair]).filter(Boolean);
      const state = code === FOUND ? `rank ${Math.min(...ranks)}` : OUTCOMES[code];
      const text = first && (first.right ? `: ${first.word}` : `, first ${first.word}`);
      return this.cell(`outcome is-${code}`, state + (text ?? ""));
    }

    details(row) {
      const { rows } = this;
      const facts = rows.columns.map(({ name, values, codes }) => {
        const found = [...new Set(rows.pairs(row).map((pair) => values[codes[pair]]))];
        return make("span", {}, make("bdi", {}, name), ": ", make("bdi", {}, found.join(", ")));
      });
      return [make("h4", {}, make("bdi", {}, rows.words[row])), make("p", { class: "facts" }, ...facts),
        make("div", { class: "columns" }, this.goldTable(row), this.candidateTable(row))];
    }

    /** Return the gold translations with their rank in each system. */
    goldTable(row) {
      const { rows } = this;
      const lines = rows.pairs(row).map((pair) => [
        make("td", { dir: "auto" }, rows.targets[rows.gold[pair]]),
        ...rows.systems.map(({ ranks }) =>
          make("td", { class: "num" }, ranks[pair] ? String(ranks[pair]) : "–")),
      ]);
      const heads = ["gold translation", ...rows.systems.map(({ name }) => `rank, ${name}`)];
      return misword.smallTable("gold translations", heads, lines, (at) => at > 0);
    }

    /** Return the candidates of all systems, side by side; the right ones are bold and marked. */
    candidateTable(row) {
      const { rows } = this;
      const listed = rows.systems.map((system) => rows.candidates(system, row));
      const depth = Math.max(...listed.map(({ length }) => length));
      const lines = Array.from({ length: depth }, (_, place) => [
        make("td", { class: "num" }, String(place + 1)),
        ...listed.map((candidates) => this.candidate(candidates[place])),
      ]);
      const outcomes = rows.systems.map(({ name, outcomes: codes }) => `${name}: ${OUTCOMES[codes[row]]}`);
      return misword.smallTable("candidates", ["rank", ...outcomes], lines, (at) => at === 0);
    }

    candidate(found) {
      if (!found) return make("td", {});
      if (!found.right) return make("td", { dir: "auto" }, found.word);
      return make("td", { dir: "auto", class: "right" }, make("bdi", {}, found.word), make("small", {}, " gold"));
    }
  }

  misword.lexicons = [...document.querySelectorAll("[data-lexicon]")].map((place) => new LexiconList(place));
})();
