// A model of the course that writes in the page (book/lab/writing.py): the reader types, sees what
// may come next and where every head looks, switches off heads or the mask, and lets it write.
// Its weights are loaded when the reader asks for them (attention.js).
(() => {
  const SHOWN = 10; // characters with their probabilities
  const LONGER = 60; // characters that "Keep writing" adds
  const SETTLED = 500; // ms without a change, until the result is said
  const NAMES = { " ": "space", "\n": "new line", "\t": "tab" };
  const named = (letter) => NAMES[letter] ?? letter;

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  const labeled = (words, input, ...others) =>
    element("label", {}, element("span", {}, words), input, ...others);

  function slider(words, { min, max, step, value }, shown) {
    const input = element("input", { type: "range", min, max, step, value });
    const output = element("output", {}, shown(value));
    input.addEventListener("input", () => (output.textContent = shown(Number(input.value))));
    return { input, label: labeled(words, input, output) };
  }

  /** All that is seen, before the model is there: nothing moves when it comes. */
  function build(figure, numLayers, numHeads) {
    const text = element("textarea", { rows: 3, spellcheck: "false", autocapitalize: "off" });
    text.value = figure.dataset.text;
    const heat = slider("temperature", { min: 0, max: 2, step: 0.1, value: 1 }, (t) => t.toFixed(1));
    const most = slider("top-k", { min: 1, max: 40, step: 1, value: 40 }, (k) =>
      k < 40 ? `${k}` : "all");
    const causal = element("input", { type: "checkbox", checked: "" });
    const buttons = ["Write one", "Keep writing", "Start over"].map((words) =>
      element("button", { type: "button" }, words));
    const next = element("ol", { class: "writing-next" });
    for (let i = 0; i < SHOWN; i++) {
      next.append(element("li", {}, element("b"), element("i"), element("span")));
    }
    const maps = [];
    const heads = element("div", { class: "writing-heads" });
    for (let l = 0; l < numLayers; l++) {
      for (let h = 0; h < numHeads; h++) {
        const name = `layer ${l + 1}, head ${h + 1}`;
        const canvas = element("canvas", { role: "img", "aria-label": name, width: 1, height: 1 });
        const on = element("input", { type: "checkbox", checked: "" });
        const score = element("small", {}, "copies –");
        heads.append(element("div", {}, canvas, labeled(name, on), score));
        maps.push({ l, h, name, canvas, on, score });
      }
    }
    heads.style.setProperty("--heads", numHeads);
    const said = element("p", { class: "writing-said", role: "status" }, "The model is loading …");
    const panel = element(
      "div",
      { class: "writing-panel" },
      labeled("The text so far", text),
      element("div", { class: "writing-buttons" }, ...buttons),
      said,
      element("p", { class: "writing-title" }, "What may come next"),
      next,
      element("div", { class: "writing-knobs" }, heat.label, most.label,
        labeled("the mask: no position sees a later one", causal)),
      element("p", { class: "writing-title" },
        "Where each head looks, one row for each character; switch a head off"),
      heads,
    );
    return { panel, text, heat: heat.input, most: most.input, causal, buttons, next, maps, said };
  }

  function draw(canvas, weights, color) {
    [canvas.width, canvas.height] = [weights.columns, weights.rows];
    const context = canvas.getContext("2d");
    context.fillStyle = color;
    for (let i = 0; i < weights.rows; i++) {
      attention.row(weights, i).forEach((weight, j) => {
        context.globalAlpha = Math.min(1, weight);
        context.fillRect(j, i, 1, 1);
      });
    }
  }

  function run(figure, model, ui) {
    const letters = [...model.characters];
    let [writing, timer] = [0, undefined];
    let from = Infinity; // where begins what it wrote, until that is said

    /** The text's last tokens, as many as the model sees; what it does not know is left out. */
    function tokens() {
      const all = [...ui.text.value].map((letter) => letters.indexOf(letter));
      const unknown = [...ui.text.value].find((_, i) => all[i] < 0);
      return { seen: all.filter((token) => token >= 0).slice(-model.context), unknown };
    }

    function compute() {
      const { seen, unknown } = tokens();
      if (!seen.length) return { seen, unknown };
      const off = [];
      for (const { l, h, on } of ui.maps) if (!on.checked) (off[l] ??= []).push(h);
      const found = attention.languageModel(model, seen, { causal: ui.causal.checked, off });
      const last = attention.row(found.logits, seen.length - 1).slice(0, letters.length);
      const [temperature, k] = [Number(ui.heat.value), Number(ui.most.value)];
      const topK = k < Number(ui.most.max) ? k : letters.length;
      const chances = attention.nextTokenProbabilities(last, { temperature, topK });
      const order = [...chances.keys()].sort((a, b) => chances[b] - chances[a]);
      return { seen, unknown, weights: found.weights, chances, order };
    }

    function show(found) {
      const { seen, unknown, weights, chances, order } = found;
      [...ui.next.children].forEach((line, place) => {
        const [name, bar, number] = line.children;
        const token = order?.[place];
        const chance = token === undefined ? 0 : chances[token];
        name.textContent = chance ? named(letters[token]) : "";
        number.textContent = chance ? chance.toFixed(2) : "";
        bar.style.setProperty("--weight", chance);
      });
      const color = getComputedStyle(figure).getPropertyValue("--course-weight");
      for (const { l, h, name, canvas, on, score } of ui.maps) {
        if (!weights) continue;
        const map = weights[l][h];
        draw(canvas, map, color);
        const last = attention.row(map, seen.length - 1);
        const at = last.indexOf(Math.max(...last));
        const copies = attention.inductionScore(map, seen).toFixed(2);
        score.textContent = `copies ${copies}`;
        canvas.parentElement.toggleAttribute("data-off", !on.checked);
        canvas.setAttribute(
          "aria-label",
          `${name}: the last character looks most at “${named(letters[seen[at]])}”, ` +
            `${seen.length - 1 - at} back, ${last[at].toFixed(2)}; copying ${copies}`,
        );
      }
      clearTimeout(timer);
      if (writing) return; // what it wrote is said at its end, not letter by letter
      timer = setTimeout(() => {
        ui.said.textContent = saying(unknown, chances, order);
        from = Infinity;
      }, SETTLED);
    }

    function saying(unknown, chances, order) {
      const parts = [];
      const written = ui.text.value.slice(from);
      if (written) parts.push(`It wrote “${written.trim()}”.`);
      if (unknown) parts.push(`The model does not know “${unknown}”: it is left out.`);
      if (order) {
        const best = order.slice(0, 3).filter((token) => chances[token] > 0);
        const words = best.map((token) =>
          `${named(letters[token])} ${chances[token].toFixed(2)}`);
        parts.push(`Next: ${words.join(", ")}.`);
      } else {
        parts.push("Type something for the model to go on from.");
      }
      if (!ui.causal.checked) parts.push("Without its mask: nothing it was trained to see.");
      const off = ui.maps.filter(({ on }) => !on.checked).length;
      if (off) parts.push(`${off} of ${ui.maps.length} heads are off.`);
      return parts.join(" ");
    }

    const update = () => show(compute());

    function writeOne() {
      const { chances } = compute();
      if (!chances) return false;
      let drawn = Math.random();
      let token = chances.findIndex((chance) => (drawn -= chance) < 0);
      if (token < 0) token = chances.indexOf(Math.max(...chances));
      ui.text.value += letters[token];
      ui.text.scrollTop = ui.text.scrollHeight;
      return true;
    }

    function stop() {
      writing = 0;
      ui.buttons[1].textContent = "Keep writing";
    }

    function writeOn() {
      if (!writing || !figure.isConnected || !writeOne()) {
        stop();
        update();
        return;
      }
      writing -= 1;
      update();
      setTimeout(writeOn);
    }

    const [one, on, again] = ui.buttons;
    one.addEventListener("click", () => {
      writeOne();
      update();
    });
    on.addEventListener("click", () => {
      if (writing) return stop();
      writing = LONGER;
      on.textContent = "Stop";
      ui.said.textContent = "The model writes …";
      from = ui.text.value.length;
      writeOn();
    });
    again.addEventListener("click", () => {
      stop();
      ui.text.value = figure.dataset.text;
      for (const { on: switched } of ui.maps) switched.checked = true;
      ui.causal.checked = true;
      for (const [knob, value] of [[ui.heat, 1], [ui.most, ui.most.max]]) {
        knob.value = value;
        knob.dispatchEvent(new Event("input"));
      }
      update();
    });
    for (const input of [ui.text, ui.heat, ui.most, ui.causal, ...ui.maps.map(({ on }) => on)]) {
      input.addEventListener("input", update);
    }
    new MutationObserver(update).observe(document.documentElement, {
      attributeFilter: ["data-theme"],
    });
    update();
    figure.dataset.started = "";
  }

  function start(figure) {
    const { model, heads, size } = figure.dataset;
    const button = element("button", { type: "button", class: "writing-load" },
      `Load the model (${size})`);
    figure.querySelector("p").replaceWith(button);
    button.addEventListener("click", async () => {
      const ui = build(figure, ...heads.split("x").map(Number));
      button.replaceWith(ui.panel);
      ui.text.focus();
      try {
        run(figure, await attention.loadModel(model), ui);
      } catch (error) {
        ui.said.textContent = `The model could not be loaded: ${error.message}.`;
      }
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("figure.writing[data-size]").forEach(start);
  });
})();
