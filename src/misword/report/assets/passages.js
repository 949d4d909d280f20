"use strict";
/* The worst passages of long texts, all systems side by side. A passage is drawn when it is seen. */
(() => {
  const { make, labelled } = misword;
  const count = (number) => number.toLocaleString("en");

  const card = (explorer, { utterance: u, from, to, of, errors }) => {
    const { corpus } = explorer;
    const tally = errors.length > 1
      ? corpus.systems.map((name, s) => `${name} ${errors[s]}`).join(", ") : String(errors[0]);
    const whole = make("button", { type: "button", class: "link" }, "In the whole text");
    whole.addEventListener("click", () => explorer.open(corpus.ids[u], { at: from }));
    return make("div", { class: "card" },
      make("h4", {}, make("bdi", {}, corpus.ids[u])),
      make("p", { class: "facts" },
        make("span", {}, `words ${count(from + 1)} to ${count(to)} of ${count(of)}`),
        make("span", {}, "errors: ", make("bdi", {}, tally)), whole),
      ...misword.withAudio(corpus, u, misword.aligned(corpus, 0, -1, u, { from, to }), { from, to }));
  };

  const show = (place) => {
    const { orders } = misword.read(place.dataset.passages);
    const explorer = misword.explorers[place.dataset.explorerOf];
    const order = make("select", {}, ...orders.map(({ name }, k) => make("option", { value: k }, name)));
    const end = make("div", { class: "end" });
    const box = make("div", { class: "cards", tabindex: 0, role: "region", "aria-label": "worst passages" });
    let [windows, drawn] = [[], 0];
    const next = () => {
      end.before(card(explorer, windows[drawn]));
      drawn += 1;
      seen.unobserve(end);
      if (drawn < windows.length) seen.observe(end);
    };
    // The end of the list comes near: draw one more passage below it.
    const seen = new IntersectionObserver((entries) => {
      if (entries.at(-1).isIntersecting) next();
    }, { root: box, rootMargin: "300px" });
    const fill = () => {
      seen.disconnect();
      [windows, drawn] = [orders[Number(order.value)].windows, 0];
      box.replaceChildren(...(windows.length ? [] : [make("p", { class: "note" }, "There are none.")]), end);
      box.scrollTop = 0;
      if (windows.length) seen.observe(end);
    };
    order.addEventListener("change", fill);
    addEventListener("beforeprint", () => {
      while (drawn < windows.length) next();
    });
    place.replaceChildren(
      ...(orders.length > 1 ? [make("div", { class: "controls" }, labelled("Order by", order))] : []), box);
    // Nothing is drawn before the reader comes near.
    const near = new IntersectionObserver((entries) => {
      if (!entries.at(-1).isIntersecting) return;
      near.disconnect();
      fill();
    }, { rootMargin: "400px" });
    near.observe(box);
  };

  for (const place of document.querySelectorAll("[data-passages]")) show(place);
  misword.ready = performance.now();
})();
