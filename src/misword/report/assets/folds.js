"use strict";
/* Folded parts of the page: a link to a section opens them, and all of them are printed. */
(() => {
  const open = () => {
    const heading = document.getElementById(location.hash.slice(1));
    heading?.closest("section")?.querySelector("details.fold")?.setAttribute("open", "");
  };
  open();
  addEventListener("hashchange", open);

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details.fold:not([open])")];
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
  });
})();
