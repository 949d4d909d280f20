"use strict";
/* What all scripts of the page share. Text enters the page by textContent only. */
const misword = {};

/** An element with attributes and children; strings become text, never markup. */
misword.make = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
};

/** The JSON that a data block holds. */
misword.read = (id) => JSON.parse(document.getElementById(id).textContent);

/** Offer something for download under a name of ours. */
misword.save = (blob, name) => {
  const address = URL.createObjectURL(blob);
  const link = misword.make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
};

/** Calls a function once the calls have stopped coming for a while. */
misword.settled = (wait, call) => {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(call, wait);
  };
};

/** A rate in percent. */
misword.percent = (rate) => (Number.isNaN(rate) ? "–" : (100 * rate).toFixed(1));

/** A change in points, with its sign. */
misword.signed = (change) => {
  if (Number.isNaN(change)) return "–";
  const shown = (100 * change).toFixed(1);
  return change > 0 ? `+${shown}` : shown.replace(/^-(0\.0)$/, "$1");
};
