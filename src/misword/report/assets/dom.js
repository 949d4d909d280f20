"use strict";
/* Functions that all scripts of the page use. Text enters the page by textContent only. */
const misword = {};

/** Return an element with attributes and children; strings become text, never markup. */
misword.make = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
};

/** Return the value of a data block. */
misword.read = (id) => JSON.parse(document.getElementById(id).textContent);

/** Download a blob as a file of this name. */
misword.save = (blob, name) => {
  const address = URL.createObjectURL(blob);
  const link = misword.make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
};

/** Return a function that runs `call` once, `wait` milliseconds after its last call. */
misword.debounced = (wait, call) => {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(call, wait);
  };
};

/** Return a rate in percent as text. */
misword.percent = (rate) => (Number.isNaN(rate) ? "–" : (100 * rate).toFixed(1));

/** Return a change in points as text, with its sign. */
misword.signed = (change) => {
  if (Number.isNaN(change)) return "–";
  const shown = (100 * change).toFixed(1);
  return change > 0 ? `+${shown}` : shown.replace(/^-(0\.0)$/, "$1");
};
