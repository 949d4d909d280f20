"use strict";
/* One utterance: the reference over every system's hypothesis, word by word. Errors have a letter,
   a line under them and a background whose strength is the cost; forgiven differences of writing
   have the name of their family and a colour of their own. */
(() => {
  const make = misword.make;
  const LETTERS = { substitution: "S", insertion: "I", deletion: "D" };
  const STEPS = 5;
  const AT_ONCE = 1500; // places drawn until the reader clicks for more
  const LONG = 300; // places of an alignment that scrolls in a box of its own
  const BEFORE = 40; // places drawn before the word that the reader jumps to
  const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
  const LETTER = /\p{L}/u;

  /** Return the writing direction of a text: that of its first letter. */
  const direction = (texts) => {
    const first = texts.find((text) => LETTER.test(text))?.match(LETTER)[0] ?? "";
    return RIGHT_TO_LEFT.test(first) ? "rtl" : "ltr";
  };

  /** Return the words of one side of a place: several, one or none. */
  const words = (corpus, { kind }, number) => {
    if (number < 0) return [];
    return kind === "forgiven" ? corpus.words[number].split(" ") : [corpus.words[number]];
  };

  /** Return the reference words, where the place of each ends, and all places by their start.

      `ends[i]` is the number of the word after the place of word i. `inserted[i]` has the places
      without a reference word before word i, `starting[i]` the place that starts with word i. */
  const split = (corpus, places) => {
    const side = { reference: [], ends: [], starting: [], inserted: [[]] };
    for (const place of places) {
      const found = words(corpus, place, place.reference);
      if (!found.length) side.inserted.at(-1).push(place);
      else side.starting[side.reference.length] = place;
      const end = side.reference.length + found.length;
      for (const word of found) {
        side.reference.push(word);
        side.ends.push(end);
        side.inserted.push([]);
      }
    }
    return side;
  };

  const sameReference = (sides) => sides.every(({ reference }) =>
    reference.length === sides[0].reference.length
    && reference.every((word, i) => word === sides[0].reference[i]));

  /** Return the number of the word after the column that starts with word i.

      A column has the words of a forgiven block, and those of the blocks of other systems that
      overlap with it. */
  const columnEnd = (sides, start) => {
    let end = start + 1;
    for (let i = start; i < end; i += 1) {
      end = Math.max(end, ...sides.map(({ ends }) => ends[i]));
    }
    return end;
  };

  /** Return the places of a side from word `start` to the word before `end`. */
  const between = ({ starting, inserted }, start, end) => {
    const found = [];
    for (let i = start; i < end; i += 1) {
      if (i > start) found.push(...inserted[i]);
      if (starting[i]) found.push(starting[i]);
    }
    return found;
  };

  /** Return the number of the first word of the column that has word i. */
  const columnStart = (sides, i) => {
    let start = i;
    while (start > 0 && sides.some(({ ends }) => ends[start - 1] > start)) start -= 1;
    return start;
  };

  /** Return the columns: reference words, usually one, or an insertion, with every system's places.

      They are those of the words from `from` to the word before `to`; `at` is the first word. */
  const columns = (sides, from, to) => {
    const { reference } = sides[0];
    const found = [];
    const last = to < reference.length ? to - 1 : reference.length;
    for (let i = columnStart(sides, from); i <= last;) {
      const most = Math.max(...sides.map(({ inserted }) => inserted[i].length));
      for (let k = 0; k < most; k += 1) {
        const places = sides.map(({ inserted }) => inserted[i].slice(k, k + 1));
        found.push({ at: i, words: [], places });
      }
      if (i === reference.length) break;
      const [start, end] = [i, columnEnd(sides, i)];
      const places = sides.map((side) => between(side, start, end));
      found.push({ at: start, words: reference.slice(start, end), places });
      i = end;
    }
    return found;
  };

  const costShown = (cost) => (Number.isNaN(cost) ? "?" : cost.toFixed(2));

  const hypothesisText = (corpus, { hypothesis }) => (hypothesis < 0 ? "∅" : corpus.words[hypothesis]);

  /** Return a forgiven difference in words: what the hypothesis has for what the reference has. */
  const forgivenText = (corpus, place) => {
    const reference = place.reference < 0 ? "∅" : corpus.words[place.reference];
    return `${hypothesisText(corpus, place)} for ${reference}`;
  };

  const cell = (corpus, place) => {
    const { kind, cost, family, spacing } = place;
    const word = make("bdi", {}, hypothesisText(corpus, place));
    if (kind === "hit") return make("span", { class: "cell hit" }, word);
    if (kind === "forgiven") {
      const title = `forgiven, ${family}: ${forgivenText(corpus, place)}`;
      return make("span", { class: "cell forgiven", title }, word, make("small", {}, family));
    }
    const step = Math.ceil(STEPS * Math.min(Math.max(Number.isNaN(cost) ? 1 : cost, 0), 1));
    const plain = cost === 1 ? "" : costShown(cost);
    const why = spacing ? ", spacing (a word split or joined)" : "";
    return make(
      "span",
      { class: `cell ${kind} cost-${step}`, title: `${kind}${why}, cost ${costShown(cost)}` },
      word,
      make("small", {}, `${LETTERS[kind]}${spacing ? "␣" : ""}${plain && ` ${plain}`}`),
    );
  };

  /** Return the cell of one system: its places, usually one. */
  const cells = (corpus, places) => {
    if (!places.length) return make("span", { class: "cell" }, "\u00a0");
    if (places.length === 1) return cell(corpus, places[0]);
    return make("span", { class: "cells" }, ...places.map((place) => cell(corpus, place)));
  };

  const column = (corpus, { at, words: found, places }) => {
    const tag = found.length ? places.flat().find(({ reference }) => reference >= 0).tag : "";
    const reference = found.length
      ? make("span", { class: "cell", title: tag || null }, make("bdi", {}, found.join(" ")))
      : make("span", { class: "cell gap" }, "\u00a0");
    return make("span", { class: "column", "data-word": at }, reference, ...places.map((one) => cells(corpus, one)));
  };

  /** Add names at the start of each line of columns; the layout decides where lines begin. */
  const label = (block, names) => {
    for (const old of block.querySelectorAll(".names")) old.remove();
    const tops = new Set([...block.querySelectorAll(".column")].map((one) => one.offsetTop));
    for (const top of tops) {
      const stack = make("span", { class: "names", "aria-hidden": "true" },
        ...names.map((name) => make("span", { class: "cell", title: name }, make("bdi", {}, name))));
      stack.style.top = `${top}px`;
      block.append(stack);
    }
  };

  /** Return the errors and the forgiven differences in words, for screen readers. */
  const errorText = (corpus, system, s, columnsShown) => {
    const differences = [];
    for (const { places } of columnsShown) {
      if (differences.length >= AT_ONCE) break;
      for (const place of places[s]) if (place.kind !== "hit") differences.push(place);
    }
    const word = (id) => corpus.words[id];
    const texts = differences.map((place) => {
      const { kind, reference, hypothesis, cost } = place;
      if (kind === "forgiven") return `${forgivenText(corpus, place)} forgiven`;
      const price = cost === 1 ? "" : `, cost ${costShown(cost)}`;
      if (kind === "deletion") return `${word(reference)} deleted${price}`;
      if (kind === "insertion") return `${word(hypothesis)} inserted${price}`;
      return `${word(hypothesis)} for ${word(reference)}${price}`;
    });
    return `${system}: ${texts.length ? texts.join("; ") : "no errors"}`;
  };

  /** Return the elements of an alignment; a long one scrolls in a box.

      It begins shortly before word `at`. */
  const block = (corpus, systems, sides, { from = 0, to = Infinity, at = 0 }) => {
    const all = columns(sides, from, to);
    const made = make("div", { class: "alignment", dir: direction(sides[0].reference) });
    const names = ["reference", ...systems];
    const jump = at > 0 ? Math.max(0, all.findIndex((one) => one.at >= at) - BEFORE) : 0;
    let [first, next] = [jump, jump];
    const earlier = make("button", { type: "button" });
    const more = make("button", { type: "button" });
    const draw = (start, end) => {
      const drawn = all.slice(start, end).map((one) => column(corpus, one));
      if (start < first) earlier.after(...drawn);
      else if (made.contains(more)) more.before(...drawn);
      else made.append(...drawn);
      [first, next] = [Math.min(first, start), Math.max(next, Math.min(end, all.length))];
      earlier.textContent = `Show ${first} earlier places`;
      more.textContent = `Show ${all.length - next} more places`;
      if (first) made.prepend(earlier);
      else earlier.remove();
      if (next < all.length) made.append(more);
      else more.remove();
    };
    more.addEventListener("click", () => {
      draw(next, next + AT_ONCE);
      label(made, names);
    });
    earlier.addEventListener("click", () => {
      draw(Math.max(0, first - AT_ONCE), first);
      label(made, names);
    });
    draw(jump, jump + AT_ONCE);
    new ResizeObserver(() => label(made, names)).observe(made);
    const descriptions = systems.map((system, s) => make("li", { dir: "auto" },
      errorText(corpus, system, s, all.slice(jump))));
    const unseen = make("ul", { class: "unseen" }, ...descriptions);
    if (all.length <= LONG) return [unseen, made];
    return [unseen, make("div", { class: "long", tabindex: 0, role: "region",
      "aria-label": "aligned words" }, made)];
  };

  // The sides of the utterance that was shown last: passages and jumps read the same one again.
  let last = { key: [], sides: [] };
  const sidesOf = (corpus, layer, priced, u) => {
    const key = [corpus, layer, priced, u, ...corpus.shown];
    if (key.length !== last.key.length || key.some((one, at) => one !== last.key[at])) {
      last = { key, sides: corpus.shown.map((s) => split(corpus, corpus.alignment(layer, s, u, priced))) };
    }
    return last.sides;
  };

  /** Return the elements that show an utterance's alignments with the shown systems.

      `part` has the reference words to show, `from` and `to`, or the word to begin with, `at`. */
  misword.aligned = (corpus, layer, priced, u, part = {}) => {
    const systems = corpus.shown.map((s) => corpus.systems[s]);
    const sides = sidesOf(corpus, layer, priced, u);
    if (sameReference(sides)) return block(corpus, systems, sides, part);
    // References with alternatives: each system was measured against the reading that fits it best.
    return systems.flatMap((system, s) => block(corpus, [system], [sides[s]], part));
  };

  /** Return the reference word at which a system's longest run of errors begins. */
  misword.longestRun = (corpus, s, u) => {
    let [word, run, start, longest, found] = [0, 0, 0, 0, 0];
    for (const place of corpus.alignment(0, s, u)) {
      const wrong = place.kind !== "hit" && place.kind !== "forgiven";
      if (wrong && !run) start = word;
      run = wrong ? run + 1 : 0;
      if (run > longest) [longest, found] = [run, start];
      word += words(corpus, place, place.reference).length;
    }
    return found;
  };

  // Alignments of single utterances within a section; several read the same data.
  const corpora = {};
  for (const place of document.querySelectorAll("[data-aligned]")) {
    const { aligned: id, utt } = place.dataset;
    corpora[id] ??= new misword.Corpus(misword.read(id));
    place.replaceChildren(...misword.aligned(corpora[id], 0, -1, corpora[id].ids.indexOf(utt)));
  }
})();
