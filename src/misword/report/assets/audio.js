"use strict";
/* The audio of one utterance. The browser reads a file only when the reader plays it. */
(() => {
  const make = misword.make;
  const note = (...children) => make("p", { class: "note audio" }, ...children);
  const seconds = (time) => `${Number(time.toFixed(2))} s`;

  /** Return a player of a part of a file; if it cannot be played, a message takes its place. */
  const player = ({ url, text }, begin, end, id) => {
    const part = Number.isNaN(begin) ? "" : `#t=${begin}${Number.isNaN(end) ? "" : `,${end}`}`;
    const sound = make("audio", { controls: true, preload: "none", src: `${url}${part}`,
      "aria-label": `audio of ${id}` });
    const until = Number.isNaN(end) ? "the end" : seconds(end);
    const about = part ? `${text}, ${seconds(begin)} to ${until}` : text;
    const place = make("p", { class: "audio" }, sound, make("bdi", {}, about));
    sound.addEventListener("error", () => place.replaceWith(note("The browser cannot play ",
      make("bdi", {}, text), ". Was it moved, or is its format unknown to the browser?")));
    // A file that ends before the utterance begins has the utterance alone.
    sound.addEventListener("loadedmetadata", () => {
      if (!(begin >= sound.duration)) return;
      sound.src = url;
      sound.play();
    }, { once: true });
    return place;
  };

  const LEAD = 0.3; // seconds that are played before a word

  /** Make words play the audio from their time; `place` has the player, `drawn` the aligned words. */
  const playWords = (corpus, u, place, drawn) => {
    const sound = place.querySelector("audio");
    if (!sound || !corpus.audio.words) return;
    for (const one of drawn) {
      one.classList.add("playing");
      one.addEventListener("click", (event) => {
        const column = event.target.closest(".column");
        const time = column ? corpus.wordTime(u, Number(column.dataset.word)) : NaN;
        if (Number.isNaN(time)) return;
        sound.currentTime = Math.max(0, time - LEAD);
        sound.play();
      });
    }
  };

  /** Return the audio of an utterance above its aligned words, which it plays; a passage begins at
      reference word `from` and ends before `to`. */
  misword.withAudio = (corpus, u, drawn, { from = 0, to = Infinity } = {}) => {
    const begin = from ? corpus.wordTime(u, from) : NaN;
    const end = to < Infinity ? corpus.wordTime(u, to) : NaN;
    const players = misword.audio(corpus, u, Math.max(0, begin - LEAD), end > begin ? end : NaN);
    if (players.length) playWords(corpus, u, players[0], drawn);
    return [...players, ...drawn];
  };

  /** Return the elements for the audio of an utterance; none if the page has no audio.

      `start` and `stop` are times of a part of the utterance; NaN for the whole. */
  misword.audio = ({ audio, ids }, u, start = NaN, stop = NaN) => {
    if (!audio) return [];
    const { sources, codes, begin, end } = audio;
    const source = sources[codes[u]];
    if (source.kind === "problem") return [note(make("bdi", {}, source.text))];
    if (source.kind === "link") {
      const link = make("a", { href: source.text, target: "_blank", rel: "noopener noreferrer" });
      link.append(make("bdi", {}, source.text));
      return [note("The audio is on a server; this page does not load it: ", link)];
    }
    const [first, last] = [begin?.[u] ?? NaN, end?.[u] ?? NaN];
    return [player(source, Number.isNaN(start) ? first : start, Number.isNaN(stop) ? last : stop, ids[u])];
  };
})();
