"use strict";
/* Filters that a click elsewhere on the page makes; each is a chip that the reader can remove. */
(() => {
  const make = misword.make;
  const DIFFERENCES = {
    substitution: (reference, hypothesis) => `“${hypothesis}” for “${reference}”`,
    deletion: (reference) => `“${reference}” deleted`,
    insertion: (_, hypothesis) => `“${hypothesis}” inserted`,
    forgiven: (reference, hypothesis) => `“${hypothesis ?? "∅"}” for “${reference ?? "∅"}”, forgiven`,
  };
  const isText = (value) => typeof value === "string";
  const isWord = (value) => value === null || isText(value);

  class Chips {
    /** `changed` is called after each change. A chip is written as misword.report.explorer.links. */
    constructor(corpus, fields, changed) {
      Object.assign(this, { corpus, fields, changed, chips: [] });
      this.difference = misword.differences(corpus);
      this.element = make("ul", { class: "chips", "aria-label": "filters that were clicked", hidden: true });
    }

    /** Return the chip that a list of values describes; null if this page has no such thing. */
    resolve(written) {
      if (!Array.isArray(written)) return null;
      const [kind, ...values] = written;
      if (kind === "is" && values.length === 3 && values.every(isText)) return this.value(written, ...values);
      if (kind === "difference" && values.length === 4) return this.differenceChip(written, ...values);
      return null;
    }

    value(written, group, name, value) {
      const field = this.fields.find((one) => one.group === group && one.name === name);
      if (!field) return null;
      const chip = { written, field, slot: field, text: `${name}: ${value === "" ? "(none)" : value}` };
      if (field.choices) return field.choices.includes(value) ? { ...chip, choice: value } : null;
      const number = value.trim() === "" ? NaN : Number(value);
      return Number.isFinite(number) ? { ...chip, low: number, high: number } : null;
    }

    differenceChip(written, kind, reference, hypothesis, system) {
      if (!Object.hasOwn(DIFFERENCES, kind) || ![reference, hypothesis, system].every(isWord)) return null;
      const { layers, systems } = this.corpus;
      if (!layers.length || (system !== null && !systems.includes(system))) return null;
      const choice = { kind, reference, hypothesis, system };
      const of = system === null || systems.length < 2 ? "" : ` in ${system}`;
      const text = `${DIFFERENCES[kind](reference, hypothesis)}${of}`;
      return { written, field: this.difference, slot: this.difference, choice, text };
    }

    /** Show these chips; chips of other fields stay if `keep`. */
    set(chips, keep) {
      const slots = new Set(chips.map(({ slot }) => slot));
      const kept = keep ? this.chips.filter(({ slot }) => !slots.has(slot)) : [];
      this.chips = [...kept, ...chips];
      this.draw();
    }

    draw() {
      this.element.hidden = !this.chips.length;
      this.element.replaceChildren(...this.chips.map((chip, at) => {
        const remove = make("button", { type: "button", "aria-label": `remove filter: ${chip.text}` }, "×");
        remove.addEventListener("click", () => {
          this.chips.splice(at, 1);
          this.draw();
          this.element.querySelectorAll("button")[Math.min(at, this.chips.length - 1)]?.focus();
          this.changed();
        });
        return make("li", {}, make("bdi", {}, chip.text), remove);
      }));
    }

    /** Return the conditions of all chips. */
    read() {
      return this.chips;
    }
  }

  /** Make a button of a text with conditions; `chosen` is called with its chips. */
  misword.filterButton = (place, chips, chosen) => {
    const button = make("button", { type: "button", class: "link filter",
      title: "show these utterances" });
    button.append(...place.childNodes);
    button.addEventListener("click", () => chosen(chips));
    place.replaceChildren(button);
  };

  misword.Chips = Chips;
})();
