"use strict";
/* Light, dark, or as the system has it. Runs in the head, so that the page never flashes. */
(() => {
  const KEY = "misword-theme";
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let choice = "auto";

  // Pages from disk may have no storage at all, and say so by throwing.
  const remembered = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  };
  const remember = () => {
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // The choice lasts as long as the page.
    }
  };
  const apply = () => {
    const system = dark.matches ? "dark" : "light";
    root.dataset.theme = choice === "auto" ? system : choice;
    document.dispatchEvent(new CustomEvent("misword:theme"));
  };

  if (["light", "dark"].includes(remembered())) choice = remembered();
  apply();
  dark.addEventListener("change", apply);
  document.addEventListener("DOMContentLoaded", () => {
    const control = document.getElementById("theme");
    control.value = choice;
    control.addEventListener("change", () => {
      choice = control.value;
      remember();
      apply();
    });
  });
})();
