"use strict";
/* One utterance: the reference over every system's hypothesis, word by word. Errors have a letter,
   a line under them and a background whose strength is the cost; forgiven differences of writing
   have the name of their family and a colour of their own. */
(() => {
  const make = misword.make;
  const LETTERS = { substitution: "S", insertion: "I", deletion: "D" };
  const STEPS = 5;
  const AT_ONCE = 1500; // places drawn until the reader clicks for more
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

  /** Return the columns: reference words, usually one, or an insertion, with every system's places. */
  const columns = (sides) => {
    const { reference } = sides[0];
    const found = [];
    for (let i = 0; i <= reference.length;) {
      const most = Math.max(...sides.map(({ inserted }) => inserted[i].length));
      for (let k = 0; k < most; k += 1) {
        found.push({ words: [], places: sides.map(({ inserted }) => inserted[i].slice(k, k + 1)) });
      }
      if (i === reference.length) break;
      const [start, end] = [i, columnEnd(sides, i)];
      const places = sides.map((side) => between(side, start, end));
      found.push({ words: reference.slice(start, end), places });
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

  const column = (corpus, { words: found, places }) => {
    const tag = found.length ? places.flat().find(({ reference }) => reference >= 0).tag : "";
    const reference = found.length
      ? make("span", { class: "cell", title: tag || null }, make("bdi", {}, found.join(" ")))
      : make("span", { class: "cell gap" }, "\u00a0");
    return make("span", { class: "column" }, reference, ...places.map((one) => cells(corpus, one)));
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
  const errorText = (corpus, system, places) => {
    const differences = places.filter(({ kind }) => kind !== "hit").slice(0, AT_ONCE);
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

  const block = (corpus, systems, sides, alignments) => {
    const all = columns(sides);
    const made = make("div", { class: "alignment", dir: direction(sides[0].reference) });
    const names = ["reference", ...systems];
    let drawn = 0;
    const more = make("button", { type: "button" });
    const draw = (limit) => {
      more.remove();
      made.append(...all.slice(drawn, limit).map((one) => column(corpus, one)));
      drawn = Math.min(limit, all.length);
      if (drawn < all.length) {
        more.textContent = `Show ${all.length - drawn} more places`;
        made.append(more);
      }
    };
    more.addEventListener("click", () => {
      draw(drawn + AT_ONCE);
      label(made, names);
    });
    draw(AT_ONCE);
    new ResizeObserver(() => label(made, names)).observe(made);
    const descriptions = systems.map((system, s) =>
      make("li", { dir: "auto" }, errorText(corpus, system, alignments[s])));
    return [make("ul", { class: "unseen" }, ...descriptions), made];
  };

  /** Return the elements that show an utterance's alignments with the shown systems. */
  misword.aligned = (corpus, layer, priced, u) => {
    const systems = corpus.shown.map((s) => corpus.systems[s]);
    const alignments = corpus.shown.map((s) => corpus.alignment(layer, s, u, priced));
    const sides = alignments.map((places) => split(corpus, places));
    if (sameReference(sides)) return block(corpus, systems, sides, alignments);
    // References with alternatives: each system was measured against the reading that fits it best.
    return systems.flatMap((system, s) => block(corpus, [system], [sides[s]], [alignments[s]]));
  };

  // Alignments of single utterances within a section; several read the same data.
  const corpora = {};
  for (const place of document.querySelectorAll("[data-aligned]")) {
    const { aligned: id, utt } = place.dataset;
    corpora[id] ??= new misword.Corpus(misword.read(id));
    place.replaceChildren(...misword.aligned(corpora[id], 0, -1, corpora[id].ids.indexOf(utt)));
  }
})();
