// A stage of keys on a line or in a plane: the query among them is dragged, or a key, and the answer
// follows.
window.stageViews ??= {};
window.stageViews.keys = (figure, data) => {
  const find = (selector) => figure.querySelector(selector);
  const all = (selector) => [...figure.querySelectorAll(selector)];
  const [box, handle] = [find(".stage-keys"), find(".stage-query")];
  const curves = find(".stage-keys .stage-curves g");
  const marks = all(".stage-key-mark");
  const pieces = all(".stage-strip .stage-bar");
  const sliders = all(".stage-sliders input");
  const answer = window.stageAnswer(figure, data);
  const plane = data.bounds.length === 2;
  const change = (detail) => figure.dispatchEvent(new CustomEvent("stage-change", { detail }));
  const NEAR = 24; // pixels from a key's dot at which it is the key that is dragged
  const FINGER = 22; // pixels around a dot in which a finger takes hold of it
  const STEPS = 50; // of an arrow key, from one side to the other
  let [now, keys] = [data.query, data.keys];
  let held; // the key that is dragged; otherwise it is the query

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

  /** What lies at a place of the box, given in pixels of the window. */
  function under({ clientX, clientY }) {
    const { left, top, width, height } = box.getBoundingClientRect();
    const within = ([low, high]) => (value) => Math.round(100 * Math.max(low, Math.min(high, value))) / 100;
    const shares = [(clientX - left) / width, 1 - (clientY - top) / height];
    return data.bounds.map(([low, high], axis) => within([low, high])(low + (high - low) * shares[axis]));
  }

  /** How far a place of the window is from the query's dot and from each key's, in pixels. */
  function distances({ clientX, clientY }) {
    const { left, top, width, height } = box.getBoundingClientRect();
    return [now, ...keys].map((place) => {
      const [x, y] = at(place);
      return Math.hypot(left + x * width - clientX, top + y * height - clientY);
    });
  }

  /** The key whose dot is pointed at, if the query is not nearer. */
  function pointedAt(event) {
    const [query, ...others] = distances(event);
    const nearest = others.indexOf(Math.min(...others));
    return others[nearest] < Math.min(NEAR, query) ? nearest : undefined;
  }

  const moveKey = (j, place) => change({ keys: keys.map((key, i) => (i === j ? place : key)) });

  function dragged(event) {
    if (held === undefined) change({ query: under(event) });
    else moveKey(held, under(event));
  }

  // A finger drags what it lies on; elsewhere it scrolls the page, or taps where the query shall be.
  const holds = (touch) => Math.min(...distances(touch)) <= FINGER;
  let dragging; // by which pointer

  box.addEventListener("touchstart", (event) => {
    if (holds(event.touches[0])) event.preventDefault(); // or the page would scroll
  }, { passive: false });
  box.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch" && !holds(event)) return;
    dragging = event.pointerId;
    box.setPointerCapture(dragging);
    held = pointedAt(event);
    if (held === undefined) dragged(event);
    event.preventDefault();
  });
  box.addEventListener("pointermove", (event) => {
    if (event.pointerId === dragging) dragged(event);
  });
  box.addEventListener("pointerup", (event) => {
    if (event.pointerType === "touch" && dragging === undefined) change({ query: under(event) });
  });
  box.addEventListener("lostpointercapture", ({ pointerId }) => {
    if (pointerId === dragging) dragging = undefined;
  });
  marks.forEach((mark, j) => {
    mark.tabIndex = 0;
    mark.setAttribute("role", "slider");
    mark.setAttribute("aria-label", `key ${data.items[j]}`);
    const [low, high] = data.bounds[0];
    mark.ariaValueMin = `${low}`;
    mark.ariaValueMax = `${high}`;
    mark.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      const axis = plane ? step[0] : 0;
      const [least, most] = data.bounds[axis];
      const moved = keys[j][axis] + (step[1] * (most - least)) / STEPS;
      const place = Math.round(100 * Math.max(least, Math.min(most, moved))) / 100;
      moveKey(j, keys[j].map((value, i) => (i === axis ? place : value)));
    });
  });
  sliders.forEach((slider, axis) => slider.addEventListener("input", () =>
    change({ query: now.map((value, i) => (i === axis ? Number(slider.value) : value)) })));

  return (state, { scores, weights }, [ask, compare, shared, take]) => {
    [now, keys] = [state.query, state.keys];
    const place = at(state.query);
    figure.style.setProperty("--ask", ask);
    figure.style.setProperty("--compare", compare);
    figure.style.setProperty("--share", shared);
    handle.style.left = `${100 * place[0]}%`;
    handle.style.top = `${100 * place[1]}%`;
    const lines = keys.map((key) => between(place, at(key)));
    curves.innerHTML = stageParts.curves(lines, weights, weights.map(() => true), [ask, compare, shared, take]);
    const near = data.bandwidth !== null;
    marks.forEach((mark, j) => {
      const [x, y] = at(keys[j]);
      mark.style.left = `${(100 * x).toFixed(2)}%`;
      mark.style.top = `${(100 * y).toFixed(2)}%`;
      mark.ariaValueNow = `${keys[j][0]}`;
      mark.ariaValueText = keys[j].map((value) => stageRows.number(value)).join(", ");
      mark.querySelector(".stage-key-share").textContent = shared > 0 || compare === 0
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
