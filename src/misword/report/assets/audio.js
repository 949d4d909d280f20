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

  /** Return the elements for the audio of an utterance; none if the page has no audio. */
  misword.audio = ({ audio, ids }, u) => {
    if (!audio) return [];
    const { sources, codes, begin, end } = audio;
    const source = sources[codes[u]];
    if (source.kind === "problem") return [note(make("bdi", {}, source.text))];
    if (source.kind === "link") {
      const link = make("a", { href: source.text, target: "_blank", rel: "noopener noreferrer" });
      link.append(make("bdi", {}, source.text));
      return [note("The audio is on a server; this page does not load it: ", link)];
    }
    return [player(source, begin?.[u] ?? NaN, end?.[u] ?? NaN, ids[u])];
  };
})();
