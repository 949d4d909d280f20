"use strict";
/* The utterances of a result, read from the data that misword.report.explorer writes. */
(() => {
  const TYPES = {
    u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array,
  };
  // Operations at a place of an alignment; a loose hit has two words that count as equal, a forgiven
  // block has some words or none on each side.
  const [HIT, SUBSTITUTION, INSERTION, DELETION, LOOSE_HIT, FORGIVEN] = [0, 1, 2, 3, 4, 5];
  const KINDS = ["hit", "substitution", "insertion", "deletion", "hit", "forgiven"];
  const HAS_TWO = KINDS.map((_, kind) => [SUBSTITUTION, LOOSE_HIT, FORGIVEN].includes(kind));
  const IS_ERROR = KINDS.map((_, kind) => [SUBSTITUTION, INSERTION, DELETION].includes(kind));
  const NOTHING = 0; // the number of the empty text
  const COST_UNIT = 10000;
  const NO_COST = 65535;

  const fromBase64 = (text) => {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; i += 1) bytes[i] = binary.charCodeAt(i);
    return bytes;
  };
  const unpack = ({ type, data }) => new TYPES[type](fromBase64(data).buffer);

  /** Return the operations of all places: a byte has three of them. */
  const operations = (bytes, size) => {
    const found = new Uint8Array(size);
    for (let at = 0; at < size; at += 1) found[at] = (bytes[(at / 3) | 0] / 6 ** (at % 3)) % 6 | 0;
    return found;
  };

  /** Return the words of a stream with the reference words that all systems have.

      `sizes(number)` is the number of words of the reference of a forgiven block. */
  const withReference = (kinds, words, reference, sizes) => {
    const found = new Uint32Array(2 * kinds.length);
    let [to, from, next] = [0, 0, 0];
    for (const kind of kinds) {
      if (kind === FORGIVEN) {
        next += sizes(words[from]);
        found[to++] = words[from++];
      } else if (kind !== INSERTION) found[to++] = reference[next++];
      if (kind !== HIT && kind !== DELETION) found[to++] = words[from++];
    }
    return found.subarray(0, to);
  };

  /** Return one system's alignment, with the start of each utterance in each of its streams.

      `reference` has the reference words if the streams have none. */
  const stream = ({ lengths, kinds, words, families, spacing, tags, costs }, size, reference, sizes) => {
    const each = unpack(lengths);
    const all = operations(unpack(kinds), each.reduce((sum, length) => sum + length, 0));
    const found = {
      kinds: all,
      words: reference ? withReference(all, unpack(words), reference, sizes) : unpack(words),
      families: unpack(families),
      spacing: spacing && new Uint8Array(all.length),
      tags: tags && unpack(tags),
      costs: costs.map(unpack),
      places: new Uint32Array(size + 1),
      wordStarts: new Uint32Array(size + 1),
      errors: new Uint32Array(size + 1),
      forgiven: new Uint32Array(size + 1),
    };
    if (spacing) for (const place of unpack(spacing)) found.spacing[place] = 1;
    let [place, wordStart, errors, forgiven] = [0, 0, 0, 0];
    for (let u = 0; u < size; u += 1) {
      const end = place + each[u];
      for (; place < end; place += 1) {
        const kind = found.kinds[place];
        wordStart += HAS_TWO[kind] ? 2 : 1;
        errors += IS_ERROR[kind] ? 1 : 0;
        forgiven += kind === FORGIVEN ? 1 : 0;
      }
      found.places[u + 1] = place;
      found.wordStarts[u + 1] = wordStart;
      found.errors[u + 1] = errors;
      found.forgiven[u + 1] = forgiven;
    }
    return found;
  };

  /** Return one system's lists, with the start of each utterance in them. */
  const hypotheses = ({ lengths, ranks, texts, chosen, numbers }) => {
    const each = unpack(lengths);
    const starts = new Uint32Array(each.length + 1);
    each.forEach((length, u) => { starts[u + 1] = starts[u] + length; });
    return { starts, ranks: unpack(ranks), texts, chosen, numbers: numbers.map(unpack) };
  };

  /** Return the times of reference words in tenths of a second plus 1, and where utterances start. */
  const wordTimes = ({ lengths, tenths }) => {
    const each = unpack(lengths);
    const starts = new Uint32Array(each.length + 1);
    each.forEach((length, u) => { starts[u + 1] = starts[u] + length; });
    return { starts, tenths: unpack(tenths) };
  };

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
  misword.unpack = unpack;
  misword.isError = (kind) => IS_ERROR[kind];
})();
