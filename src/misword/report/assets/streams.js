"use strict";
/* Packed arrays of the page, and the streams of aligned words of each system. */
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
    const found = new Uint8Array(size); // what is written beyond its end is ignored
    let at = 0;
    for (const byte of bytes) {
      found[at++] = byte % 6;
      found[at++] = ((byte / 6) | 0) % 6;
      found[at++] = (byte / 36) | 0;
    }
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

  misword.unpack = unpack;
  misword.streams = { stream, hypotheses, wordTimes };
  misword.operations = { HIT, SUBSTITUTION, INSERTION, DELETION, FORGIVEN, KINDS, HAS_TWO, IS_ERROR, NOTHING };
})();
