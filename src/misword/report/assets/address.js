"use strict";
/* The state of an explorer in the address of the page, after the sign #.

   `#r0-explore?q=loaf&u=utt1` is the explorer of the first result. The parameters are: q (search),
   f (a filter of the form, as a JSON list), c (a chip, as a JSON list), o (order: group and name of
   the field as a JSON list, or an empty text), d=up (lowest first), p (alignment and cost), s (a
   shown system), u (the opened utterance). What has its usual value is left out. */
(() => {
  const LONGEST = 100000; // characters of an address that are read
  const MOST = 100; // filters and chips
  // Changes of which a series is one step back in the browser's history.
  const SERIES = new Set(["search", "filter", "utterance"]);

  const parsed = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  };

  const finite = (value) => (typeof value === "number" && Number.isFinite(value) ? value : null);

  /** Return a condition of the form as a list of values. */
  const written = ({ field, choice, low, high }) =>
    [field.group, field.name, ...(field.choices ? [choice] : [low, high])];

  /** Return the field that the first two of some values name; undefined if there is none. */
  const fieldOf = (fields, values) => {
    const [group, name] = Array.isArray(values) ? values : [];
    return fields.find((one) => one.group === group && one.name === name);
  };

  /** Return the condition that a list of values describes; null if there is no such thing. */
  const condition = (fields, values) => {
    const field = fieldOf(fields, values);
    if (!field) return null;
    const [first, second] = values.slice(2);
    if (field.choices) return field.choices.includes(first) ? { field, choice: first } : null;
    return { field, low: finite(first), high: finite(second) };
  };

  const isSet = ({ choice, low, high }) => [choice, low, high].some((value) => (value ?? null) !== null);

  class Address {
    /** `names` are the ids of the explorers; `restore(id, state)` shows a state, or the first one. */
    constructor(names, restore) {
      Object.assign(this, { names, restore, last: "" });
      addEventListener("hashchange", () => this.read());
    }

    /** Show the state that the address names; return whether it names one. */
    read() {
      this.last = "";
      const hash = location.hash.slice(1, LONGEST);
      const [id, ...rest] = hash.split("?");
      if (hash === "") this.names.forEach((name) => this.restore(name, new URLSearchParams()));
      if (!this.names.includes(id)) return false;
      this.restore(id, new URLSearchParams(rest.join("?")));
      return true;
    }

    /** Put a state into the address; `change` is the kind of the change. */
    write(id, state, change) {
      const hash = `#${id}${state.size ? `?${state}` : ""}`;
      if (hash === location.hash || (location.hash === "" && !state.size)) return;
      const same = change === this.last && SERIES.has(change);
      this.last = change;
      try {
        history[same ? "replaceState" : "pushState"](null, "", hash);
      } catch {
        this.last = ""; // browsers limit the number of changes in a short time
      }
    }
  }

  /** Return the state of an explorer as parameters. */
  const stateOf = (explorer) => {
    const { corpus, query, filters, chips, fields, order, descending, price, list, usual } = explorer;
    const found = new URLSearchParams();
    const add = (name, value, without) => {
      if (value !== without) found.append(name, value);
    };
    add("q", query.value, "");
    for (const one of filters.read().filter(isSet)) found.append("f", JSON.stringify(written(one)));
    for (const chip of chips.chips) found.append("c", JSON.stringify(chip.written));
    if (order.value !== usual.order) {
      const field = fields[Number(order.value)];
      found.append("o", order.value === "" ? "" : JSON.stringify([field.group, field.name]));
    }
    add("d", descending.value === "" ? "up" : "", "");
    add("p", price.value, usual.price);
    if (corpus.shown.length < corpus.systems.length) {
      for (const s of corpus.shown) found.append("s", corpus.systems[s]);
    }
    if (list.at > 0) found.append("u", corpus.ids[list.items[list.at]]);
    return found;
  };

  /** Show a state; return the number of its parts that this page does not have. */
  const showState = (explorer, state) => {
    const { corpus, query, filters, chips, fields, order, descending, price, usual } = explorer;
    let ignored = 0;
    const known = (found) => found.filter((one) => one !== null || !(ignored += 1));
    const lists = (name) => state.getAll(name).slice(0, MOST).map(parsed);
    const choose = (control, value) => {
      const has = [...control.options].some((option) => option.value === value);
      if (has) control.value = value;
      else ignored += 1;
    };
    query.value = state.get("q") ?? "";
    filters.write(known(lists("f").map((values) => condition(fields, values))));
    chips.set(known(lists("c").map((values) => chips.resolve(values))), false);
    order.value = usual.order;
    if (state.get("o") === "") order.value = "";
    else if (state.has("o")) choose(order, String(fieldOf(fields, parsed(state.get("o")))?.key));
    descending.value = state.get("d") === "up" ? "" : "1";
    price.value = usual.price;
    if (state.has("p")) choose(price, state.get("p"));
    const systems = known(state.getAll("s").map((name) => (corpus.systems.includes(name) ? name : null)));
    explorer.showSystems(systems);
    explorer.update();
    if (state.has("u")) {
      const at = explorer.list.items.indexOf(corpus.ids.indexOf(state.get("u")));
      if (at < 0) ignored += 1;
      else explorer.quietly(() => explorer.list.select(at));
    }
    return ignored;
  };

  Object.assign(misword, { Address, stateOf, showState });
})();
