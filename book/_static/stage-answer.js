// What comes of a stage: the values with their average, the sum in words, and every number.
window.stageAnswer = (figure, data) => {
  const { number, percent, ranked } = stageRows;
  const plane = figure.querySelector(".stage-plane");
  const sum = figure.querySelector(".stage-sum");
  const table = figure.querySelector(".stage-numbers table");
  const rows = [...table.tBodies[0].rows, table.tFoot.rows[0]];

  function terms({ weights, output }) {
    const order = ranked(weights).filter((j) => weights[j] > 0);
    const largest = order.slice(0, 3).filter((j) => weights[j] >= 0.005);
    const named = largest.map((j) =>
      `<span class="stage-term"><b class="stage-weight">${percent(weights[j])}</b> of ${stageParts.escaped(taken(j))}</span>`);
    const more = order.length > largest.length ? " + …" : "";
    return `The answer: ${named.join(" + ")}${more} <span class="stage-term">= ${result(output)}</span>`;
  }

  const result = (output) => output.length === 1
    ? number(output[0], 1) : `(${output.map((part) => number(part)).join(", ")})`;

  /** What is taken of an item: its value, where that is one number. */
  function taken(j) {
    const value = data.values?.[j];
    return value?.length === 1 ? `${String(value[0]).replace("-", "−")} (${data.items[j]})` : data.items[j];
  }

  return (state, row, take) => {
    if (plane) plane.innerHTML = stageParts.plane(data, row.weights, take);
    figure.style.setProperty("--take", take);
    if (sum) sum.innerHTML = terms(row);
    stageTable.cells(data, state, row).forEach((cells, i) => {
      cells.forEach((text, j) => (rows[i].cells[j + 1].textContent = text));
    });
  };
};
