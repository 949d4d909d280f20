"use strict";
/* A button above a wide matrix shows and hides the intervals below its rates. */
(() => {
  for (const matrix of document.querySelectorAll(".wide-matrix")) {
    const place = matrix.closest(".matrix");
    const button = misword.make("button", { type: "button", "aria-pressed": "false" });
    button.textContent = "Show intervals";
    button.addEventListener("click", () => {
      const shown = place.classList.toggle("intervals-shown");
      button.setAttribute("aria-pressed", String(shown));
      button.textContent = shown ? "Hide intervals" : "Show intervals";
    });
    place.before(button);
  }
})();
