// What comes of a stage: the values with their average, the sum in words, and every number.
window.stageAnswer = (figure, data) => {
  const { number, ranked } = stageRows;
  const plane = figure.querySelector(".stage-plane");
  const sum = figure.querySelector(".stage-sum");
  const table = figure.querySelector(".stage-numbers table");
  const rows = [...table.tBodies[0].rows, table.tFoot.rows[0]];

  function terms(weights) {
    const order = ranked(weights);
    const largest = order.slice(0, 3).filter((j) => weights[j] >= 0.005);
    const named = largest.map((j) =>
      `<span class="stage-term"><b class="stage-weight">${number(weights[j])}</b> × ${stageParts.escaped(data.items[j])}</span>`);
    return `The answer: ${named.join(" + ")}${order.length > largest.length ? " + …" : ""}`;
  }

  return (state, row, take) => {
    if (plane) plane.innerHTML = stageParts.plane(data, row.weights, take);
    figure.style.setProperty("--take", take);
    if (sum) sum.innerHTML = terms(row.weights);
    stageTable.cells(data, state, row).forEach((cells, i) => {
      cells.forEach((text, j) => (rows[i].cells[j + 1].textContent = text));
    });
  };
};
