// Small conveniences of every page: copy buttons, local time beside UTC, filters that apply themselves.
"use strict";

(function () {
  const localFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

  function addLocalTimes(root) {
    for (const element of root.querySelectorAll("time[datetime]:not([title])")) {
      const moment = new Date(element.dateTime);
      if (!Number.isNaN(moment.valueOf())) {
        element.title = localFormat.format(moment);
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
  document.addEventListener("htmx:load", (event) => enhance(event.detail.elt));
  document.addEventListener("DOMContentLoaded", () => enhance(document));
})();
