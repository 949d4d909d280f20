"use strict";
/* The utterance explorer: search, filters, order, list, and one utterance in full. */
(() => {
  const make = misword.make;
  const OPENING = 60; // words of the reference in a row of the list; more do not fit
  const { labelled, fieldChoice } = misword;

  class Explorer {
    constructor(place) {
      this.corpus = new misword.Corpus(misword.read(place.dataset.explorer));
      this.fields = misword.fields(this.corpus);
      this.metric = 0;
      this.build(place);
      this.update();
    }

    build(place) {
      const { corpus } = this;
      const update = misword.debounced(60, () => this.update());
      this.update = this.update.bind(this);
      this.query = make("input", { type: "search", name: "search", autocomplete: "off",
        spellcheck: "false", dir: "auto" });
      this.query.addEventListener("input", update);
      this.filters = new misword.Filters(this.fields, update, () => {
        this.update();
        this.query.focus();
      });
      this.order = fieldChoice(this.fields.filter(({ within }) => !within), "order of the input");
      const several = corpus.systems.length > 1;
      const worst = this.fields.find(({ group }) => group.startsWith(several ? "Change" : "Rate"));
      this.order.value = worst ? worst.key : "";
      this.descending = make("select", {}, make("option", { value: "1" }, "highest first"),
        make("option", { value: "" }, "lowest first"));
      this.price = this.priceChoice();
      for (const control of [this.order, this.descending]) {
        control.addEventListener("change", this.update);
      }
      this.price.addEventListener("change", () => this.show(this.current));
      const reset = make("button", { type: "button" }, "Reset");
      reset.addEventListener("click", () => this.reset());
      this.count = make("p", { class: "count", role: "status", "aria-live": "polite" });
      this.head = make("div", { class: "row head", "aria-hidden": "true" });
      this.list = new misword.List(`${place.id}-row`, "utterances",
        (row, u) => this.fill(row, u), (u) => this.show(u));
      this.detail = make("div", { class: "detail", role: "region", "aria-label": "utterance" });
      place.append(
        make("div", { class: "controls", role: "search" },
          labelled("Search in ids and texts", this.query, "wide"),
          labelled("Order by", this.order), labelled("Direction", this.descending),
          ...(this.price.options.length > 1 ? [labelled("Alignment and cost", this.price)] : []),
          this.filters.element,
          make("div", { class: "buttons" }, this.filters.button, reset)),
        this.count, ...this.notes(),
        make("div", { class: `table systems-${Math.min(corpus.systems.length, 4)}` },
          this.head, this.list.box),
        this.detail,
      );
    }

    /** Return notes on data that is left out of the page. */
    notes() {
      const { size, total, leftOut } = this.corpus;
      const notes = [];
      if (size < total) notes.push(`The explorer has the first ${size} of ${total} utterances.`);
      if (leftOut.length) notes.push(`Alignments left out for their size: ${leftOut.join(", ")}.`);
      return notes.map((text) => make("p", { class: "note" }, text));
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

    reset() {
      this.query.value = "";
      this.filters.reset();
      this.update();
    }

    update() {
      const found = misword.matching(this.corpus, this.query.value, this.filters.read());
      const field = this.order.value === "" ? null : this.fields[Number(this.order.value)];
      this.metric = field?.metric ?? this.metric;
      this.count.textContent = `${found.length.toLocaleString("en")} of `
        + `${this.corpus.size.toLocaleString("en")} utterances; `
        + `${this.corpus.metrics[this.metric]} in %`;
      this.heading();
      this.list.show(misword.ordered(found, field, this.descending.value !== ""));
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
      const { systems, metrics } = this.corpus;
      const shown = systems.length === 1 ? [metrics[this.metric]] : systems;
      const cells = this.cells("utterance", shown, systems.slice(1).map(() => "change"), "reference");
      cells.forEach((cell) => cell.setAttribute("title", cell.textContent));
      this.head.replaceChildren(...cells);
    }

    fill(row, u) {
      const { corpus, metric } = this;
      const rates = corpus.metrics.length
        ? corpus.systems.map((_, s) => corpus.rates(metric, s)[u]) : [];
      row.append(...this.cells(corpus.ids[u], rates.map(misword.percent),
        rates.slice(1).map((rate) => misword.signed(rate - rates[0])),
        corpus.opening(u, OPENING)));
    }

    /** Show one utterance in full. */
    show(u) {
      this.current = u;
      if (u === null || u === undefined) {
        this.detail.replaceChildren(make("p", { class: "note" }, "No utterance meets the filters."));
        return;
      }
      const { corpus } = this;
      const facts = corpus.metadata.map(({ name }, column) =>
        make("span", {}, make("bdi", {}, name), ": ", make("bdi", {}, corpus.metadataText(column, u))));
      const parts = [make("h4", {}, make("bdi", {}, corpus.ids[u])),
        make("p", { class: "facts" }, ...facts)];
      if (corpus.layers.length) {
        const [layer, priced] = this.price.value.split(" ").map(Number);
        parts.push(...misword.aligned(corpus, layer, priced, u));
      } else if (corpus.references.length) {
        parts.push(make("p", { dir: "auto" }, corpus.references[u]));
      } else {
        parts.push(make("p", { class: "note" }, "This result was kept without its words."));
      }
      this.detail.replaceChildren(...parts, this.rates(u), ...misword.nbest(corpus, u));
    }

    /** Return a table of all metrics of the utterance, a row per system. */
    rates(u) {
      const { metrics, systems } = this.corpus;
      const head = make("tr", {}, make("th", { scope: "col" }, "%"),
        ...metrics.map((name) => make("th", { scope: "col", class: "num" }, name)));
      const rows = systems.map((name, s) => make("tr", {},
        make("th", { scope: "row" }, make("bdi", {}, name)),
        ...metrics.map((_, m) => make("td", { class: "num" },
          misword.percent(this.corpus.rates(m, s)[u])))));
      return make("div", { class: "scroll", tabindex: 0 },
        make("table", { class: "small" }, make("thead", {}, head), make("tbody", {}, ...rows)));
    }

    /** Select an utterance by its id; filters that exclude it are reset. */
    open(id) {
      const u = this.corpus.ids.indexOf(id);
      if (u < 0) return;
      if (!this.list.items.includes(u)) this.reset();
      this.list.select(this.list.items.indexOf(u));
      this.detail.scrollIntoView({ block: "center" });
      this.list.box.focus({ preventScroll: true });
    }
  }

  const explorers = {};
  for (const place of document.querySelectorAll("[data-explorer]")) {
    explorers[place.id] = new Explorer(place);
  }
  for (const button of document.querySelectorAll("button[data-opens]")) {
    button.addEventListener("click", () => explorers[button.dataset.opens].open(button.dataset.utt));
  }
  // The search text is made while the page is idle.
  const idle = window.requestIdleCallback ?? ((call) => setTimeout(call, 50));
  addEventListener("load", () => setTimeout(() => idle(() => {
    for (const { corpus } of Object.values(explorers)) corpus.searchText();
  }), 300));
  misword.explorers = explorers;
  misword.ready = performance.now();
})();
