// Small conveniences of every page: copy buttons, local time beside UTC, filters that apply themselves, news told.
"use strict";

(function () {
  const localFormat = new Intl.DateTimeFormat(undefined, {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  });
  let focusInside = false; // Whether the part about to be swapped holds the focus.

  function addLocalTimes(root) {
    for (const element of root.querySelectorAll("time.moment:not(:has(.local))")) {
      const moment = new Date(element.dateTime);
      if (!Number.isNaN(moment.valueOf()) && moment.getTimezoneOffset() !== 0) {
        const local = document.createElement("span");
        local.className = "local";
        local.textContent = localFormat.format(moment);
        element.append(" ", local);
      }
    }
  }

  async function copy(button) {
    const source = document.getElementById(button.dataset.copy);
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
      button.textContent = button.dataset.done;
    } catch {
      getSelection().selectAllChildren(source); // No clipboard here: the text is selected instead.
    }
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  }

  function addCopyButtons(root) {
    for (const button of root.querySelectorAll("[data-copy]")) {
      button.hidden = false;
    }
  }

  function enhance(root) {
    addLocalTimes(root);
    addCopyButtons(root);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) {
      copy(button);
    }
  });
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-auto-submit]");
    if (form) {
      form.requestSubmit();
    }
  });
  document.addEventListener("formdata", (event) => {
    if (!event.target.matches("form[data-auto-submit]")) {
      return;
    }
    for (const [name, value] of [...event.formData]) {
      if (value === "") {
        event.formData.delete(name); // Addresses name only what is filtered.
      }
    }
  });
  // What is swapped in is told by a live region that stays, and the focus goes to its head where its old place is gone.
  function tell() {
    const news = document.querySelector("[data-announce]");
    if (news) {
      document.getElementById("announcer").textContent = news.innerText.trim();
    }
    if (focusInside && document.activeElement === document.body) {
      document.querySelector("[data-focus]")?.focus({ preventScroll: true });
    }
    focusInside = false;
  }

  document.addEventListener("htmx:beforeSwap", (event) => {
    focusInside = event.detail.target.contains(document.activeElement);
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.elt.matches("#board, #live")) {
      tell();
    }
  });
  document.addEventListener("htmx:load", (event) => enhance(event.detail.elt));
  document.addEventListener("DOMContentLoaded", () => enhance(document));
})();
