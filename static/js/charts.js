// Draws the charts of a result page from the JSON beside them, in the page's own colours; without it the static picture stays.
"use strict";

(function () {
  const NARROW_PX = 600;

  function colour(name) {
    const probe = document.createElement("span");
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  }

  function axis(own) {
    return {
      ...own,
      automargin: true,
      color: colour("--ink-2"),
      gridcolor: colour("--rule"),
      linecolor: colour("--rule-2"),
      zerolinecolor: colour("--rule-2"),
    };
  }

  function themed(layout, width) {
    const narrow = width < NARROW_PX;
    return {
      ...layout,
      autosize: true,
      height: narrow ? 360 : 420,
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: getComputedStyle(document.body).fontFamily, size: narrow ? 11 : 13, color: colour("--ink") },
      hoverlabel: { bgcolor: colour("--surface"), bordercolor: colour("--rule-2"), font: { color: colour("--ink") } },
      xaxis: axis(layout.xaxis),
      yaxis: axis(layout.yaxis),
      annotations: (layout.annotations || []).map((note) => ({ ...note, font: { color: colour("--ink-2") } })),
      shapes: (layout.shapes || []).map((shape) => ({ ...shape, line: { ...shape.line, color: colour("--ink-3") } })),
      separators: ".,",
    };
  }

  async function draw(chart) {
    const figure = JSON.parse(document.getElementById(chart.dataset.chart).textContent);
    const wrapper = chart.parentElement;
    wrapper.hidden = false;
    await Plotly.react(chart, figure.data, themed(figure.layout, wrapper.clientWidth), {
      displayModeBar: false,
      responsive: true,
    });
    document.getElementById(chart.dataset.static).hidden = true;
  }

  function drawAll() {
    for (const chart of document.querySelectorAll("[data-chart]")) {
      draw(chart);
    }
  }

  document.addEventListener("DOMContentLoaded", drawAll);
  document.addEventListener("themechange", drawAll);
})();
