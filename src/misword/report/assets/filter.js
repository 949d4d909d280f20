"use strict";
/* Selection and order of the utterances in the list. */
(() => {
  /** Return the fields for filters and order: rates, changes, tags, families, metadata.

      A field with `within` looks at the places of the alignments; it is no order. */
  const fields = (corpus) => {
    const { metrics, systems, metadata, tags, families, labels } = corpus;
    const several = systems.length > 1;
    const found = [];
    metrics.forEach((metric, m) => systems.forEach((system, s) => {
      const name = several ? `${metric} of ${system}` : metric;
      found.push({ group: "Rate, %", name, metric: m, scale: 100, values: () => corpus.rates(m, s) });
    }));
    metrics.forEach((metric, m) => systems.slice(1).forEach((system, s) => {
      const name = `${metric}: ${system} minus ${systems[0]}`;
      const values = () => corpus.changes(m, s + 1);
      found.push({ group: "Change, points", name, metric: m, scale: 100, values });
    }));
    const parts = [...new Set(tags.flatMap((tag) => tag.split("+")))].filter(Boolean).sort();
    if (parts.length) {
      const within = (chosen, kept) => tagged(corpus, chosen, kept);
      found.push({ group: "Words", name: "error on a word of tag", choices: parts, label: "Tag", within });
    }
    const named = families.filter(Boolean).sort();
    if (named.length) {
      const within = (chosen, kept) => forgiven(corpus, chosen, kept);
      found.push({ group: "Words", name: "forgiven difference of family", choices: named, label: "Family", within });
    }
    for (const { name, label, values, ...hypotheses } of labels) {
      const within = (chosen, kept) => labelled(corpus, hypotheses, values.indexOf(chosen), kept);
      found.push({ group: "Words", name, choices: values, label, within });
    }
    metadata.forEach(({ name, numbers, values, codes }) => {
      if (numbers) found.push({ group: "Metadata", name, scale: 1, values: () => numbers });
      else found.push({ group: "Metadata", name, choices: values, codes });
    });
    return found.map((field, key) => ({ ...field, key }));
  };

  const range = ({ values, scale }, { low, high }, kept) => {
    if (low === null && high === null) return;
    const [least, most] = [low ?? -Infinity, high ?? Infinity];
    const found = values();
    for (let u = 0; u < kept.length; u += 1) {
      // Rounded, so that "from 50" includes a value that is shown as 50.0.
      const value = Math.round(found[u] * scale * 1e4) / 1e4;
      if (!(value >= least && value <= most)) kept[u] = 0;
    }
  };

  const choice = ({ codes, choices }, { choice: chosen }, kept) => {
    const code = choices.indexOf(chosen);
    for (let u = 0; u < kept.length; u += 1) if (codes[u] !== code) kept[u] = 0;
  };

  /** Keep utterances for which `find(system, found)` sets 1 in `found` for some shown system. */
  const keepFound = (corpus, kept, find, systems = corpus.shown) => {
    const found = new Uint8Array(kept.length);
    for (const system of systems) find(system, found);
    for (let u = 0; u < kept.length; u += 1) kept[u] &= found[u];
  };

  /** Return the field of errors and forgiven differences; it has too many values for a choice. */
  const differences = (corpus) => {
    const within = ({ system, ...difference }, kept) => {
      const systems = system === null ? corpus.shown : [corpus.systems.indexOf(system)];
      keepFound(corpus, kept, (s, found) => corpus.findDifference(s, difference, found), systems);
    };
    return { group: "Words", name: "difference", choices: [], within };
  };

  /** Keep utterances of which some hypothesis has the label. */
  const labelled = (corpus, { utterances, systems, codes }, code, kept) => {
    keepFound(corpus, kept, (system, found) => codes.forEach((one, at) => {
      if (one === code && systems[at] === system) found[utterances[at]] = 1;
    }));
  };

  /** Keep utterances in which some system has an error on a word of the tag. */
  const tagged = (corpus, chosen, kept) => {
    const wanted = corpus.tags.map((tag) => tag.split("+").includes(chosen));
    keepFound(corpus, kept, (system, found) => {
      const { kinds, tags, places } = corpus.layers[0].systems[system];
      for (let u = 0; u < kept.length; u += 1) {
        for (let place = places[u]; !found[u] && place < places[u + 1]; place += 1) {
          if (misword.isError(kinds[place]) && wanted[tags[place]]) found[u] = 1;
        }
      }
    });
  };

  /** Keep utterances in which a family forgives a difference of some system. */
  const forgiven = (corpus, chosen, kept) => {
    const wanted = corpus.families.indexOf(chosen);
    keepFound(corpus, kept, (system, found) => {
      const { families, forgiven: blocks } = corpus.layers[0].systems[system];
      for (let u = 0; u < kept.length; u += 1) {
        for (let k = blocks[u]; k < blocks[u + 1]; k += 1) if (families[k] === wanted) found[u] = 1;
      }
    });
  };

  /** Return the numbers of the utterances that meet a query and all conditions. */
  const matching = (corpus, query, conditions) => {
    const kept = new Uint8Array(corpus.size).fill(1);
    const needle = misword.needle(query);
    if (needle) corpus.search(needle, kept);
    for (const condition of conditions) {
      const { field } = condition;
      if (!field.choices) range(field, condition, kept);
      else if (condition.choice === null) continue;
      else if (field.within) field.within(condition.choice, kept);
      else choice(field, condition, kept);
    }
    const found = new Uint32Array(kept.reduce((sum, one) => sum + one, 0));
    let at = 0;
    for (let u = 0; u < kept.length; u += 1) if (kept[u]) found[at++] = u;
    return found;
  };

  /** Return the utterances in the order of a field, or of the input; missing values are last. */
  const ordered = (found, field, descending) => {
    if (!field) return descending ? found.slice().reverse() : found;
    const sign = descending ? -1 : 1;
    if (field.choices) {
      const rank = new Float64Array(field.choices.length);
      [...field.choices.keys()]
        .sort((a, b) => field.choices[a].localeCompare(field.choices[b]))
        .forEach((code, place) => (rank[code] = place));
      return found.slice().sort((a, b) => sign * (rank[field.codes[a]] - rank[field.codes[b]]) || a - b);
    }
    const values = field.values();
    const last = descending ? -Infinity : Infinity;
    const keys = values.map((value) => (Number.isNaN(value) ? last : value));
    return found.slice().sort((a, b) => sign * (keys[a] - keys[b]) || a - b);
  };

  misword.fields = fields;
  misword.differences = differences;
  misword.matching = matching;
  misword.ordered = ordered;
})();
