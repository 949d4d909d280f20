"use strict";
/* One utterance in full: its metadata, aligned words, rates and N-best lists. */
(() => {
  const make = misword.make;

  /** Return the metadata and the labels of an utterance; a click on a value filters by it. */
  const facts = (corpus, u, resolve, filterBy) => {
    const metadata = corpus.metadata.map(({ name }, column) => {
      const value = make("bdi", {}, corpus.metadataText(column, u));
      const chip = value.textContent && resolve(["is", "Metadata", name, value.textContent]);
      if (chip) misword.filterButton(value, [chip], filterBy);
      return make("span", {}, make("bdi", {}, name), ": ", value);
    });
    const labels = corpus.labels.flatMap((field) => {
      const texts = corpus.labelTexts(field, u);
      return texts.length ? [make("span", {}, `${field.name}: `, make("bdi", {}, texts.join(", ")))] : [];
    });
    return make("p", { class: "facts" }, ...metadata, ...labels);
  };

  /** Return the aligned words, or the reference if there is no alignment. */
  const words = (corpus, u, layer, priced, at) => {
    if (corpus.layers.length) return misword.aligned(corpus, layer, priced, u, { at });
    if (corpus.references.length) return [make("p", { dir: "auto" }, corpus.references[u])];
    return [make("p", { class: "note" }, "This result was kept without its words.")];
  };

  /** Return a table of all metrics of the utterance, a row per system. */
  const rates = (corpus, u) => {
    const { metrics, systems, shown } = corpus;
    const head = make("tr", {}, make("th", { scope: "col" }, "%"),
      ...metrics.map((name) => make("th", { scope: "col", class: "num" }, name)));
    const rows = shown.map((s) => make("tr", {},
      make("th", { scope: "row" }, make("bdi", {}, systems[s])),
      ...metrics.map((_, m) => make("td", { class: "num" }, misword.percent(corpus.rates(m, s)[u])))));
    return make("div", { class: "scroll", tabindex: 0 },
      make("table", { class: "small" }, make("thead", {}, head), make("tbody", {}, ...rows)));
  };

  /** Return the elements that show an utterance, aligned by a layer and with one of its costs.

      `resolve` returns the chip of a value, `filterBy` filters by chips. A long utterance is shown from
      reference word `at`. */
  misword.utterance = (corpus, u, layer, priced, resolve, filterBy, at) => [
    make("h4", {}, make("bdi", {}, corpus.ids[u])), facts(corpus, u, resolve, filterBy),
    ...misword.withAudio(corpus, u, words(corpus, u, layer, priced, at), { from: at }), ...misword.same(corpus, u, layer), rates(corpus, u), ...misword.nbest(corpus, u),
  ];
})();
