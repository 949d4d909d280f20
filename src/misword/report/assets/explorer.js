"use strict";
/* The utterance explorer: search, filters, order, list, and one utterance in full. */
(() => {
  const make = misword.make;
  const OPENING = 60; // words of the reference in a row of the list; more do not fit
  const { labelled, fieldChoice } = misword;

  class Explorer {
    /** `changed(explorer, change)` is called after each change that the reader makes. */
    constructor(place, changed) {
      this.place = place;
      this.corpus = new misword.Corpus(misword.read(place.dataset.explorer));
      this.fields = misword.fields(this.corpus);
      this.metric = 0;
      this.quiet = false;
      this.changed = (change) => this.quiet || changed(this, change);
      this.build();
      this.usual = { order: this.order.value, price: this.price.value };
      this.update();
    }

    build() {
      const { corpus, place } = this;
      const updated = (change) => () => {
        this.update();
        this.changed(change);
      };
      this.update = this.update.bind(this);
      this.query = make("input", { type: "search", name: "search", autocomplete: "off",
        spellcheck: "false", dir: "auto" });
      this.query.addEventListener("input", misword.debounced(60, updated("search")));
      this.filters = new misword.Filters(this.fields, misword.debounced(60, updated("filter")), () => {
        updated("removal")();
        this.query.focus();
      });
      this.chips = new misword.Chips(corpus, this.fields, () => {
        updated("removal")();
        if (!this.chips.chips.length) this.list.box.focus({ preventScroll: true });
      });
      this.order = fieldChoice(this.fields.filter(({ within }) => !within), "order of the input");
      const several = corpus.systems.length > 1;
      const worst = this.fields.find(({ group }) => group.startsWith(several ? "Change" : "Rate"));
      this.order.value = worst ? worst.key : "";
      this.descending = make("select", {}, make("option", { value: "1" }, "highest first"),
        make("option", { value: "" }, "lowest first"));
      this.price = this.priceChoice();
      for (const control of [this.order, this.descending]) {
        control.addEventListener("change", updated("order"));
      }
      this.price.addEventListener("change", () => {
        this.show(this.current);
        this.changed("cost");
      });
      this.systems = several ? this.systemChoice(updated("systems")) : null;
      const reset = make("button", { type: "button" }, "Reset");
      reset.addEventListener("click", () => {
        this.reset();
        this.changed("reset");
      });
      const save = make("button", { type: "button" }, "Save as CSV");
      save.addEventListener("click", () => misword.saveCsv(
        misword.exportRows(corpus, this.list.items), "misword-utterances.csv"));
      this.count = make("p", { class: "count", role: "status", "aria-live": "polite" });
      this.head = make("div", { class: "row head", "aria-hidden": "true" });
      this.list = new misword.List(`${place.id}-row`, "utterances",
        (row, u) => this.fill(row, u), (u) => {
          this.show(u);
          this.changed("utterance");
        });
      this.detail = make("div", { class: "detail", role: "region", "aria-label": "utterance" });
      this.table = make("div", {}, this.head, this.list.box);
      place.append(
        make("div", { class: "controls", role: "search" },
          labelled("Search in ids and texts", this.query, "wide"),
          labelled("Order by", this.order), labelled("Direction", this.descending),
          ...(this.price.options.length > 1 ? [labelled("Alignment and cost", this.price)] : []),
          ...(this.systems ? [this.systems.element] : []),
          this.filters.element,
          make("div", { class: "buttons" }, this.filters.button, reset, save)),
        this.chips.element, this.count, ...this.notes(), this.table, this.detail,
      );
    }

    /** Return notes on data that is left out of the page. */
    notes() {
      const { size, total, leftOut } = this.corpus;
      const notes = [];
      if (size < total) notes.push(`The explorer has the first ${size} of ${total} utterances.`);
      if (leftOut.length) notes.push(`Alignments left out for their size: ${leftOut.join(", ")}.`);
      this.ignored = make("p", { class: "note", hidden: true });
      return [...notes.map((text) => make("p", { class: "note" }, text)), this.ignored];
    }

    /** Return a select element with the alignments and costs of the metrics that have them. */
    priceChoice() {
      const control = make("select", {});
      this.corpus.layers.forEach(({ name, costs }, layer) => {
        const plain = name ? `aligned by ${name}, any error costs 1` : "any error costs 1";
        [plain, ...costs.map((cost) => `cost of ${cost}`)].forEach((text, k) =>
          control.append(make("option", { value: `${layer} ${k - 1}` }, text)));
      });
      // A metric's cost says more than that a word is wrong.
      if (this.corpus.layers[0]?.costs.length) control.selectedIndex = 1;
      return control;
    }

    /** Return a box to tick for each system; the last that is ticked stays so. */
    systemChoice(changed) {
      const { corpus } = this;
      const boxes = corpus.systems.map(() => make("input", { type: "checkbox", checked: true }));
      for (const box of boxes) {
        box.addEventListener("change", () => {
          if (!boxes.some(({ checked }) => checked)) box.checked = true;
          corpus.shown = [...boxes.keys()].filter((s) => boxes[s].checked);
          changed();
        });
      }
      const element = make("fieldset", { class: "systems" }, make("legend", {}, "Systems"),
        ...corpus.systems.map((name, s) => make("label", {}, boxes[s], make("bdi", {}, name))));
      return { boxes, element };
    }

    /** Show the systems of these names, or all of them if there are none. */
    showSystems(names) {
      const { systems } = this.corpus;
      const wanted = names.length ? names : systems;
      this.corpus.shown = [...systems.keys()].filter((s) => wanted.includes(systems[s]));
      this.systems?.boxes.forEach((box, s) => { box.checked = this.corpus.shown.includes(s); });
    }

    reset() {
      this.query.value = "";
      this.filters.reset();
      this.chips.set([], false);
      this.showSystems([]);
      this.update();
    }

    /** Run a function without a call of `changed`. */
    quietly(call) {
      const before = this.quiet;
      this.quiet = true;
      call();
      this.quiet = before;
    }

    update() {
      const conditions = [...this.filters.read(), ...this.chips.read()];
      const found = misword.matching(this.corpus, this.query.value, conditions);
      const field = this.order.value === "" ? null : this.fields[Number(this.order.value)];
      this.metric = field?.metric ?? this.metric;
      this.count.textContent = `${found.length.toLocaleString("en")} of `
        + `${this.corpus.size.toLocaleString("en")} utterances; `
        + `${this.corpus.metrics[this.metric]} in %`;
      this.heading();
      this.ignored.hidden = true;
      const ordered = misword.ordered(found, field, this.descending.value !== "");
      this.quietly(() => this.list.show(ordered));
    }

    /** Return the systems whose change from the first system is shown. */
    changing() {
      const { shown } = this.corpus;
      return shown[0] === 0 ? shown.slice(1) : [];
    }

    /** Return a row's cells: id, the shown metric of each system, changes, the reference. */
    cells(id, rates, changes, text) {
      const number = (shown, kind) => make("span", { class: `num ${kind}` }, shown);
      return [make("span", { class: "id", dir: "auto", title: id }, id),
        ...rates.map((shown) => number(shown, "rate")),
        ...changes.map((shown) => number(shown, "change")),
        make("span", { class: "text", dir: "auto" }, text)];
    }

    heading() {
      const { systems, shown, metrics } = this.corpus;
      const changing = this.changing();
      const unchanged = changing.length ? "" : " unchanged";
      this.table.className = `table systems-${Math.min(shown.length, 4)}${unchanged}`;
      const names = systems.length === 1 ? [metrics[this.metric]] : shown.map((s) => systems[s]);
      const cells = this.cells("utterance", names, changing.map(() => "change"), "reference");
      cells.forEach((cell) => cell.setAttribute("title", cell.textContent));
      this.head.replaceChildren(...cells);
    }

    fill(row, u) {
      const { corpus, metric } = this;
      const rate = (s) => corpus.rates(metric, s)[u];
      const shown = corpus.metrics.length ? corpus.shown : [];
      row.append(...this.cells(corpus.ids[u], shown.map((s) => misword.percent(rate(s))),
        shown.length ? this.changing().map((s) => misword.signed(rate(s) - rate(0))) : [],
        corpus.opening(u, OPENING)));
    }

    /** Show one utterance in full, a long one from reference word `at`. */
    show(u, at = 0) {
      this.current = u;
      if (u === null || u === undefined) {
        this.detail.replaceChildren(make("p", { class: "note" }, "No utterance meets the filters."));
        return;
      }
      const [layer, priced] = this.price.value.split(" ").map(Number);
      const value = (written) => this.chips.resolve(written);
      this.detail.replaceChildren(...misword.utterance(this.corpus, u, layer, priced, value,
        (chips) => this.filterBy(chips), at));
    }

    /** Filter by chips; those of the same fields are replaced. */
    filterBy(chips) {
      this.chips.set(chips, true);
      this.update();
      this.changed("chip");
      this.chips.element.scrollIntoView({ block: "start" });
      this.list.box.focus({ preventScroll: true });
    }

    /** Select an utterance by its id; filters that exclude it are reset.

        It is shown from reference word `at`, or from the longest run of errors of a system. */
    open(id, { system = null, at = 0 } = {}) {
      const u = this.corpus.ids.indexOf(id);
      if (u < 0) return;
      const s = this.corpus.layers.length ? this.corpus.systems.indexOf(system) : -1;
      const word = s < 0 ? at : misword.longestRun(this.corpus, s, u);
      if (!this.list.items.includes(u)) this.reset();
      this.quietly(() => this.list.select(this.list.items.indexOf(u)));
      if (word) this.show(u, word);
      this.changed("opening");
      this.detail.scrollIntoView({ block: "center" });
      this.list.box.focus({ preventScroll: true });
    }

    /** Show the state that an address has. */
    restore(state) {
      let ignored = 0;
      this.quietly(() => { ignored = misword.showState(this, state); });
      this.ignored.hidden = !ignored;
      this.ignored.textContent = "This page does not have everything that the address names: "
        + `${ignored} ${ignored === 1 ? "part of it was" : "parts of it were"} ignored.`;
    }
  }

  const explorers = {};
  let address = null;
  const changed = (explorer, change) =>
    address.write(explorer.place.id, misword.stateOf(explorer), change);
  for (const place of document.querySelectorAll("[data-explorer]")) {
    explorers[place.id] = new Explorer(place, changed);
  }
  address = new misword.Address(Object.keys(explorers), (id, state) => explorers[id].restore(state));
  if (location.hash && address.read()) {
    const { place } = explorers[location.hash.slice(1).split("?")[0]];
    place.scrollIntoView({ behavior: "instant" });
    addEventListener("load", () => place.scrollIntoView({ behavior: "instant" }));
  }
  for (const button of document.querySelectorAll("button[data-opens]")) {
    const { opens, utt, system } = button.dataset;
    button.addEventListener("click", () => explorers[opens].open(utt, { system }));
  }
  for (const place of document.querySelectorAll("[data-filter]")) {
    const explorer = explorers[place.closest("article")?.querySelector("[data-explorer]")?.id];
    const chips = explorer ? JSON.parse(place.dataset.filter).map((one) => explorer.chips.resolve(one)) : [null];
    if (chips.every(Boolean)) misword.filterButton(place, chips, (chosen) => explorer.filterBy(chosen));
  }
  misword.explorers = explorers;
})();
