"use strict";
/* Search in texts. In the texts of utterances, the words of the vocabulary are found first.

   A text without spaces is part of one word. In a text with spaces, the first word may be the end of
   a word, the last one the start of a word, and the others are whole words. Each of these is a bit of
   a number for each word of the vocabulary, so that texts are compared as numbers. */
(() => {
  const MOST = 30; // words of a query that are bits; longer queries are compared as strings

  /** Return a query as the texts are written that are searched. */
  misword.needle = (query) => query.normalize("NFC").trim().toLowerCase().replace(/\s+/g, " ");

  /** Return for each word of the vocabulary the bits of the parts of the query that it matches. */
  const bitsOf = (words, parts) => {
    const last = parts.length - 1;
    const matches = (word, part, at) => {
      // The words of a forgiven block are one text.
      if (last === 0 || word.includes(" ")) return word.includes(part);
      if (at === 0) return word.endsWith(part);
      return at === last ? word.startsWith(part) : word === part;
    };
    const bits = new Uint32Array(words.length);
    parts.forEach((part, at) => words.forEach((word, number) => {
      if (word && matches(word, part, at)) bits[number] |= 1 << at;
    }));
    return bits;
  };

  /** Return whether words with the bits of all parts follow each other. */
  const inOrder = (numbers, bits, parts) => {
    for (let start = 0; start + parts <= numbers.length; start += 1) {
      let at = 0;
      while (at < parts && bits[numbers[start + at]] & (1 << at)) at += 1;
      if (at === parts) return true;
    }
    return false;
  };

  /** Set `found` to 1 for utterances in which some system has words with all bits. */
  const candidates = (corpus, bits, all, found) => {
    for (const { words, wordStarts } of corpus.layers[0].systems) {
      for (let u = 0; u < found.length; u += 1) {
        let seen = 0;
        for (let k = wordStarts[u]; k < wordStarts[u + 1] && seen !== all; k += 1) seen |= bits[words[k]];
        if (seen === all) found[u] = 1;
      }
    }
  };

  /** Return whether an utterance has the query in one of its texts. */
  const verified = (corpus, u, needle, parts, bits) => corpus.sides(u).some((numbers) => {
    if (parts <= MOST && !numbers.some((number) => corpus.spaced(number))) return inOrder(numbers, bits, parts);
    return numbers.map((number) => corpus.lower[number]).join(" ").includes(needle);
  });

  /** Set `kept` to 0 for rows in which the needle does not occur.

      `all` has the texts of all rows; the text of row i is from starts[i] to starts[i + 1]. */
  misword.searchText = ({ all, starts }, needle, kept) => {
    let from = 0;
    for (let row = 0; row < kept.length; row += 1) {
      if (from < starts[row]) from = starts[row];
      if (from >= starts[row + 1]) {
        kept[row] = 0; // the next occurrence is further on
        continue;
      }
      const at = all.indexOf(needle, from);
      if (at < 0) {
        kept.fill(0, row);
        return;
      }
      if (at >= starts[row + 1]) kept[row] = 0;
      from = at;
    }
  };

  /** Set `kept` to 0 for utterances in which the needle does not occur. */
  misword.searchWords = (corpus, needle, kept) => {
    const found = new Uint8Array(kept.length);
    const parts = needle.split(" ");
    if (corpus.layers.length) {
      const used = parts.slice(0, MOST);
      const bits = bitsOf(corpus.lower, used);
      candidates(corpus, bits, used.reduce((sum, _, at) => sum | (1 << at), 0), found);
      if (parts.length > 1) {
        for (let u = 0; u < found.length; u += 1) {
          if (found[u] && kept[u]) found[u] = Number(verified(corpus, u, needle, parts.length, bits));
        }
      }
    }
    for (let u = 0; u < kept.length; u += 1) {
      if (kept[u] && !found[u]) kept[u] = Number(corpus.plainText(u).includes(needle));
    }
  };
})();
