"use strict";
/* The draft of a dictionary: a list of headwords, and verdicts on them. */
(() => {
  const { make, labelled, numberField, unpack } = misword;
  const NAMES = ["", "accept", "reject", "other"];
  const [NONE, ACCEPT, REJECT, OTHER] = [0, 1, 2, 3];
  const NOT_JUDGED = "not judged";
  const FREQUENCY = "frequency rank";
  const LAST_KEY = 9; // candidates that have a key
  const IS_NAME = 0.5; // the probability from which the list says that a headword is a name

  const share = (value) => (Number.isNaN(value) ? "–" : value.toFixed(2));
  /** Return the words between semicolons, as misword.bli.draft reads them. */
  const splitWords = (text) => text.split(";").map((word) => word.trim()).filter(Boolean);
  const shown = (number) => number.toLocaleString("en");

  /** The rows of a draft, as misword.report.kinds.draft writes them. */
  class DraftRows extends misword.Rows {
    constructor(data) {
      super();
      Object.assign(this, {
        size: data.words.length, width: data.width, words: data.words, targets: data.targets,
        backs: data.backs, lemmas: data.lemmas, forms: data.forms, scoreName: data.probabilities ? "probability" : "score",
      });
      [this.ids, this.scores, this.ranks, this.names, this.senses, this.known, this.frequencies] =
        [data.candidates, data.scores, data.ranks, data.names, data.senses, data.known, data.frequencies].map(unpack);
      this.tags = { choices: data.tags.values, codes: unpack(data.tags.codes) };
      this.targetTags = { choices: data.targetTags.values, codes: unpack(data.targetTags.codes) };
      this.examples = new Map(data.examples);
      this.verdicts = new misword.Verdicts(`draft-${data.key}`, NAMES, unpack(data.verdicts), data.others,
        data.reviewers);
    }

    /** Return the candidates of a row. */
    candidates(row) {
      const found = [];
      for (let at = row * this.width; at < (row + 1) * this.width && this.ids[at]; at += 1) {
        const id = this.ids[at];
        found.push({ word: this.targets[id], score: this.scores[at], back: this.backs[id],
          sense: this.senses[at], tag: this.targetTags.choices[this.targetTags.codes[id]] });
      }
      return found;
    }

    /** Return the words that a person accepted. */
    accepted(row) {
      const { codes, others } = this.verdicts;
      const first = codes[row] === ACCEPT ? [this.first(row)] : [];
      return codes[row] === REJECT ? [] : [...new Set([...first, ...splitWords(others[row])])];
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
      const verdicts = [NOT_JUDGED, ...NAMES.slice(1)];
      const found = [
        { name: "verdict", label: "Verdict", choices: verdicts, codes: this.verdicts.codes },
        numberField(this.scoreName, scores),
        numberField(FREQUENCY, Float64Array.from(this.ranks, (rank) => rank || NaN)),
        { name: "back-translation", label: "Back", choices: ["the headword", "another word"], codes: same },
      ];
      if (this.tags.choices.some(Boolean)) found.push({ name: "part of speech", ...this.tags });
      if (this.known.some(Boolean)) {
        found.push({ name: "in the training lexicon", choices: ["no", "yes"], codes: this.known });
      }
      if (this.names.some((name) => !Number.isNaN(name))) {
        found.push(numberField("probability of a name", this.names));
      }
      return misword.numbered(found, "Headwords");
    }

    /** Return the texts of a row that the search looks in. */
    lines(row) {
      return [this.words[row], this.lemmas[row], this.forms[row], ...this.candidates(row).map(({ word }) => word)];
    }
  }

  class DraftList extends misword.EntryList {
    constructor(place) {
      super(place, new DraftRows(misword.read(place.dataset.draft)), {
        one: "headword", several: "headwords", search: "Search in words and candidates", order: "what a person gains",
      });
    }

    get verdicts() {
      return this.rows.verdicts;
    }

    buttons() {
      this.reviewer = misword.reviewerField();
      return [labelled("Reviewer", this.reviewer), this.button("Save verdicts (CSV)", () =>
        this.verdicts.saveCsv(["source", "target", "verdict", "other", "reviewer"],
          (row) => [this.rows.words[row], this.rows.first(row)],
          (row) => [this.verdicts.reviewers[row]]))];
    }

    /** Probabilities and scores are usually read from the highest on. */
    falling({ name }) {
      return name !== FREQUENCY;
    }

    counts() {
      const { counts, stored } = this.verdicts;
      const judged = counts[ACCEPT] + counts[REJECT] + counts[OTHER];
      return `; ${shown(judged)} judged: ${shown(counts[ACCEPT])} accepted, ${shown(counts[REJECT])} rejected, `
        + `${shown(counts[OTHER])} other`
        + (stored ? "" : ". This browser does not keep them: save them before you close the page");
    }

    headings() {
      return this.cells(["headword", "tag", "candidate", this.rows.scoreName, "back", "verdict"]);
    }

    cells([word, tag, target, score, back, verdict]) {
      return [this.cell("word", word), this.cell("tag", tag), this.cell("target", target),
        make("span", { class: "num" }, score), this.cell("back", back), this.cell("verdict", verdict)];
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
      else if (pressed === "a") this.accept(row);
      else if (pressed === "r") this.judge(row, REJECT);
      else if (pressed === "u") this.judge(row, NONE, "", 0);
      else if (pressed === "o") this.detail.querySelector("input").focus();
      else if (pressed === "enter") this.list.select(this.list.at + 1);
      else return;
      event.preventDefault();
    }

    /** Accept the first candidate beside those that were chosen, and go on. */
    accept(row) {
      if (this.rows.candidates(row).length) this.write(row, [this.rows.first(row), ...this.rows.accepted(row)], 1);
    }

    /** Make a candidate one of the translations, or not if it is one; stay in the row. */
    choose(row, place) {
      const candidate = this.rows.candidates(row)[place];
      if (!candidate) return;
      const accepted = this.rows.accepted(row);
      const without = accepted.filter((word) => word !== candidate.word);
      this.write(row, without.length < accepted.length ? without : [...accepted, candidate.word], 0);
    }

    /** Store the translations of a row: `accept` if the first candidate is among them. */
    write(row, words, steps) {
      const first = this.rows.first(row);
      const others = [...new Set(words)].filter((word) => word !== first);
      const code = words.includes(first) ? ACCEPT : others.length ? OTHER : NONE;
      this.judge(row, code, others.join("; "), steps);
    }

    /** Set a verdict and go on to the next row (`steps` 1) or stay. */
    judge(row, code, other = "", steps = 1) {
      this.verdicts.set(row, code, other, code === NONE ? "" : this.reviewer.value.trim());
      this.list.select(this.list.at + steps);
      this.countRows();
      this.list.box.focus({ preventScroll: true });
    }

    /** Return one headword with its candidates and the buttons of the verdicts. */
    details(row) {
      const { rows, verdicts } = this;
      const fact = (name, text) => (text ? [make("span", {}, `${name}: `, make("bdi", {}, text))] : []);
      const name = rows.names[row];
      const facts = [
        ...fact("part of speech", rows.tags.choices[rows.tags.codes[row]]),
        ...fact("lemma", rows.lemmas[row] === rows.words[row] ? "" : rows.lemmas[row]),
        ...fact("forms", rows.forms[row]),
        ...fact("frequency", rows.frequencies[row] ? rows.frequencies[row].toLocaleString("en") : ""),
        ...fact("frequency rank", rows.ranks[row] ? rows.ranks[row].toLocaleString("en") : ""),
        ...fact("probability of a name", Number.isNaN(name) ? "" : share(name)),
        ...fact("training lexicon", rows.known[row] ? "has the word" : ""),
        ...fact("verdict", verdicts.text(row)), ...fact("reviewer", verdicts.reviewers[row]),
      ];
      return [make("h4", {}, make("bdi", {}, rows.words[row])),
        make("p", { class: "facts" }, ...facts), this.candidateTable(row), ...this.exampleList(row),
        this.judging(row)];
    }

    /** Return the candidates by sense; those that were accepted are marked. */
    candidateTable(row) {
      const heads = ["sense", "", "", "candidate", "", this.rows.scoreName, "back"];
      const accepted = new Set(this.rows.accepted(row));
      let before = 0;
      const lines = this.rows.candidates(row).map(({ word, score, back, sense, tag }, place) => {
        const chosen = accepted.has(word);
        const choose = make("button", { type: "button", "aria-pressed": String(chosen),
          "aria-label": `accept ${word}` }, chosen ? "Accepted" : "Accept");
        choose.addEventListener("click", () => this.choose(row, place));
        const shownSense = sense === before ? "" : String(sense);
        before = sense;
        return [make("td", { class: "num" }, shownSense),
          make("td", { class: "num" }, place < LAST_KEY ? make("kbd", {}, String(place + 1)) : ""),
          make("td", {}, choose), make("td", { dir: "auto" }, word), make("td", { class: "tag" }, tag),
          make("td", { class: "num" }, share(score)), make("td", { dir: "auto" }, back)];
      });
      return misword.smallTable("candidates", heads, lines, (at) => at < 2 || at === 5);
    }

    /** Return the sentences of a headword, if there are any. */
    exampleList(row) {
      const found = this.rows.examples.get(row) ?? [];
      const items = found.map(([sense, text, translation]) => make("li", {},
        make("span", { class: "num" }, `sense ${sense}: `), make("span", { dir: "auto" }, text),
        ...(translation ? [" – ", make("span", { dir: "auto" }, translation)] : [])));
      return items.length ? [make("ul", { class: "examples", "aria-label": "examples" }, ...items)] : [];
    }

    /** Return the field for other translations, and the buttons that reject and remove. */
    judging(row) {
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
      return make("div", { class: "judging" },
        labelled("Other translations, separated by ;", other, "wide"),
        this.button("Reject", () => this.judge(row, REJECT)),
        this.button("Remove the verdict", () => this.judge(row, NONE, "", 0)));
    }
  }

  misword.drafts = [...document.querySelectorAll("[data-draft]")].map((place) => new DraftList(place));
})();
