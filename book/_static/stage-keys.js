// A stage of keys on a line or in a plane: the query among them is dragged, and the answer follows.
window.stageViews ??= {};
window.stageViews.keys = (figure, data) => {
  const find = (selector) => figure.querySelector(selector);
  const all = (selector) => [...figure.querySelectorAll(selector)];
  const [box, handle] = [find(".stage-keys"), find(".stage-query")];
  const curves = find(".stage-keys .stage-curves g");
  const marks = all(".stage-key-share");
  const pieces = all(".stage-strip .stage-bar");
  const sliders = all(".stage-sliders input");
  const answer = window.stageAnswer(figure, data);
  const plane = data.bounds.length === 2;
  const change = (query) => figure.dispatchEvent(new CustomEvent("stage-change", { detail: { query } }));
  let now = data.query;

  const share = (value, [low, high]) => (value - low) / (high - low);
  const at = (place) => [share(place[0], data.bounds[0]), plane ? 1 - share(place[1], data.bounds[1]) : 0.62];

  /**
   * A line from the query to a key; an arc where both lie on one line.
   * @param {number[]} query
   * @param {number[]} key
   */
  function between([x, y], [a, b]) {
    if (plane) return [[x, y], [x, y], [a, b], [a, b]];
    const top = y - 0.55 - 0.3 * Math.abs(a - x);
    return [[x, y], [x, top], [a, top], [a, b]];
  }

  function dragged({ clientX, clientY }) {
    const { left, top, width, height } = box.getBoundingClientRect();
    const shares = [(clientX - left) / width, 1 - (clientY - top) / height];
    change(data.bounds.map(([low, high], axis) =>
      Math.round(100 * (low + (high - low) * Math.max(0, Math.min(1, shares[axis])))) / 100));
  }

  box.addEventListener("pointerdown", (event) => {
    box.setPointerCapture(event.pointerId);
    dragged(event);
    event.preventDefault();
  });
  box.addEventListener("pointermove", (event) => {
    if (box.hasPointerCapture(event.pointerId)) dragged(event);
  });
  sliders.forEach((slider, axis) => slider.addEventListener("input", () =>
    change(now.map((value, i) => (i === axis ? Number(slider.value) : value)))));

  return (state, { scores, weights }, [ask, compare, shared, take]) => {
    now = state.query;
    const place = at(state.query);
    figure.style.setProperty("--ask", ask);
    figure.style.setProperty("--compare", compare);
    figure.style.setProperty("--share", shared);
    handle.style.left = `${100 * place[0]}%`;
    handle.style.top = `${100 * place[1]}%`;
    const lines = data.keys.map((key) => between(place, at(key)));
    curves.innerHTML = stageParts.curves(lines, weights, weights.map(() => true), [ask, compare, shared, take]);
    const near = data.bandwidth !== null;
    marks.forEach((mark, j) => {
      mark.textContent = shared > 0 || compare === 0
        ? stageRows.percent(weights[j])
        : stageRows.number(near ? Math.exp(scores[j]) : scores[j]);
    });
    stageParts.strip(pieces, data, { scores, weights });
    sliders.forEach((slider, axis) => {
      if (document.activeElement !== slider) slider.value = state.query[axis];
      slider.parentElement.querySelector("output").textContent = stageRows.number(state.query[axis]);
    });
    answer(state, { scores, weights, output: stageRows.rowOf(data, state).output }, take);
  };
};
