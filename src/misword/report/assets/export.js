"use strict";
/* The utterances that the explorer lists as rows of a table, for a CSV file. */
(() => {
  // Rates are stored with seven digits.
  const number = (value) => (Number.isNaN(value) ? "" : String(Number(value.toPrecision(7))));

  /** Return the rows of these utterances, headings first: ids, metadata, texts, rates. */
  misword.exportRows = (corpus, utterances) => {
    const { ids, metadata, metrics, systems, shown, layers, references, lists } = corpus;
    const named = (name, s) => (systems.length > 1 ? `${name} (${systems[s]})` : name);
    const withTexts = layers.length > 0 || references.length > 0 || Boolean(lists);
    const head = ["utterance", ...metadata.map(({ name }) => name),
      ...(withTexts ? ["reference", ...shown.map((s) => named("hypothesis", s))] : []),
      ...metrics.flatMap((metric) => shown.map((s) => named(metric, s)))];
    const rates = metrics.flatMap((_, m) => shown.map((s) => corpus.rates(m, s)));
    const rows = [head];
    for (const u of utterances) {
      const texts = withTexts ? corpus.texts(u) : [];
      rows.push([ids[u], ...metadata.map((_, column) => corpus.metadataText(column, u)),
        ...(withTexts ? [texts[0], ...shown.map((s) => texts[s + 1])] : []),
        ...rates.map((values) => number(values[u]))]);
    }
    return rows;
  };
})();
