"use strict";
/* A scatter plot of two metrics: axes and system to choose, dots to click. */
(() => {
  const { make, labelled, unpack } = misword;
  const CELLS = { x: 110, y: 70 }; // utterances in one cell of this grid are one dot
  const NEAR = 14; // pixels around a dot in which a click is meant for it
  const [SMALLEST, LARGEST] = [22, 420]; // areas of dots, in square pixels
  const TAIL = 0.01; // share of utterances at each end that an axis leaves out if they are far away
  const FAR = 3; // far: the axis would be so many times as long
  const ROW = 30; // as --row in the style sheet
  const MOST_ROWS = 6;

  /** Return the part of an axis that has the values; values beyond are drawn at its end. */
  const range = (values) => {
    const sorted = values.slice().sort();
    const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
    let [low, high] = [at(0), at(1)];
    const body = at(1 - TAIL) - at(TAIL);
    if (body > 0 && high - at(1 - TAIL) > FAR * body) high = at(1 - TAIL);
    if (body > 0 && at(TAIL) - low > FAR * body) low = at(TAIL);
    if (low === high) [low, high] = [low - 1, high + 1];
    return vega.scale("linear")().domain([low, high]).nice(6).domain();
  };

  const pearson = (xs, ys) => {
    const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const [mx, my] = [mean(xs), mean(ys)];
    let [xy, xx, yy] = [0, 0, 0];
    xs.forEach((x, i) => {
      xy += (x - mx) * (ys[i] - my);
      xx += (x - mx) ** 2;
      yy += (ys[i] - my) ** 2;
    });
    return xy / Math.sqrt(xx * yy);
  };

  const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

  /** The utterances, as misword.report.kinds.correlation.scatter writes them. */
  class Points {
    constructor(data) {
      const { ids, systems, metrics, references, hypotheses } = data;
      Object.assign(this, { ids, systems, metrics, references, hypotheses, all: unpack(data.rates) });
    }

    /** Return a metric's rates of a system in percent; NaN where a rate is undefined. */
    rates(metric, system) {
      const start = (metric * this.systems.length + system) * this.ids.length;
      return this.all.subarray(start, start + this.ids.length).map((rate) => 100 * rate);
    }

    /** Return the dots of two metrics, and what the axes need. */
    dots(x, y, system) {
      const [xs, ys] = [this.rates(x, system), this.rates(y, system)];
      const items = Uint32Array.from(this.ids.keys()).filter((u) => !Number.isNaN(xs[u] + ys[u]));
      const [left, right] = [xs, ys].map((values) => Float64Array.from(items, (u) => values[u]));
      if (!items.length) return { dots: [], size: 0, beyond: 0, pearson: NaN, domains: [[0, 1], [0, 1]] };
      const domains = [range(left), range(right)];
      const inside = (value, [low, high]) => Math.min(Math.max(value, low), high);
      const cell = (value, [low, high], cells) =>
        Math.min(Math.floor(((value - low) / (high - low)) * cells), cells - 1);
      const found = new Map();
      let beyond = 0;
      items.forEach((u, i) => {
        const [px, py] = [inside(left[i], domains[0]), inside(right[i], domains[1])];
        beyond += px !== left[i] || py !== right[i] ? 1 : 0;
        const key = cell(px, domains[0], CELLS.x) * CELLS.y + cell(py, domains[1], CELLS.y);
        const dot = found.get(key) ?? { x: 0, y: 0, items: [] };
        dot.x += px;
        dot.y += py;
        dot.items.push(u);
        found.set(key, dot);
      });
      const dots = [...found.values()].map(({ x: sx, y: sy, items: of }) =>
        ({ x: sx / of.length, y: sy / of.length, items: of }));
      // Small dots are drawn over large ones.
      dots.sort((a, b) => b.items.length - a.items.length);
      return { dots, size: items.length, beyond, pearson: pearson(left, right), domains };
    }
  }

  class Scatter {
    constructor(place) {
      this.points = new Points(misword.read(place.dataset.scatter));
      this.at = -1;
      this.build(place);
      this.update();
    }

    build(place) {
      const { metrics, systems } = this.points;
      const choice = (names, chosen) => {
        const control = make("select", {}, ...names.map((name, at) => make("option", { value: at }, name)));
        control.selectedIndex = chosen;
        control.addEventListener("change", () => this.update());
        return control;
      };
      [this.x, this.y, this.system] = [choice(metrics, 0), choice(metrics, 1), choice(systems, 0)];
      this.status = make("p", { class: "count", role: "status", "aria-live": "polite" });
      this.chart = make("div", { class: "chart", tabindex: 0, role: "application" });
      this.chart.addEventListener("keydown", (event) => this.key(event));
      const buttons = ["svg", "png"].map((format) => make("button", { type: "button", "data-format": format,
        "aria-label": `download the scatter plot as ${format.toUpperCase()}` }, format.toUpperCase()));
      this.title = make("h4");
      this.beyond = make("p", { class: "note" });
      const figure = make("figure", {}, make("div", { class: "tools" }, this.title, ...buttons), this.chart,
        this.beyond);
      this.list = new misword.List(`${place.id}-row`, "utterances of the dot",
        (row, u) => this.fill(row, u), (u) => this.show(u));
      this.table = make("div", { class: "table", hidden: true }, this.list.box);
      this.detail = make("div", { class: "detail", role: "region", "aria-label": "utterance" });
      place.append(
        make("div", { class: "controls" }, labelled("Horizontal", this.x), labelled("Vertical", this.y),
          ...(systems.length > 1 ? [labelled("System", this.system)] : [])),
        figure, this.status, this.table, this.detail);
      this.figure = misword.registerFigure(figure,
        { spec: {}, panels: 0, file: "misword-scatter", made: (view) => this.listen(view) });
    }

    /** Draw the dots of the chosen metrics and system. */
    update() {
      const { points } = this;
      const [x, y, system] = [this.x, this.y, this.system].map(({ value }) => Number(value));
      this.names = [x, y].map((metric) => points.metrics[metric]);
      this.plot = points.dots(x, y, system);
      this.at = -1;
      const { dots, size, beyond, pearson: r } = this.plot;
      const shown = Number.isNaN(r) ? "" : `, Pearson correlation ${r.toFixed(2)}`;
      this.title.textContent = `${this.names.join(" and ")} of ${points.systems[system]}: `
        + `${counted(size, "utterance")}${shown}`;
      this.chart.setAttribute("aria-label", `scatter plot of ${this.title.textContent}, ${counted(dots.length, "dot")}`);
      this.beyond.textContent = beyond ? `${counted(beyond, "utterance")} beyond the axes: drawn at their ends.` : "";
      this.status.textContent = "No dot is chosen.";
      this.figure.spec = this.spec();
      if (this.figure.drawn) misword.drawFigure(this.figure);
      this.table.hidden = true;
      this.detail.replaceChildren();
    }

    spec() {
      const { dots, domains } = this.plot;
      const values = dots.map(({ x, y, items }, at) => ({ x, y, at, utterances: items.length,
        area: Math.min(LARGEST, SMALLEST * items.length ** 0.7) }));
      const axis = (field, place) => ({ field, type: "quantitative",
        title: `${this.names[place]}, %`, scale: { domain: domains[place], zero: false, nice: false } });
      const encoding = { x: axis("x", 0), y: axis("y", 1) };
      const area = { field: "area", type: "quantitative", scale: null, legend: null };
      const tooltip = [["x", this.names[0]], ["y", this.names[1]], ["utterances", "utterances"]]
        .map(([field, title]) => ({ field, title, ...(field === "utterances" ? {} : { format: ".1f" }) }));
      return {
        width: "container", height: 380,
        layer: [
          { data: { name: "dots", values },
            mark: { type: "circle", opacity: 0.6, cursor: "pointer" },
            encoding: { ...encoding, size: area, tooltip,
              color: { datum: "utterances", type: "nominal", legend: null } } },
          { data: { name: "chosen", values: [] },
            mark: { type: "point", style: "link", strokeWidth: 2.5, size: 260, opacity: 1 }, encoding },
        ],
      };
    }

    /** Mark the chosen dot in a new view of the chart, and listen to clicks. */
    listen(view) {
      view.addEventListener("click", (event) => {
        const [left, top] = view.origin();
        const box = this.chart.querySelector("svg").getBoundingClientRect();
        this.choose(this.nearest(view, event.clientX - box.left - left, event.clientY - box.top - top));
      });
      this.mark(view);
    }

    mark(view) {
      const dot = this.plot.dots[this.at];
      view.data("chosen", dot ? [{ x: dot.x, y: dot.y }] : []);
    }

    /** Return the number of the dot at a place of the chart; -1 if there is none. */
    nearest(view, left, top) {
      const [x, y] = ["x", "y"].map((name) => view.scale(name));
      let [found, least] = [-1, NEAR ** 2];
      this.plot.dots.forEach((dot, at) => {
        const distance = (x(dot.x) - left) ** 2 + (y(dot.y) - top) ** 2;
        if (distance <= least) [found, least] = [at, distance];
      });
      return found;
    }

    choose(at) {
      if (at < 0) return;
      this.at = at;
      this.mark(this.figure.view);
      this.figure.view.runAsync();
      const { x, y, items } = this.plot.dots[at];
      this.status.textContent = `${this.names[0]} ${x.toFixed(1)} %, ${this.names[1]} ${y.toFixed(1)} %: `
        + counted(items.length, "utterance");
      this.table.hidden = items.length < 2;
      this.list.box.style.height = `${ROW * Math.min(items.length, MOST_ROWS)}px`;
      this.list.show(Uint32Array.from(items));
    }

    /** Go to the nearest dot in the direction of an arrow key. */
    key(event) {
      const directions = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      const { dots } = this.plot;
      if (!(event.key in directions) || event.altKey || event.ctrlKey || event.metaKey || !dots.length) return;
      event.preventDefault();
      if (this.at < 0) {
        this.choose(dots.reduce((first, dot, at) => (dot.x < dots[first].x ? at : first), 0));
        return;
      }
      const [x, y] = ["x", "y"].map((name) => this.figure.view.scale(name));
      const from = dots[this.at];
      const [dx, dy] = directions[event.key];
      let [found, least] = [-1, Infinity];
      dots.forEach((dot, at) => {
        const [across, down] = [x(dot.x) - x(from.x), y(dot.y) - y(from.y)];
        const ahead = across * dx + down * dy;
        const aside = Math.abs(across * dy) + Math.abs(down * dx);
        // Dots far aside are reached by the other arrows.
        if (at !== this.at && ahead > 0 && ahead + 2 * aside < least) [found, least] = [at, ahead + 2 * aside];
      });
      this.choose(found);
    }

    fill(row, u) {
      const { ids, references } = this.points;
      row.append(make("span", { class: "id", dir: "auto", title: ids[u] }, ids[u]),
        make("span", { class: "text", dir: "auto" }, references[u] ?? ""));
    }

    /** Show one utterance: its texts, and the rates of all systems and metrics. */
    show(u) {
      const { ids, systems, metrics, references, hypotheses } = this.points;
      const texts = references.length
        ? [["reference", references[u]], ...systems.map((name, s) => [name, hypotheses[s][u]])] : [];
      const lines = systems.map((name, s) => [make("th", { scope: "row" }, make("bdi", {}, name)),
        ...metrics.map((_, m) => make("td", { class: "num" }, misword.percent(this.points.rates(m, s)[u] / 100)))]);
      this.detail.replaceChildren(make("h4", {}, make("bdi", {}, ids[u])),
        make("div", { class: "texts whole" }, ...texts.flatMap(([name, text]) =>
          [make("span", { title: name }, make("bdi", {}, name)), make("span", { dir: "auto" }, text)])),
        misword.smallTable("rates of the utterance", ["%", ...metrics], lines, (at) => at > 0));
    }
  }

  misword.scatters = [...document.querySelectorAll("[data-scatter]")].map((place) => new Scatter(place));
})();
