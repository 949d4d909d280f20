"use strict";
/* The draft of a dictionary: search, filters, a list of headwords, and verdicts on them. */
(() => {
  const { make, labelled, fieldChoice, unpack, NONE, ACCEPT, REJECT, OTHER } = misword;
  const NOT_JUDGED = "not judged";
  const LAST_KEY = 9; // candidates that have a key
  const IS_NAME = 0.5; // the probability from which the list says that a headword is a name

  const share = (value) => (Number.isNaN(value) ? "–" : value.toFixed(2));

  /** The rows of a draft, as misword.report.kinds.draft writes them. */
  class Rows {
    constructor(data) {
      Object.assign(this, {
        size: data.words.length, width: data.width, words: data.words, targets: data.targets,
        backs: data.backs, lemmas: data.lemmas, scoreName: data.probabilities ? "probability" : "score",
      });
      [this.ids, this.scores, this.ranks, this.names] =
        [data.candidates, data.scores, data.ranks, data.names].map(unpack);
      this.tags = { choices: data.tags.values, codes: unpack(data.tags.codes) };
      this.verdicts = new misword.Verdicts(data.key, unpack(data.verdicts), data.others);
      this.text = null;
    }

    /** Return the candidates of a row. */
    candidates(row) {
      const found = [];
      for (let at = row * this.width; at < (row + 1) * this.width && this.ids[at]; at += 1) {
        const id = this.ids[at];
        found.push({ word: this.targets[id], score: this.scores[at], back: this.backs[id] });
      }
      return found;
    }

    first(row) {
      return this.targets[this.ids[row * this.width] ?? 0];
    }

    back(row) {
      return this.backs[this.ids[row * this.width] ?? 0];
    }

    firstScores() {
      return Float32Array.from(this.words, (_, row) => this.scores[row * this.width] ?? NaN);
    }

    /** Return the fields for filters and order. */
    fields() {
      const scores = this.firstScores();
      const same = Uint8Array.from(this.words, (word, row) => (this.back(row) === word ? 0 : 1));
      const verdicts = [NOT_JUDGED, ...misword.verdictNames.slice(1)];
      const number = (name, values) => ({ name, scale: 1, values: () => values });
      const found = [
        { name: "verdict", label: "Verdict", choices: verdicts, codes: this.verdicts.codes },
        number(this.scoreName, scores),
        number("frequency rank", Float64Array.from(this.ranks, (rank) => rank || NaN)),
        { name: "back-translation", label: "Back", choices: ["the headword", "another word"], codes: same },
      ];
      if (this.tags.choices.some(Boolean)) found.push({ name: "part of speech", ...this.tags });
      if (this.names.some((name) => !Number.isNaN(name))) found.push(number("probability of a name", this.names));
      return found.map((field, key) => ({ ...field, key, group: "Headwords" }));
    }

    /** Set `kept` to 0 for rows in which the needle does not occur. */
    search(needle, kept) {
      misword.searchText(this.searchText(), needle, kept);
    }

    /** Return all words in lower case as one string: a search in it is faster than in many. */
    searchText() {
      if (this.text) return this.text;
      const starts = new Uint32Array(this.size + 1);
      const lower = this.targets.map((word) => word.toLowerCase());
      const parts = [];
      for (let row = 0; row < this.size; row += 1) {
        let part = `${this.words[row].toLowerCase()}\n${this.lemmas[row].toLowerCase()}\n`;
        for (let at = row * this.width; at < (row + 1) * this.width && this.ids[at]; at += 1) {
          part += `${lower[this.ids[at]]}\n`;
        }
        parts.push(part);
        starts[row + 1] = starts[row] + part.length;
      }
      this.text = { all: parts.join(""), starts };
      return this.text;
    }
  }

  class DraftList {
    constructor(place) {
      this.rows = new Rows(misword.read(place.dataset.draft));
      this.verdicts = this.rows.verdicts;
      this.fields = this.rows.fields();
      this.build(place);
      this.update();
    }

    build(place) {
      const update = misword.debounced(60, () => this.update());
      this.query = make("input", { type: "search", name: "search", autocomplete: "off",
        spellcheck: "false", dir: "auto" });
      this.query.addEventListener("input", update);
      this.order = fieldChoice(this.fields, "trust");
      this.descending = make("select", {}, make("option", { value: "" }, "usual direction"),
        make("option", { value: "1" }, "reversed"));
      for (const control of [this.order, this.descending]) control.addEventListener("change", update);
      this.filters = new misword.Filters(this.fields, update, () => {
        this.update();
        this.query.focus();
      });
      const button = (name, call) => {
        const made = make("button", { type: "button" }, name);
        made.addEventListener("click", call);
        return made;
      };
      const reset = button("Reset", () => {
        this.query.value = "";
        this.filters.reset();
        this.update();
      });
      const save = button("Save verdicts (CSV)", () =>
        this.verdicts.save((row) => [this.rows.words[row], this.rows.first(row)]));
      this.count = make("p", { class: "count", role: "status", "aria-live": "polite" });
      this.list = new misword.List(`${place.id}-row`, "headwords",
        (row, item) => this.fill(row, item), (item) => this.show(item));
      this.list.box.addEventListener("keydown", (event) => this.key(event));
      this.detail = make("div", { class: "detail", role: "region", "aria-label": "headword" });
      const titles = ["headword", "tag", "candidate", this.rows.scoreName, "back", "verdict"];
      place.append(
        make("div", { class: "controls", role: "search" },
          labelled("Search in words and candidates", this.query, "wide"),
          labelled("Order by", this.order), labelled("Direction", this.descending),
          this.filters.element,
          make("div", { class: "buttons" }, this.filters.button, reset, save)),
        this.count,
        make("div", { class: "table" },
          make("div", { class: "row head", "aria-hidden": "true" }, ...this.cells(titles)), this.list.box),
        this.detail,
      );
    }

    update() {
      const found = misword.matching(this.rows, this.query.value, this.filters.read());
      const field = this.order.value === "" ? null : this.fields[Number(this.order.value)];
      this.found = found.length;
      // Probabilities and scores are usually read from the highest on.
      const usual = Boolean(field && !field.choices && field.name !== "frequency rank");
      this.list.show(misword.ordered(found, field, usual !== (this.descending.value !== "")));
      this.countRows();
    }

    countRows() {
      const { counts, stored } = this.verdicts;
      const shown = (number) => number.toLocaleString("en");
      const judged = counts[ACCEPT] + counts[REJECT] + counts[OTHER];
      this.count.textContent = `${shown(this.found)} of ${shown(this.rows.size)} headwords; `
        + `${shown(judged)} judged: ${shown(counts[ACCEPT])} accepted, ${shown(counts[REJECT])} rejected, `
        + `${shown(counts[OTHER])} other`
        + (stored ? "" : ". This browser does not keep them: save them before you close the page");
    }

    cells([word, tag, target, score, back, verdict]) {
      const cell = (kind, text) => make("span", { class: kind, dir: "auto", title: text }, text);
      return [cell("word", word), cell("tag", tag), cell("target", target),
        make("span", { class: "num" }, score), cell("back", back), cell("verdict", verdict)];
    }

    fill(element, row) {
      const { rows } = this;
      const tags = [rows.tags.choices[rows.tags.codes[row]], rows.names[row] >= IS_NAME ? "name" : ""];
      element.append(...this.cells([rows.words[row], tags.filter(Boolean).join(", "),
        rows.first(row), share(rows.scores[row * rows.width] ?? NaN), rows.back(row),
        this.verdicts.text(row)]));
    }

    key(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || !this.list.items.length) return;
      const row = this.list.items[this.list.at];
      const pressed = event.key.toLowerCase();
      const number = /^[1-9]$/.test(pressed) ? Number(pressed) : 0;
      if (number > 0) this.choose(row, number - 1);
      else if (pressed === "a") this.choose(row, 0);
      else if (pressed === "r") this.judge(row, REJECT);
      else if (pressed === "u") this.judge(row, NONE, "", 0);
      else if (pressed === "o") this.detail.querySelector("input").focus();
      else return;
      event.preventDefault();
    }

    /** Accept the first candidate, or write another candidate as the translation. */
    choose(row, place) {
      const candidate = this.rows.candidates(row)[place];
      if (!candidate) return;
      if (place === 0) this.judge(row, ACCEPT);
      else this.judge(row, OTHER, candidate.word);
    }

    /** Set a verdict and go on to the next row (`steps` 1) or stay. */
    judge(row, code, other = "", steps = 1) {
      this.verdicts.set(row, code, other);
      this.list.select(this.list.at + steps);
      this.countRows();
      this.list.box.focus({ preventScroll: true });
    }

    /** Show one headword with its candidates and the buttons of the verdicts. */
    show(row) {
      if (row === null || row === undefined) {
        this.detail.replaceChildren(make("p", { class: "note" }, "No headword meets the filters."));
        return;
      }
      const { rows, verdicts } = this;
      const fact = (name, text) => (text ? [make("span", {}, `${name}: `, make("bdi", {}, text))] : []);
      const name = rows.names[row];
      const facts = [
        ...fact("part of speech", rows.tags.choices[rows.tags.codes[row]]),
        ...fact("lemma", rows.lemmas[row]),
        ...fact("frequency rank", rows.ranks[row] ? rows.ranks[row].toLocaleString("en") : ""),
        ...fact("probability of a name", Number.isNaN(name) ? "" : share(name)),
        ...fact("verdict", verdicts.text(row)),
      ];
      this.detail.replaceChildren(make("h4", {}, make("bdi", {}, rows.words[row])),
        make("p", { class: "facts" }, ...facts), this.candidateTable(row), this.buttons(row));
    }

    candidateTable(row) {
      const heads = ["", "", "candidate", this.rows.scoreName, "back"];
      const lines = this.rows.candidates(row).map(({ word, score, back }, place) => {
        const accept = make("button", { type: "button", "aria-label": `${place ? "choose" : "accept"} ${word}` },
          place ? "Choose" : "Accept");
        accept.addEventListener("click", () => this.choose(row, place));
        return make("tr", {}, make("td", { class: "num" }, place < LAST_KEY ? String(place + 1) : ""),
          make("td", {}, accept), make("td", { dir: "auto" }, word),
          make("td", { class: "num" }, share(score)), make("td", { dir: "auto" }, back));
      });
      return make("div", { class: "scroll", tabindex: 0 }, make("table", { class: "small", "aria-label": "candidates" },
        make("thead", {}, make("tr", {}, ...heads.map((head, at) =>
          make("th", { scope: "col", class: at % 3 ? null : "num" }, head)))),
        make("tbody", {}, ...lines)));
    }

    /** Return the field for other translations, and the buttons that reject and remove. */
    buttons(row) {
      const { verdicts } = this;
      const other = make("input", { type: "text", name: "other", autocomplete: "off", dir: "auto",
        value: verdicts.others[row] });
      const write = (steps) => {
        const text = other.value.trim();
        const before = verdicts.codes[row];
        const withText = before === ACCEPT ? ACCEPT : OTHER;
        const without = before === OTHER ? NONE : before;
        this.judge(row, text ? withText : without, text, steps);
      };
      other.addEventListener("keydown", (event) => {
        if (event.key === "Enter") write(1);
        if (event.key === "Escape") this.list.box.focus({ preventScroll: true });
      });
      other.addEventListener("change", () => {
        if (other.value.trim() !== verdicts.others[row] && this.list.items[this.list.at] === row) write(0);
      });
      const button = (text, call) => {
        const made = make("button", { type: "button" }, text);
        made.addEventListener("click", call);
        return made;
      };
      return make("div", { class: "judging" },
        labelled("Other translations, separated by ;", other, "wide"),
        button("Reject", () => this.judge(row, REJECT)),
        button("Remove the verdict", () => this.judge(row, NONE, "", 0)));
    }
  }

  const drafts = [...document.querySelectorAll("[data-draft]")].map((place) => new DraftList(place));
  const idle = window.requestIdleCallback ?? ((call) => setTimeout(call, 50));
  addEventListener("load", () => setTimeout(() => idle(() => {
    for (const { rows } of drafts) rows.searchText();
  }), 300));
  misword.drafts = drafts;
})();
