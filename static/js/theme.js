// Applies the reader's choice of light or dark before the first paint; without a choice the system decides.
"use strict";

(function () {
  const key = "theme";
  const root = document.documentElement;

  function stored() {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // Storage is switched off: the system's preference stays in force.
    }
  }

  function apply(theme) {
    if (theme === "light" || theme === "dark") {
      root.dataset.theme = theme;
    }
  }

  function current() {
    return root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  }

  function toggle() {
    const next = current() === "dark" ? "light" : "dark";
    apply(next);
    try {
      localStorage.setItem(key, next);
    } catch {
      // The choice then lasts for this page only.
    }
    document.dispatchEvent(new CustomEvent("themechange"));
  }

  apply(stored());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    document.dispatchEvent(new CustomEvent("themechange"));
  });
  document.addEventListener("DOMContentLoaded", () => {
    for (const button of document.querySelectorAll("[data-theme-toggle]")) {
      button.hidden = false;
      button.addEventListener("click", toggle);
    }
  });
})();
