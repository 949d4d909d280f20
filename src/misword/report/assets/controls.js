"use strict";
/* Controls of lists: fields with labels, a choice of columns, and filters. */
(() => {
  const make = misword.make;

  let controls = 0;
  const labelled = (text, control, kind = "") => {
    controls += 1;
    control.id = `control-${controls}`;
    return make("span", { class: `field ${kind}` }, make("label", { for: control.id }, text), control);
  };

  /** Return a select element with the fields in groups. */
  const fieldChoice = (fields, first) => {
    const control = make("select", {});
    if (first) control.append(make("option", { value: "" }, first));
    for (const group of new Set(fields.map((field) => field.group))) {
      const members = fields.filter((field) => field.group === group);
      control.append(make("optgroup", { label: group },
        ...members.map(({ key, name }) => make("option", { value: key }, name))));
    }
    return control;
  };

  const numberOf = ({ value }) => (value.trim() === "" ? null : Number(value));

  /** One filter: a field, and a range or a choice of its values. */
  class Condition {
    constructor(fields, number, changed, removed) {
      this.fields = fields;
      this.changed = changed;
      this.field = fieldChoice(fields, "");
      this.inputs = make("span", { class: "inputs" });
      const remove = make("button", { type: "button", "aria-label": `remove filter ${number}` }, "×");
      remove.addEventListener("click", () => removed(this));
      this.element = make("div", { class: "condition", role: "group",
        "aria-label": `filter ${number}` },
      labelled("Filter by", this.field), this.inputs, remove);
      this.field.addEventListener("change", () => {
        this.offer();
        changed();
      });
      this.offer();
    }

    offer() {
      const { choices, label } = this.chosen;
      if (choices) {
        this.choice = make("select", {}, make("option", { value: "" }, "any"));
        choices.forEach((name, at) =>
          this.choice.append(make("option", { value: at }, name === "" ? "(none)" : name)));
        this.inputs.replaceChildren(labelled(label ?? "Value", this.choice));
      } else {
        [this.low, this.high] = ["from", "to"].map((name) =>
          make("input", { type: "number", step: "any", name, inputmode: "decimal" }));
        this.inputs.replaceChildren(labelled("From", this.low), labelled("To", this.high));
      }
      for (const input of this.inputs.querySelectorAll("input, select")) {
        input.addEventListener("input", this.changed);
      }
    }

    get chosen() {
      return this.fields[Number(this.field.value)];
    }

    /** Show a condition as `read` returns it. */
    write({ field, choice, low, high }) {
      this.field.value = String(field.key);
      this.offer();
      if (field.choices) this.choice.value = choice === null ? "" : String(field.choices.indexOf(choice));
      else [this.low.value, this.high.value] = [low ?? "", high ?? ""];
    }

    read() {
      const field = this.chosen;
      if (!field.choices) return { field, low: numberOf(this.low), high: numberOf(this.high) };
      const at = this.choice.value;
      return { field, choice: at === "" ? null : field.choices[Number(at)] };
    }
  }

  /** All filters of a list; `changed` is called after each change, `removed` after a removal. */
  class Filters {
    constructor(fields, changed, removed) {
      Object.assign(this, { fields, changed, removed, conditions: [], made: 0 });
      this.element = make("div", { class: "conditions" });
      this.button = make("button", { type: "button" }, "Add a filter");
      this.button.addEventListener("click", () => this.add().field.focus());
      this.add();
    }

    add() {
      this.made += 1;
      const condition = new Condition(this.fields, this.made, this.changed, (gone) => {
        this.conditions = this.conditions.filter((one) => one !== gone);
        gone.element.remove();
        this.removed();
      });
      this.conditions.push(condition);
      this.element.append(condition.element);
      return condition;
    }

    reset() {
      for (const { element } of this.conditions) element.remove();
      this.conditions = [];
      this.add();
    }

    /** Show these conditions and no others. */
    write(conditions) {
      this.reset();
      conditions.forEach((condition, at) => (at ? this.add() : this.conditions[0]).write(condition));
    }

    read() {
      return this.conditions.map((condition) => condition.read());
    }
  }

  Object.assign(misword, { labelled, fieldChoice, Filters });
})();
