// A stage of items in a line: who asks, the others, what lies between them, and the shares.
window.stageViews ??= {};
window.stageViews.line = (figure, data) => {
  const find = (selector) => figure.querySelector(selector);
  const all = (selector) => [...figure.querySelectorAll(selector)];
  const items = all(".stage-item");
  const askers = data.askers && data.mode !== "dial" ? all(".stage-asker") : items;
  const radios = all(".stage-line input[type=radio]");
  const [heads, minis] = [all(".stage-heads input"), all(".stage-mini g")];
  const [slider, leak] = [find(".stage-dial input"), find(".stage-leak input")];
  const strip = all(".stage-strip .stage-bar");
  const [map, mapRow] = [find(".stage-map g"), find(".stage-map-row")];
  const curves = find(".stage-curves g");
  const answer = window.stageAnswer(figure, data);
  const change = (detail) => figure.dispatchEvent(new CustomEvent("stage-change", { detail }));

  radios.forEach((radio, asks) => radio.addEventListener("change", () => change({ asks })));
  heads.forEach((radio, head) => radio.addEventListener("change", () => change({ head })));
  slider?.addEventListener("input", () => change({ sharpness: Number(slider.value) }));
  find(".stage-map svg")?.addEventListener("click", ({ clientY, currentTarget }) => {
    const { top, height } = currentTarget.getBoundingClientRect();
    change({ asks: Math.min(items.length - 1, Math.floor(((clientY - top) / height) * items.length)) });
  });
  leak?.addEventListener("change", () => change({ leak: leak.checked }));

  function attributes(element, given) {
    for (const [name, on] of Object.entries(given)) element.toggleAttribute(name, on);
  }

  return (state, row, moves) => {
    const [ask, compare, share, take] = data.mode === "dial" ? [1, 1, 1, 1] : moves;
    const { scores, weights } = row;
    const may = scores.map((score) => score !== null);
    figure.style.setProperty("--ask", ask);
    figure.style.setProperty("--compare", compare);
    figure.style.setProperty("--share", share);
    stageParts.bars(scores, weights).forEach(({ s, w, b }, j) => {
      const item = items[j];
      item.style.cssText = `--i:${j};--s:${s.toFixed(4)};--w:${w.toFixed(4)};--b:${b.toFixed(4)}`;
      attributes(item, { "data-masked": !may[j], "data-low": (scores[j] ?? 0) < 0 });
      item.querySelector(".stage-share").textContent = stageRows.percent(w);
      item.querySelector(".stage-bar").toggleAttribute("data-wide", w >= 0.1);
    });
    askers.forEach((asker, i) => asker.toggleAttribute("data-asking", radios.length > 0 && i === state.asks));
    if (radios[state.asks]) radios[state.asks].checked = true;
    if (heads[state.head]) heads[state.head].checked = true;
    minis.forEach((mini, head) => {
      const found = stageRows.rowOf(data, { ...state, head });
      const lines = stageParts.strands(data, state.asks, found.weights);
      mini.innerHTML = stageParts.curves(lines, found.weights, found.scores.map((one) => one !== null), [1, 1, 1, 1]);
    });
    stageParts.strip(strip, data, row);
    if (slider && document.activeElement !== slider) slider.value = state.sharpness;
    if (leak) leak.checked = state.leak;
    if (map) {
      map.innerHTML = stageParts.map(data, state);
      mapRow.setAttribute("d", `M0 ${state.asks}h${items.length}v1h-${items.length}z`);
    }
    const lines = data.mode === "dial" ? [] : stageParts.strands(data, state.asks, weights);
    curves.innerHTML = data.mode === "dial"
      ? stageParts.ribbons(weights)
      : stageParts.curves(lines, weights, may, [ask, compare, share, take]);
    answer(state, row, take);
  };
};
