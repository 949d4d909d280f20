"use strict";
/* A list with search, filters, order and details: drafts, entries of lexicons, triplets and others
   derive their own list from it. */
(() => {
  const { make, labelled, fieldChoice } = misword;

  /** Rows that can be searched: a class derived from it has `size` and `lines(row)`. */
  class Rows {
    /** Set `kept` to 0 for rows in which the needle does not occur. */
    search(needle, kept) {
      misword.searchText(this.searchText(), needle, kept);
    }

    /** Return all texts in lower case as one string, as `misword.searchText` searches it. */
    searchText() {
      if (this.text) return this.text;
      const starts = new Uint32Array(this.size + 1);
      const parts = [];
      for (let row = 0; row < this.size; row += 1) {
        const text = this.lines(row).join("\n").normalize("NFC").toLowerCase();
        const part = `${text.replace(/[^\S\n]+/g, " ")}\n`;
        parts.push(part);
        starts[row + 1] = starts[row] + part.length;
      }
      this.text = { all: parts.join(""), starts };
      return this.text;
    }
  }

  /** Return a field for filters and order whose values are numbers. */
  const numberField = (name, values) => ({ name, scale: 1, values: () => values });

  /** Return fields with the key and the group that the controls need. */
  const numbered = (fields, group) =>
    fields.map((field, key) => ({ group, ...field, key }));

  /** Return where the members of each row start in a flat array, from the numbers of members. */
  const startsOf = (lengths) => {
    const starts = new Uint32Array(lengths.length + 1);
    lengths.forEach((length, row) => { starts[row + 1] = starts[row] + length; });
    return starts;
  };

  /** Return a table of cells; `isNumber(column)` says which headings are flush right. */
  const smallTable = (label, heads, lines, isNumber) => {
    const head = heads.map((text, at) =>
      make("th", { scope: "col", class: isNumber(at) ? "num" : null }, make("bdi", {}, text)));
    return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
      make("table", { class: "small", "aria-label": label },
        make("thead", {}, make("tr", {}, ...head)),
        make("tbody", {}, ...lines.map((cells) => make("tr", {}, ...cells)))));
  };

  const lists = [];

  /** The list. A derived class defines `headings()`, `fill(element, row)` and `details(row)`, and may
      define `counts()`, `buttons()`, `falling(field)` and `key(event)`. */
  class EntryList {
    /** `names` has the name of one row (`one`) and of several (`several`), the label of the search
        (`search`), the name of the rows' own order (`order`), and that of the field by which they
        are ordered at first (`start`), if it is another one. */
    constructor(place, rows, names) {
      Object.assign(this, { rows, names, found: 0 });
      this.fields = rows.fields();
      this.build(place);
      this.update();
      lists.push(this);
    }

    build(place) {
      const update = misword.debounced(60, () => this.update());
      this.query = make("input", { type: "search", name: "search", autocomplete: "off",
        spellcheck: "false", dir: "auto" });
      this.query.addEventListener("input", update);
      this.order = fieldChoice(this.fields.filter(({ within }) => !within), this.names.order);
      this.order.value = this.fields.find(({ name }) => name === this.names.start)?.key ?? "";
      this.descending = make("select", {}, make("option", { value: "" }, "usual direction"),
        make("option", { value: "1" }, "reversed"));
      for (const control of [this.order, this.descending]) control.addEventListener("change", update);
      this.filters = new misword.Filters(this.fields, update, () => {
        this.update();
        this.query.focus();
      });
      const reset = this.button("Reset", () => this.reset());
      this.count = make("p", { class: "count", role: "status", "aria-live": "polite" });
      this.list = new misword.List(`${place.id}-row`, this.names.several,
        (element, row) => this.fill(element, row), (row) => this.show(row));
      this.list.box.addEventListener("keydown", (event) => this.key(event));
      this.detail = make("div", { class: "detail", role: "region", "aria-label": this.names.one });
      place.append(
        make("div", { class: "controls", role: "search" },
          labelled(this.names.search, this.query, "wide"),
          labelled("Order by", this.order), labelled("Direction", this.descending),
          this.filters.element,
          make("div", { class: "buttons" }, this.filters.button, reset, ...this.buttons())),
        this.count,
        make("div", { class: "table" },
          make("div", { class: "row head", "aria-hidden": "true" }, ...this.headings()), this.list.box),
        this.detail,
      );
    }

    button(name, call) {
      const made = make("button", { type: "button" }, name);
      made.addEventListener("click", call);
      return made;
    }

    /** Return a cell of text; its tooltip has the whole text. */
    cell(kind, text) {
      return make("span", { class: kind, dir: "auto", title: text }, text);
    }

    buttons() {
      return [];
    }

    key() {}

    reset() {
      this.query.value = "";
      this.filters.reset();
      this.update();
    }

    update() {
      const found = misword.matching(this.rows, this.query.value, this.filters.read());
      const field = this.order.value === "" ? null : this.fields[Number(this.order.value)];
      this.found = found.length;
      const falls = Boolean(field && !field.choices && this.falling(field));
      this.list.show(misword.ordered(found, field, falls !== (this.descending.value !== "")));
      this.countRows();
    }

    /** Whether the usual direction of a field of numbers is from the highest on. */
    falling() {
      return true;
    }

    countRows() {
      const shown = (number) => number.toLocaleString("en");
      this.count.textContent =
        `${shown(this.found)} of ${shown(this.rows.size)} ${this.names.several}${this.counts()}`;
    }

    counts() {
      return "";
    }

    /** Show one row in full. */
    show(row) {
      const none = row === null || row === undefined;
      this.detail.replaceChildren(...(none
        ? [make("p", { class: "note" }, `No ${this.names.one} meets the filters.`)]
        : this.details(row)));
    }
  }

  // The texts for the search are made while the page is idle.
  const idle = window.requestIdleCallback ?? ((call) => setTimeout(call, 50));
  addEventListener("load", () => setTimeout(() => idle(() => {
    for (const { rows } of lists) rows.searchText();
  }), 300));

  Object.assign(misword, { Rows, EntryList, numberField, numbered, startsOf, smallTable });
})();
