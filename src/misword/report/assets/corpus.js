"use strict";
/* The utterances of a result, read from the data that misword.report.explorer writes. */
(() => {
  const { unpack } = misword;
  const { stream, hypotheses, wordTimes } = misword.streams;
  const { HIT, SUBSTITUTION, INSERTION, DELETION, FORGIVEN, KINDS, HAS_TWO, IS_ERROR, NOTHING } = misword.operations;
  const COST_UNIT = 10000;
  const NO_COST = 65535;

  class Corpus {
    constructor(data) {
      Object.assign(this, {
        ids: data.ids, systems: data.systems, metrics: data.metrics, words: data.words,
        tags: data.tags, families: data.families, total: data.total, leftOut: data.leftOut, size: data.ids.length,
      });
      this.shown = data.systems.map((_, s) => s); // the systems that the reader wants to see
      this.labels = (data.labels ?? []).map(({ name, label, values, utterances, systems, codes }) => ({
        name, label, values, utterances: unpack(utterances), systems: unpack(systems), codes: unpack(codes),
      }));
      this.all = unpack(data.rates);
      this.metadata = data.metadata.map(({ name, numbers, values, codes }) => ({
        name, values, numbers: numbers && unpack(numbers), codes: codes && unpack(codes),
      }));
      const sizes = (number) => (number === NOTHING ? 0 : this.words[number].split(" ").length);
      this.layers = data.layers.map(({ name, costs, reference, systems }) => {
        const words = reference && unpack(reference);
        return { name, costs, systems: systems.map((one) => stream(one, this.size, words, sizes)) };
      });
      this.references = data.references ?? [];
      this.lists = data.lists && { ...data.lists, systems: data.lists.systems.map(hypotheses) };
      this.audio = data.audio && {
        sources: data.audio.sources, codes: unpack(data.audio.codes),
        begin: data.audio.begin && unpack(data.audio.begin), end: data.audio.end && unpack(data.audio.end),
        words: data.audio.words?.tenths && wordTimes(data.audio.words),
      };
    }

    /** Return the N-best list of a system for an utterance; null if there are no lists. */
    list(system, u) {
      if (!this.lists) return null;
      const { starts, ranks, texts, chosen, numbers } = this.lists.systems[system];
      const [from, to] = [starts[u], starts[u + 1]];
      return {
        ranks: ranks.subarray(from, to), texts: texts.slice(from, to),
        chosen: chosen.length ? chosen.slice(from, to) : texts.slice(from, to).map(() => ""),
        numbers: numbers.map((values) => values.subarray(from, to)),
      };
    }

    /** Return a metric's rates of a system, one per utterance; NaN where it is undefined. */
    rates(metric, system) {
      const start = (metric * this.systems.length + system) * this.size;
      return this.all.subarray(start, start + this.size);
    }

    /** Return the changes of a metric from the first system to another. */
    changes(metric, system) {
      const [before, after] = [this.rates(metric, 0), this.rates(metric, system)];
      return after.map((rate, u) => rate - before[u]);
    }

    /** Return the value of a metadata column as text. */
    metadataText(column, u) {
      const { numbers, values, codes } = this.metadata[column];
      if (!numbers) return values[codes[u]];
      return Number.isNaN(numbers[u]) ? "" : String(Number(numbers[u].toPrecision(12)));
    }

    /** Return the places of one alignment: kind, numbers of the words (-1: none), tag, cost, family,
        and whether it is of a word that was split or joined (spacing). */
    alignment(layer, system, u, priced = -1) {
      const { kinds, words, families, spacing, tags, costs, places, wordStarts, errors, forgiven } =
        this.layers[layer].systems[system];
      const found = [];
      const given = (number) => (number === NOTHING ? -1 : number);
      let [word, error, block] = [wordStarts[u], errors[u], forgiven[u]];
      for (let place = places[u]; place < places[u + 1]; place += 1) {
        const kind = kinds[place];
        const wrong = IS_ERROR[kind];
        const reference = kind === INSERTION ? -1 : given(words[word++]);
        let hypothesis = -1;
        if (kind === HIT) hypothesis = reference;
        else if (kind !== DELETION) hypothesis = given(words[word++]);
        let cost = wrong ? 1 : 0;
        if (wrong && priced >= 0) cost = costs[priced][error];
        if (wrong && priced >= 0) cost = cost === NO_COST ? NaN : cost / COST_UNIT;
        error += wrong ? 1 : 0;
        const tag = tags ? this.tags[tags[place]] : "";
        const family = kind === FORGIVEN ? this.families[families[block++]] : "";
        const split = Boolean(spacing?.[place]);
        found.push({ kind: KINDS[kind], reference, hypothesis, tag, cost, family, spacing: split });
      }
      return found;
    }

    /** Set `found` to 1 for utterances in which a system has this error or forgiven difference.

        A side without words is null. */
    findDifference(system, { kind, reference, hypothesis }, found) {
      const { kinds, words, places, wordStarts } = this.layers[0].systems[system];
      const wanted = { substitution: SUBSTITUTION, insertion: INSERTION, deletion: DELETION, forgiven: FORGIVEN }[kind];
      const number = (text) => (text === null ? NOTHING : this.words.indexOf(text));
      const [ours, theirs] = [number(reference), number(hypothesis)];
      const first = kind === "insertion" ? theirs : ours;
      for (let u = 0; u < this.size; u += 1) {
        let word = wordStarts[u];
        for (let place = places[u]; place < places[u + 1]; place += 1) {
          const two = HAS_TWO[kinds[place]];
          if (kinds[place] === wanted && words[word] === first && (!two || words[word + 1] === theirs)) {
            found[u] = 1;
            break;
          }
          word += two ? 2 : 1;
        }
      }
    }

    /** Return the labels of an utterance's shown hypotheses as texts: `loop (base)`. */
    labelTexts({ values, utterances, systems, codes }, u) {
      const found = [];
      for (let at = utterances.indexOf(u); at >= 0; at = utterances.indexOf(u, at + 1)) {
        const name = this.systems.length > 1 ? ` (${this.systems[systems[at]]})` : "";
        if (this.shown.includes(systems[at])) found.push(`${values[codes[at]]}${name}`);
      }
      return found;
    }

    /** Return the reference and the hypothesis of each system; empty where they were not kept. */
    texts(u) {
      if (this.layers.length) {
        return this.sides(u).map((numbers) => numbers.map((number) => this.words[number]).join(" "));
      }
      const best = this.systems.map((_, s) => this.list(s, u)?.texts[0] ?? "");
      return [this.references[u] ?? "", ...best];
    }

    /** Return when a reference word begins in the file of its utterance, in seconds; or NaN. */
    wordTime(u, word) {
      if (!this.audio?.words) return NaN;
      const { starts, tenths } = this.audio.words;
      const found = tenths[Math.min(starts[u] + word, starts[u + 1] - 1)];
      return starts[u] < starts[u + 1] && found ? (found - 1) / 10 : NaN;
    }

    /** Return the first words of a reference. */
    opening(u, limit) {
      if (!this.layers.length) return this.references[u] ?? "";
      const { kinds, words, places, wordStarts } = this.layers[0].systems[0];
      const found = [];
      let word = wordStarts[u];
      for (let p = places[u]; p < places[u + 1] && found.length < limit; p += 1) {
        const given = kinds[p] !== INSERTION && words[word] !== NOTHING;
        if (given) found.push(this.words[words[word]]);
        word += HAS_TWO[kinds[p]] ? 2 : 1;
      }
      return found.join(" ");
    }

    /** Set `kept` to 0 for utterances in which the needle does not occur. */
    search(needle, kept) {
      misword.searchWords(this, needle, kept);
    }

    /** The vocabulary in lower case. */
    get lower() {
      this.lowered ??= this.words.map((word) => word.toLowerCase());
      return this.lowered;
    }

    /** Return whether a word of the vocabulary has spaces, as the words of a forgiven block. */
    spaced(number) {
      this.withSpaces ??= Uint8Array.from(this.words, (word) => Number(word.includes(" ")));
      return this.withSpaces[number] === 1;
    }

    /** Return the id of an utterance in lower case, and its reference if it has no alignment. */
    plainText(u) {
      this.plain ??= this.ids.map((id, at) =>
        `${id}\n${this.layers.length ? "" : this.references[at] ?? ""}`.toLowerCase());
      return this.plain[u];
    }

    /** Return the reference and the hypothesis of each system as numbers of words. */
    sides(u) {
      const found = [];
      const add = (side, number) => number !== NOTHING && side.push(number);
      this.layers[0].systems.forEach(({ kinds, words, places, wordStarts }, system) => {
        const [reference, hypothesis] = [[], []];
        let word = wordStarts[u];
        for (let place = places[u]; place < places[u + 1]; place += 1) {
          const kind = kinds[place];
          const first = words[word++];
          if (kind !== INSERTION) add(reference, first);
          if (kind === HIT || kind === INSERTION) add(hypothesis, first);
          else if (kind !== DELETION) add(hypothesis, words[word++]);
        }
        if (system === 0) found.push(reference);
        found.push(hypothesis);
      });
      return found;
    }
  }

  misword.Corpus = Corpus;
  misword.isError = (kind) => IS_ERROR[kind];
})();
