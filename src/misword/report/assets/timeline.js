"use strict";
/* The timeline of a meeting: a lane for each speaker, both sides of it, and the turn that is clicked. */
(() => {
  const { make, labelled, unpack } = misword;
  const LANE = 54; // height of a lane in pixels; each side has half of it
  const [HALF, GAP, AXIS] = [21, 3, 22];
  const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600]; // seconds between two marks
  const SPANS = [[0, "whole recording"], [1800, "30 minutes"], [300, "5 minutes"], [60, "1 minute"], [15, "15 seconds"]];
  const [RIGHT, WRONG, OTHER] = [0, 1, 2];
  const KINDS = ["right", "wrong", "wrong speaker"];
  const clock = (time) => {
    const whole = Math.floor(time);
    const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
    const shown = parts.slice(parts[0] ? 0 : 1).map((part, k) => String(part).padStart(k ? 2 : 1, "0"));
    return shown.join(":");
  };

  /** One recording of one system; words of the reference come first. */
  class Recording {
    constructor(data) {
      const { system, name, lanes, said, words } = data;
      Object.assign(this, { system, name, lanes, said, words });
      for (const key of ["numbers", "begin", "end", "lane", "turn", "kind"]) this[key] = unpack(data[key]);
      this.size = this.kind.length;
      this.length = this.end.reduce((most, time) => Math.max(most, time), 0) || 1;
      this.wrong = [...Array(this.size).keys()].filter((w) => this.kind[w] !== RIGHT)
        .sort((a, b) => this.begin[a] - this.begin[b]);
    }

    /** Return the words of the turn of a word, in order. */
    turnOf(word) {
      const isSaid = word < this.said;
      const [low, high] = isSaid ? [0, this.said] : [this.said, this.size];
      const found = [];
      for (let w = low; w < high; w++) {
        if (this.turn[w] === this.turn[word] && this.lane[w] === this.lane[word]) found.push(w);
      }
      return found;
    }

    /** Return the words of the other side of the lane that overlap a time. */
    beside(word, begin, end) {
      const isSaid = word < this.said;
      const [low, high] = isSaid ? [this.said, this.size] : [0, this.said];
      const found = [];
      for (let w = low; w < high; w++) {
        if (this.lane[w] === this.lane[word] && this.begin[w] < end && this.end[w] > begin) found.push(w);
      }
      return found;
    }
  }

  class Timeline {
    constructor(place) {
      const data = misword.read(place.dataset.timeline);
      this.audio = data.audio;
      this.recordings = data.recordings.map((one) => new Recording(one));
      this.word = null;
      this.build(place, data.left_out);
      this.choose();
    }

    build(place, leftOut) {
      const several = new Set(this.recordings.map(({ system }) => system)).size > 1;
      this.which = make("select", {}, ...this.recordings.map(({ system, name }, at) =>
        make("option", { value: at }, several ? `${name} (${system})` : name)));
      this.which.addEventListener("change", () => this.choose());
      this.span = make("select", {}, ...SPANS.map(([, name], at) => make("option", { value: at }, name)));
      this.span.addEventListener("change", () => this.draw(true));
      const step = (by, name) => {
        const button = make("button", { type: "button" }, name);
        button.addEventListener("click", () => this.next(by));
        return button;
      };
      this.canvas = make("canvas", { role: "img" });
      this.canvas.addEventListener("click", (event) => this.click(event));
      this.names = make("div", { class: "lanes", "aria-hidden": "true" });
      this.scroll = make("div", { class: "strip", tabindex: 0, role: "region", "aria-label": "timeline" }, this.canvas);
      this.scroll.addEventListener("scroll", () => this.paint());
      this.status = make("p", { class: "count", role: "status", "aria-live": "polite" });
      this.detail = make("div", { class: "detail", role: "region", "aria-label": "turn" });
      place.append(
        make("div", { class: "controls" }, labelled("Recording", this.which), labelled("Shown at once", this.span),
          make("div", { class: "buttons" }, step(-1, "Previous error"), step(1, "Next error"))),
        this.status, make("div", { class: "board" }, this.names, this.scroll), this.detail);
      if (leftOut) {
        place.append(make("p", { class: "note" }, `${leftOut} recordings are left out for their size.`));
      }
      new ResizeObserver(() => this.draw(false)).observe(this.scroll);
      new MutationObserver(() => this.paint()).observe(document.documentElement,
        { attributes: true, attributeFilter: ["data-theme"] });
    }

    choose() {
      this.recording = this.recordings[Number(this.which.value)];
      const { lanes, wrong, kind, length, name } = this.recording;
      const others = wrong.filter((w) => kind[w] === OTHER).length;
      this.status.textContent = `${clock(length)} long, ${lanes.length} ${lanes.length === 1 ? "lane" : "lanes"}, `
        + `${(wrong.length - others).toLocaleString("en")} marks of wrong words and `
        + `${others.toLocaleString("en")} of words with the wrong speaker, on both sides`;
      this.names.replaceChildren(...lanes.map(({ reference, hypothesis }) => make("div", {},
        make("bdi", {}, reference ?? "nobody"), make("bdi", {}, hypothesis ?? "nobody"))));
      this.canvas.setAttribute("aria-label", `timeline of ${name}: ${this.status.textContent}`);
      this.word = null;
      this.detail.replaceChildren(make("p", { class: "note" }, "No turn is chosen."));
      this.draw(true);
    }

    /** Set the size of the board; with `keep`, the time in the middle stays there. */
    draw(keep) {
      const { recording, scroll, canvas } = this;
      const width = scroll.clientWidth;
      if (!width) return;
      const middle = this.scale ? (scroll.scrollLeft + width / 2) / this.scale : 0;
      const [seconds] = SPANS[Number(this.span.value)];
      this.scale = width / Math.min(seconds || recording.length, recording.length);
      const height = LANE * recording.lanes.length + AXIS;
      // The board is as wide as the recording; the canvas is the part that can be seen.
      this.whole ??= make("div", { class: "whole" });
      if (!this.whole.isConnected) { scroll.prepend(this.whole); }
      this.whole.style.width = `${Math.ceil(recording.length * this.scale)}px`;
      scroll.style.height = `${height + 17}px`;
      const ratio = devicePixelRatio || 1;
      Object.assign(canvas, { width: width * ratio, height: height * ratio });
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      this.ratio = ratio;
      if (keep) scroll.scrollLeft = middle * this.scale - width / 2;
      this.paint();
    }

    paint() {
      const { recording, canvas, scroll, scale, ratio } = this;
      if (!scale) return;
      const paper = canvas.getContext("2d");
      const style = getComputedStyle(document.documentElement);
      const color = (name) => style.getPropertyValue(name).trim();
      const colors = [color("--series-1"), color("--series-2"), color("--series-4")];
      const width = canvas.width / ratio;
      const height = canvas.height / ratio;
      const left = scroll.scrollLeft / scale;
      const right = left + width / scale;
      paper.setTransform(ratio, 0, 0, ratio, 0, 0);
      paper.clearRect(0, 0, width, height);
      paper.font = `12px ${style.fontFamily || "sans-serif"}`;
      paper.textBaseline = "middle";
      paper.fillStyle = color("--panel");
      recording.lanes.forEach((_, lane) => lane % 2 || paper.fillRect(0, lane * LANE, width, LANE));
      const step = STEPS.find((each) => each * scale >= 70) ?? STEPS.at(-1);
      paper.fillStyle = color("--muted");
      paper.strokeStyle = color("--line");
      for (let time = Math.floor(left / step) * step; time <= right; time += step) {
        const x = (time - left) * scale;
        paper.beginPath();
        paper.moveTo(x, 0);
        paper.lineTo(x, height - AXIS + 5);
        paper.stroke();
        paper.fillText(clock(time), x + 3, height - AXIS / 2);
      }
      const chosen = this.word === null ? new Set() : new Set(recording.turnOf(this.word));
      // Right words first: wrong ones are drawn over them where both share a pixel.
      for (const kind of [RIGHT, OTHER, WRONG]) {
        for (let w = 0; w < recording.size; w++) {
          if (recording.kind[w] !== kind || recording.end[w] < left || recording.begin[w] > right) continue;
          const x = (recording.begin[w] - left) * scale;
          const wide = Math.max((recording.end[w] - recording.begin[w]) * scale - (scale > 8 ? 1 : 0), 0.4);
          const y = recording.lane[w] * LANE + GAP + (w < recording.said ? 0 : HALF + GAP);
          paper.globalAlpha = kind === RIGHT ? 0.45 : 1;
          paper.fillStyle = colors[kind];
          if (kind === WRONG) paper.fillRect(x, y, wide, HALF);
          else if (kind === RIGHT) paper.fillRect(x, y + 4, wide, HALF - 8);
          else { // stripes
            for (let at = 0; at < HALF; at += 6) paper.fillRect(x, y + at, wide, 3);
          }
          paper.globalAlpha = 1;
          if (chosen.has(w)) {
            paper.fillStyle = color("--fg");
            paper.fillRect(x, y + HALF - 1, wide + 1, 2);
          }
          const text = recording.words[recording.numbers[w]];
          if (wide > 7 * text.length + 2) {
            paper.fillStyle = kind === WRONG ? color("--bg") : color("--fg");
            paper.fillText(text, x + 2, y + HALF / 2 + 1);
          }
        }
      }
    }

    click(event) {
      const { recording, scale, scroll } = this;
      const box = this.canvas.getBoundingClientRect();
      const time = (event.clientX - box.left + scroll.scrollLeft) / scale;
      const lane = Math.floor((event.clientY - box.top) / LANE);
      const isSaid = (event.clientY - box.top) % LANE < LANE / 2;
      const [low, high] = isSaid ? [0, recording.said] : [recording.said, recording.size];
      let [best, far] = [null, 12 / scale]; // a click of 12 pixels beside a word is meant for it
      for (let w = low; w < high; w++) {
        if (recording.lane[w] !== lane) continue;
        const away = Math.max(recording.begin[w] - time, time - recording.end[w], 0);
        if (away < far) [best, far] = [w, away];
      }
      if (best !== null) this.show(best);
    }

    /** Show the next wrong word, or the one before. */
    next(by) {
      const { wrong, begin } = this.recording;
      if (!wrong.length) return;
      const now = this.word === null ? -Infinity : begin[this.word];
      const at = wrong.indexOf(this.word);
      let place = at >= 0 ? at + by : wrong.findIndex((w) => begin[w] > now) - (by < 0 ? 1 : 0);
      place = (place + wrong.length) % wrong.length;
      this.show(wrong[place]);
      this.scroll.scrollLeft = begin[wrong[place]] * this.scale - this.scroll.clientWidth / 2;
      this.paint();
    }

    /** Show the turn of a word, and what the other side of the lane has at this time. */
    show(word) {
      this.word = word;
      const { recording } = this;
      const own = recording.turnOf(word);
      const begin = own.reduce((least, w) => Math.min(least, recording.begin[w]), Infinity);
      const end = own.reduce((most, w) => Math.max(most, recording.end[w]), 0);
      const beside = recording.beside(word, begin, end);
      const isSaid = word < recording.said;
      const [said, heard] = isSaid ? [own, beside] : [beside, own];
      const lane = recording.lanes[recording.lane[word]];
      const marked = (w) => {
        const text = make("span", { class: `cell ${["", "substitution cost-5", "moved"][recording.kind[w]]}`,
          dir: "auto", title: KINDS[recording.kind[w]] }, recording.words[recording.numbers[w]]);
        if (w === word) text.classList.add("chosen");
        return text;
      };
      const row = (side, name, words) => make("p", { class: "words" },
        make("b", {}, side, " ", make("bdi", {}, name ?? "nobody")), " ",
        ...words.flatMap((w) => [marked(w), " "]));
      const spot = { sources: this.audio?.sources, codes: this.audio?.codes,
        begin: { [this.which.value]: begin }, end: { [this.which.value]: end } };
      const sound = this.audio ? misword.audio({ audio: spot, ids: { [this.which.value]: recording.name } },
        Number(this.which.value)) : [];
      this.detail.replaceChildren(
        make("p", { class: "note" }, `${clock(begin)} to ${clock(end)}, turn of the ${isSaid ? "reference" : "hypothesis"}`),
        row("Reference", lane.reference, said), row("Hypothesis", lane.hypothesis, heard), ...sound);
      this.paint();
    }
  }

  misword.timelines = [...document.querySelectorAll("[data-timeline]")].map((place) => new Timeline(place));
})();
