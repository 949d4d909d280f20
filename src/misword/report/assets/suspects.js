"use strict";
/* Suspects of references: a list, the reference beside the consensus of the systems, and verdicts. */
(() => {
  const { make, labelled, numberField, unpack } = misword;
  const NAMES = ["", "reference", "consensus", "both", "text"];
  const [NONE, REFERENCE, CONSENSUS, BOTH, TEXT] = [0, 1, 2, 3, 4];
  const NOT_JUDGED = "not judged";
  const SECONDS = 2; // of audio before and after a suspect
  const EMPTY = "∅";
  const KEYS = { r: REFERENCE, c: CONSENSUS, b: BOTH };

  const shown = (number) => number.toLocaleString("en");
  const share = (value) => value.toFixed(2);

  /** The suspects, as misword.report.kinds.references writes them. */
  class SuspectRows extends misword.Rows {
    constructor(data) {
      super();
      Object.assign(this, data, { size: data.ids.length });
      [this.starts, this.ends, this.probabilities, this.places] =
        [data.starts, data.ends, data.probabilities, data.places].map(unpack);
      this.kinds = { choices: data.kinds.values, codes: unpack(data.kinds.codes) };
      [this.begins, this.untils] = [data.begins, data.untils].map((times) => times && unpack(times));
      if (data.audio) {
        const { audio } = data;
        this.audio = { sources: audio.sources, codes: unpack(audio.codes),
          begin: audio.begin && unpack(audio.begin), end: audio.end && unpack(audio.end) };
      }
      this.verdicts = new misword.Verdicts(`references-${data.key}`, NAMES, unpack(data.verdicts),
        data.others, data.reviewers);
    }

    kind(row) {
      return this.kinds.choices[this.kinds.codes[row]];
    }

    utterance(row) {
      return this.utterances[this.places[row]];
    }

    fields() {
      const conflicts = Uint8Array.from(this.conflicts, (text) => (text ? 1 : 0));
      const found = [
        { name: "verdict", label: "Verdict", choices: [NOT_JUDGED, ...NAMES.slice(1)], codes: this.verdicts.codes },
        { name: "kind", label: "Kind", ...this.kinds },
        numberField("probability", this.probabilities),
      ];
      if (this.conflicts.some(Boolean)) {
        found.push({ name: "reviewers", label: "Reviewers", choices: ["agree", "disagree"], codes: conflicts });
      }
      return misword.numbered(found, "Suspects");
    }

    lines(row) {
      return [this.utterance(row), this.references[row], this.consensus[row],
        `${this.before[row]} ${this.references[row]} ${this.after[row]}`];
    }

    /** Return a row as an object, for the file of verdicts. */
    record(row) {
      const { codes, others, reviewers } = this.verdicts;
      return { id: this.ids[row], utterance: this.utterance(row), start: this.starts[row],
        end: this.ends[row], reference: this.references[row], consensus: this.consensus[row],
        verdict: NAMES[codes[row]], text: others[row], reviewer: reviewers[row] };
    }
  }

  class SuspectList extends misword.EntryList {
    constructor(place) {
      super(place, new SuspectRows(misword.read(place.dataset.suspects)), {
        one: "suspect", several: "suspects", search: "Search in ids and texts", order: "probability, style last",
      });
    }

    get verdicts() {
      return this.rows.verdicts;
    }

    buttons() {
      this.name = misword.reviewerField();
      const file = make("input", { type: "file", accept: ".json", hidden: true, "aria-label": "file of verdicts" });
      file.addEventListener("change", () => this.load(file));
      return [labelled("Reviewer", this.name), file,
        this.button("Save verdicts (JSON)", () => this.saveJson()),
        this.button("Save verdicts (CSV)", () => this.saveCsv()),
        this.button("Load verdicts", () => file.click())];
    }

    saveJson() {
      const rows = this.verdicts.judged().map((row) => this.rows.record(row));
      const text = `${JSON.stringify({ verdicts: rows }, null, 1)}\n`;
      misword.save(new Blob([text], { type: "application/json" }), "verdicts.json");
      this.verdicts.saved = true;
    }

    saveCsv() {
      const heads = ["id", "utterance", "start", "end", "reference", "consensus", "verdict", "text", "reviewer"];
      this.verdicts.saveCsv(heads, (row) => {
        const { id, utterance, start, end, reference, consensus } = this.rows.record(row);
        return [id, utterance, String(start), String(end), reference, consensus];
      }, (row) => [this.verdicts.reviewers[row]]);
    }

    /** Read verdicts of a file; where another reviewer decided otherwise, the row says both. */
    async load(file) {
      const [chosen] = file.files;
      if (!chosen) return;
      let found = null;
      try {
        found = JSON.parse(await chosen.text()).verdicts;
      } catch { /* told below */ }
      if (!Array.isArray(found)) {
        this.told.textContent = `${chosen.name} has no verdicts that this page can read.`;
        return;
      }
      const place = new Map(this.rows.ids.map((id, row) => [id, row]));
      let [read, differ, unknown] = [0, 0, 0];
      for (const { id, verdict, text, reviewer: by } of found) {
        const row = place.get(id);
        const code = NAMES.indexOf(verdict);
        if (row === undefined || code < 1) {
          unknown += 1;
          continue;
        }
        const { codes, others, reviewers } = this.verdicts;
        if (codes[row] !== NONE && (codes[row] !== code || others[row] !== (text ?? ""))) {
          this.rows.conflicts[row] = [`${reviewers[row] || "(no name)"}: ${this.verdicts.text(row)}`,
            `${by || "(no name)"}: ${verdict}${text ? `: ${text}` : ""}`].join("; ");
          differ += 1;
        } else {
          this.verdicts.set(row, code, text ?? "", by ?? "");
          read += 1;
        }
      }
      this.told.textContent = `${chosen.name}: ${shown(read)} verdicts read`
        + (differ ? `, ${shown(differ)} differ from those here and are marked` : "")
        + (unknown ? `, ${shown(unknown)} on suspects that are not here` : "") + ".";
      this.update();
    }

    build(place) {
      super.build(place);
      this.told = make("p", { class: "note", role: "status" });
      this.count.after(this.told);
    }

    counts() {
      const { counts, stored } = this.verdicts;
      const judged = counts.slice(1).reduce((sum, number) => sum + number, 0);
      const each = NAMES.slice(1).map((name, at) => `${shown(counts[at + 1])} ${name}`).join(", ");
      return `; ${shown(judged)} judged: ${each}`
        + (stored ? "" : ". This browser does not keep them: save them before you close the page");
    }

    headings() {
      return this.cells(["utterance", "kind", "P", "reference", "consensus", "verdict"]);
    }

    cells([utterance, kind, probability, reference, consensus, verdict]) {
      return [this.cell("id", utterance), this.cell("tag", kind), make("span", { class: "num" }, probability),
        this.cell("word", reference), this.cell("target", consensus), this.cell("verdict", verdict)];
    }

    fill(element, row) {
      const { rows } = this;
      const verdict = rows.conflicts[row] && this.verdicts.codes[row] === NONE ? "conflict" : this.verdicts.text(row);
      element.append(...this.cells([rows.utterance(row), rows.kind(row), share(rows.probabilities[row]),
        rows.references[row] || EMPTY, rows.consensus[row] || EMPTY, verdict]));
    }

    key(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || !this.list.items.length) return;
      const row = this.list.items[this.list.at];
      const pressed = event.key.toLowerCase();
      if (pressed in KEYS) this.judge(row, KEYS[pressed]);
      else if (pressed === "u") this.judge(row, NONE, "", 0);
      else if (pressed === "t") this.detail.querySelector("input").focus();
      else return;
      event.preventDefault();
    }

    /** Set a verdict and go on to the next row (`steps` 1) or stay. */
    judge(row, code, text = "", steps = 1) {
      this.verdicts.set(row, code, text, code === NONE ? "" : this.name.value.trim());
      this.list.select(this.list.at + steps);
      this.countRows();
      this.list.box.focus({ preventScroll: true });
    }

    /** Return one suspect: both texts in their context, the evidence, audio and buttons. */
    details(row) {
      const { rows, verdicts } = this;
      const line = (name, text, kind) => make("tr", {}, make("th", { scope: "row" }, name),
        make("td", { dir: "auto" }, `${rows.before[row]} `,
          make("mark", { class: kind }, text || EMPTY), ` ${rows.after[row]}`));
      const fact = (name, text) => (text ? [make("span", {}, `${name}: `, make("bdi", {}, text))] : []);
      const facts = [
        ...fact("kind", rows.kind(row)), ...fact("probability", share(rows.probabilities[row])),
        ...fact("word", shown(rows.starts[row] + 1)), ...fact("systems", rows.systems[row]),
        ...fact("with the reference", rows.against[row]), ...fact("reviewer", verdicts.reviewers[row]),
        ...fact("reviewers disagree", rows.conflicts[row]),
      ];
      return [make("h4", {}, make("bdi", {}, rows.utterance(row))),
        make("table", { class: "small sides" }, make("tbody", {},
          line("reference", rows.references[row], "said"), line("consensus", rows.consensus[row], "heard"))),
        make("p", { class: "facts" }, ...facts), make("p", { class: "note" }, rows.evidence[row]),
        ...this.sound(row), this.judging(row)];
    }

    sound(row) {
      const { audio, begins, untils, places, utterances } = this.rows;
      if (!audio) return [];
      const place = places[row];
      const known = begins && !Number.isNaN(begins[row]);
      const from = known ? Math.max(0, begins[row] - SECONDS) : audio.begin?.[place] ?? NaN;
      const until = known ? (untils[row] || begins[row]) + SECONDS : audio.end?.[place] ?? NaN;
      return misword.audio({ ids: utterances, audio: { sources: audio.sources, codes: audio.codes,
        begin: { [place]: from }, end: { [place]: until } } }, place);
    }

    /** Return the buttons of the verdicts, and the field for another text. */
    judging(row) {
      const { verdicts } = this;
      const other = make("input", { type: "text", name: "text", autocomplete: "off", dir: "auto",
        value: verdicts.others[row] });
      const write = (steps) => {
        const text = other.value.trim().replace(/\s+/g, " ");
        if (text || verdicts.codes[row] === TEXT) this.judge(row, text ? TEXT : NONE, text, steps);
      };
      other.addEventListener("keydown", (event) => {
        if (event.key === "Enter") write(1);
        if (event.key === "Escape") this.list.box.focus({ preventScroll: true });
      });
      other.addEventListener("change", () => {
        if (other.value.trim() !== verdicts.others[row] && this.list.items[this.list.at] === row) write(0);
      });
      return make("div", { class: "judging" },
        this.button("Reference", () => this.judge(row, REFERENCE)),
        this.button("Consensus", () => this.judge(row, CONSENSUS)),
        this.button("Both", () => this.judge(row, BOTH)),
        labelled("Another text", other, "wide"),
        this.button("Remove the verdict", () => this.judge(row, NONE, "", 0)));
    }
  }

  misword.suspects = [...document.querySelectorAll("[data-suspects]")].map((place) => new SuspectList(place));
})();
