"use strict";
/* The theme: light, dark, or that of the system. It runs in the head, before anything is drawn. */
(() => {
  const KEY = "misword-theme";
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let choice = "auto";

  // In some browsers a page from disk has no storage: access to it throws an error.
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
      // The choice is lost when the page is closed.
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
