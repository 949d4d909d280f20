"use strict";
/* The N-best lists of one utterance: ranks, texts, features, rates, and what was chosen by what. */
(() => {
  const make = misword.make;

  const cell = (text, kind = "num") => make("td", { class: kind, dir: kind === "num" ? null : "auto" }, text);

  const feature = (value) => (Number.isNaN(value) ? "" : String(Number(value.toPrecision(6))));

  /** Return the table of one system's list. */
  const table = (lists, list, name, several) => {
    const anyChosen = list.chosen.some((by) => by !== "");
    const heads = ["rank", ...(anyChosen ? ["chosen by"] : []), "text", ...lists.features,
      ...lists.metrics.map((metric) => `${metric}, %`)];
    const numbers = (row) => [
      ...lists.features.map((_, f) => cell(feature(list.numbers[f][row]))),
      ...lists.metrics.map((_, m) =>
        cell(misword.percent(list.numbers[lists.features.length + m][row]))),
    ];
    const rows = list.texts.map((text, row) => make("tr",
      { class: list.chosen[row] ? "chosen" : null },
      cell(String(list.ranks[row])),
      ...(anyChosen ? [cell(list.chosen[row], "who")] : []),
      cell(text, "wide"), ...numbers(row)));
    const title = several ? `N-best list of ${name}` : "N-best list";
    return [make("h5", {}, make("bdi", {}, title)),
      make("div", { class: "scroll", tabindex: 0 }, make("table", { class: "small nbest", "aria-label": title },
        make("thead", {}, make("tr", {}, ...heads.map((head) =>
          make("th", { scope: "col", class: ["text", "chosen by"].includes(head) ? null : "num" }, head)))),
        make("tbody", {}, ...rows)))];
  };

  /** Return the elements that show the lists of an utterance; none for systems without a list. */
  misword.nbest = (corpus, u) => corpus.shown.flatMap((s) => {
    const [name, list] = [corpus.systems[s], corpus.list(s, u)];
    return list?.texts.length ? table(corpus.lists, list, name, corpus.systems.length > 1) : [];
  });
})();
