"use strict";
/* Draws each figure from its Vega-Lite specification: as SVG, in the colours of the theme, without
   evaluating code (Vega's interpreter) and without any request (no loader). */
(() => {
  const SERIES = 6;
  const GUTTER = 84; // width of a panel beside its plot: axis, labels, gap

  const refuse = () => Promise.reject(new Error("this page loads nothing"));
  const loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse };

  const colour = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  /** The configuration of Vega: the page's fonts and colours, and shapes. */
  const config = () => {
    const [ink, muted, line] = ["--fg", "--muted", "--line"].map(colour);
    const series = Array.from({ length: SERIES }, (_, i) => colour(`--series-${i + 1}`));
    return {
      aria: false,
      background: colour("--bg"),
      font: "system-ui, sans-serif",
      view: { stroke: null },
      axis: {
        labelColor: muted, titleColor: muted, titleFontWeight: "normal", labelFontSize: 12,
        titleFontSize: 12, gridColor: line, domainColor: line, tickColor: line, titlePadding: 8,
      },
      axisY: { grid: false, domain: false, labelColor: ink, labelPadding: 8 },
      axisQuantitative: { grid: true, labelColor: muted, tickCount: 6, format: ",.12~g" },
      legend: {
        labelColor: ink, titleColor: muted, titleFontWeight: "normal", labelFontSize: 12,
        symbolSize: 80, labelLimit: 240,
      },
      header: { labelColor: ink, labelFontSize: 12, title: null },
      range: {
        category: series,
        // Five shapes and six colours: a pair of both repeats only after thirty series.
        symbol: ["circle", "square", "triangle-up", "diamond", "cross"],
      },
      rule: { color: muted },
      text: { color: muted, fontSize: 12 },
      style: { zero: { stroke: muted, strokeWidth: 1 }, link: { stroke: muted } },
    };
  };

  const columnsOf = (panels, width) => Math.max(1, Math.floor(width / (panels + GUTTER)));

  /** Return the specification for an element of this width: as many columns of panels as fit. */
  const fitted = (spec, panels, width) => {
    const copy = structuredClone(spec);
    if (panels) {
      copy.columns = columnsOf(panels, width);
      copy.spec.width = Math.max(120, Math.floor(width / copy.columns) - GUTTER);
    }
    return copy;
  };

  const view = (spec, container) => {
    // Errors only: Vega-Lite warns about each chart whose height depends on its rows.
    const logger = vega.logger(vega.Error);
    const compiled = vegaLite.compile(spec, { config: config(), logger }).spec;
    return new vega.View(vega.parse(compiled, null, { ast: true }), {
      expr: vega.expressionInterpreter,
      renderer: "svg",
      container,
      loader,
      logLevel: vega.Warn,
      hover: true,
    });
  };

  const draw = async (figure) => {
    const { place, spec, panels } = figure;
    figure.width = place.clientWidth;
    if (!figure.width) return; // hidden: it is drawn when it becomes visible
    const old = figure.view;
    // The first drawing keeps the height that the page reserved, so that nothing below it moves.
    place.style.minHeight = figure.drawn ? "" : `${place.clientHeight}px`;
    place.querySelector(".reserved")?.remove();
    figure.view = view(fitted(spec, panels, figure.width), place);
    figure.drawn = true;
    figure.made?.(figure.view);
    await figure.view.runAsync();
    old?.finalize();
    // The text of the chart describes it; keys scroll a chart that is wider than the page.
    place.querySelector("svg").setAttribute("aria-hidden", "true");
    if (place.scrollWidth > place.clientWidth) place.tabIndex = 0;
    else if (!figure.made) place.removeAttribute("tabindex"); // others listen to keys
  };

  const download = async (figure, format) => {
    if (!figure.drawn) await draw(figure);
    if (format === "svg") {
      const text = await figure.view.toSVG();
      misword.save(new Blob([text], { type: "image/svg+xml" }), `${figure.file}.svg`);
    } else {
      const canvas = await figure.view.toCanvas(2);
      canvas.toBlob((blob) => misword.save(blob, `${figure.file}.png`), "image/png");
    }
  };

  /** The page reserves the height of a wide screen; on a narrow one panels have more rows. */
  const reserve = ({ place, spec, panels }) => {
    const space = place.querySelector(".reserved");
    if (!space) return;
    const count = new Set(spec.data.values.map(({ panel }) => panel)).size;
    const columns = columnsOf(panels, place.clientWidth || innerWidth);
    const more = Math.ceil(count / columns) - Math.ceil(count / spec.columns);
    space.height += more * Number(space.dataset.row);
  };

  const figures = [];

  /** Register a figure; a script that changes its `spec` calls `draw` again. `made` is called with
      each view of the chart. */
  const register = (element, { spec, panels, file, made }) => {
    const figure = { place: element.querySelector(".chart"), spec, panels, file, made, drawn: false };
    if (panels) reserve(figure);
    for (const button of element.querySelectorAll("button[data-format]")) {
      button.addEventListener("click", () => download(figure, button.dataset.format));
    }
    figures.push(figure);
    seen.observe(figure.place);
    return figure;
  };

  // Visible charts are drawn first, the others while the page is idle, so that all can be printed.
  const idle = window.requestIdleCallback ?? ((call) => setTimeout(call, 50));
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      const figure = figures.find(({ place }) => place === target);
      if (isIntersecting && !figure.drawn) draw(figure);
    }
  });
  const rest = () => {
    const next = figures.find(({ drawn, place }) => !drawn && place.clientWidth);
    if (next) draw(next).then(() => idle(rest));
  };
  for (const element of document.querySelectorAll("figure[data-spec]")) {
    register(element, misword.read(element.dataset.spec));
  }
  addEventListener("load", () => setTimeout(() => idle(rest), 500));

  const redraw = () => figures.filter(({ drawn }) => drawn).forEach(draw);
  document.addEventListener("misword:theme", redraw);
  addEventListener("resize", misword.debounced(150, () => {
    figures.filter((f) => f.drawn && f.place.clientWidth !== f.width).forEach(draw);
  }));
  Object.assign(misword, { registerFigure: register, drawFigure: draw });
})();
