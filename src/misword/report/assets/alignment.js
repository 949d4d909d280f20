"use strict";
/* One utterance: the reference over every system's hypothesis, word by word. Errors have a letter,
   a line under them and a background whose strength is the cost. */
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

  /** Return the reference words, and the insertions before each of them and at the end. */
  const split = (places) => {
    const [words, inserted] = [[], [[]]];
    for (const place of places) {
      if (place.kind === "insertion") inserted.at(-1).push(place);
      else {
        words.push(place);
        inserted.push([]);
      }
    }
    return { words, inserted };
  };

  const sameReference = (sides) => sides.every(({ words }) =>
    words.length === sides[0].words.length
    && words.every(({ reference }, i) => reference === sides[0].words[i].reference));

  /** Return the columns: one reference word or one insertion, with every system's place. */
  const columns = (sides) => {
    const found = [];
    for (let i = 0; i <= sides[0].words.length; i += 1) {
      const most = Math.max(...sides.map(({ inserted }) => inserted[i].length));
      for (let k = 0; k < most; k += 1) found.push(sides.map(({ inserted }) => inserted[i][k]));
      if (i < sides[0].words.length) found.push(sides.map(({ words }) => words[i]));
    }
    return found;
  };

  const costShown = (cost) => (Number.isNaN(cost) ? "?" : cost.toFixed(2));

  const cell = (corpus, place) => {
    if (!place) return make("span", { class: "cell" }, "\u00a0");
    const { kind, hypothesis, cost } = place;
    const word = hypothesis < 0 ? "∅" : corpus.words[hypothesis];
    if (kind === "hit") return make("span", { class: "cell hit" }, make("bdi", {}, word));
    const step = Math.ceil(STEPS * Math.min(Math.max(Number.isNaN(cost) ? 1 : cost, 0), 1));
    const plain = cost === 1 ? "" : costShown(cost);
    return make(
      "span",
      { class: `cell ${kind} cost-${step}`, title: `${kind}, cost ${costShown(cost)}` },
      make("bdi", {}, word),
      make("small", {}, `${LETTERS[kind]}${plain && ` ${plain}`}`),
    );
  };

  const column = (corpus, places) => {
    const word = places.find(Boolean).reference;
    const tag = places.find(Boolean).kind === "insertion" ? "" : places.find(Boolean).tag;
    const reference = word < 0
      ? make("span", { class: "cell gap" }, "\u00a0")
      : make("span", { class: "cell", title: tag || null }, make("bdi", {}, corpus.words[word]));
    return make("span", { class: "column" }, reference, ...places.map((p) => cell(corpus, p)));
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

  /** Return the errors in words, for screen readers. */
  const errorText = (corpus, system, places) => {
    const errors = places.filter(({ kind }) => kind !== "hit").slice(0, AT_ONCE);
    const word = (id) => corpus.words[id];
    const texts = errors.map(({ kind, reference, hypothesis, cost }) => {
      const price = cost === 1 ? "" : `, cost ${costShown(cost)}`;
      if (kind === "deletion") return `${word(reference)} deleted${price}`;
      if (kind === "insertion") return `${word(hypothesis)} inserted${price}`;
      return `${word(hypothesis)} for ${word(reference)}${price}`;
    });
    return `${system}: ${texts.length ? texts.join("; ") : "no errors"}`;
  };

  const watcher = new ResizeObserver((entries) => {
    for (const { target } of entries) label(target, target.names);
  });

  const block = (corpus, systems, sides, alignments) => {
    const all = columns(sides);
    const words = sides[0].words.map(({ reference }) => corpus.words[reference]);
    const made = make("div", { class: "alignment", dir: direction(words) });
    made.names = ["reference", ...systems];
    let drawn = 0;
    const more = make("button", { type: "button" });
    const draw = (limit) => {
      more.remove();
      made.append(...all.slice(drawn, limit).map((places) => column(corpus, places)));
      drawn = Math.min(limit, all.length);
      if (drawn < all.length) {
        more.textContent = `Show ${all.length - drawn} more places`;
        made.append(more);
      }
    };
    more.addEventListener("click", () => {
      draw(drawn + AT_ONCE);
      label(made, made.names);
    });
    draw(AT_ONCE);
    watcher.observe(made);
    const descriptions = systems.map((system, s) =>
      make("li", { dir: "auto" }, errorText(corpus, system, alignments[s])));
    return [make("ul", { class: "unseen" }, ...descriptions), made];
  };

  /** Return the elements that show an utterance's alignments. */
  misword.aligned = (corpus, layer, priced, u) => {
    watcher.disconnect();
    const alignments = corpus.systems.map((_, s) => corpus.alignment(layer, s, u, priced));
    const sides = alignments.map(split);
    if (sameReference(sides)) return block(corpus, corpus.systems, sides, alignments);
    // References with alternatives: each system was measured against the reading that fits it best.
    return corpus.systems.flatMap((system, s) =>
      block(corpus, [system], [sides[s]], [alignments[s]]));
  };
})();
