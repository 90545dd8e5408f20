// A model of the course that writes in the page (book/lab/live.py): the reader types, sees what
// may come next and where every head looks, switches off heads or the mask, and lets it write.
(() => {
  const SHOWN = 10; // characters with their probabilities
  const LONGER = 60; // characters that "Keep writing" adds

  const PROPOSALS = [
    "type a few words of your own.",
    "let it keep writing, at temperature 0 and then at 2.",
    "switch off one head, and let it write again.",
    "give it a word that it cannot have met.",
  ];

  /** A character within a sentence, where a comma would be taken for the sentence's own. */
  const quoted = (letter) => live.named(letter) === letter ? `“${letter}”` : live.named(letter);

  /** All that is seen, before the model is there: nothing moves when it comes. */
  function build(figure) {
    const { element, labeled, slider, title } = live;
    const [numLayers, numHeads] = figure.dataset.heads.split("x").map(Number);
    const text = element("textarea", { rows: 3, spellcheck: "false", autocapitalize: "off" });
    text.value = figure.dataset.text;
    const heat = slider("temperature", { min: 0, max: 2, step: 0.1, value: 1 }, (t) => t.toFixed(1));
    const most = slider("top-k", { min: 1, max: 40, step: 1, value: 40 }, (k) =>
      k < 40 ? `${k}` : "all");
    const causal = live.checkbox("the mask: no position sees a later one", true);
    const buttons = ["Write one", "Keep writing", "Start over"].map(live.button);
    const next = live.bars(SHOWN);
    const maps = [];
    const heads = element("div", { class: "writing-heads" });
    for (let l = 0; l < numLayers; l++) {
      for (let h = 0; h < numHeads; h++) {
        const name = `L${l}.H${h}`;
        const canvas = element("canvas", { role: "img", "aria-label": name, width: 1, height: 1 });
        const on = live.checkbox(name, true);
        const score = element("small", {}, "copies –");
        heads.append(element("div", {}, canvas, on.label, score));
        maps.push({ l, h, name, canvas, on: on.input, score });
      }
    }
    heads.style.setProperty("--heads", numHeads);
    const said = live.status();
    const panel = element(
      "div",
      { class: "live-panel" },
      labeled("The text so far", text),
      live.toolbar("Writing", {}, ...buttons),
      said.line,
      title("What may come next"),
      next,
      ...live.more(figure, "Temperature, the mask, and where each head looks",
        element("div", { class: "live-knobs" }, heat.label, most.label, causal.label),
        title("Where each head looks, one row for each character, and how much it copies; switch a head off"),
        heads),
    );
    const knobs = { heat: heat.input, most: most.input, causal: causal.input };
    return { panel, focus: text, text, ...knobs, buttons, next, maps, said };
  }

  function run(figure, ui, later) {
    const { named } = live;
    // What the page has of the text that stands there first: a score for each next character.
    const known = Object.entries(JSON.parse(figure.dataset.scores ?? "{}"));
    let [model, letters] = [undefined, known.map(([letter]) => letter)];
    let writing = 0; // characters still to come
    let from = Infinity; // where begins what it wrote, until that is said

    /** The text's last tokens, as many as the model sees; what it does not know is left out. */
    function tokens() {
      const all = [...ui.text.value].map((letter) => letters.indexOf(letter));
      const unknown = [...ui.text.value].find((_, i) => all[i] < 0);
      return { seen: all.filter((token) => token >= 0).slice(-model.context), unknown };
    }

    /** Whether there is an answer: the model's, or until it is here, what is known of the first text. */
    const answers = () => model || (known.length && ui.text.value === figure.dataset.text &&
      ui.causal.checked && ui.maps.every(({ on }) => on.checked));

    function compute() {
      if (!model) return answers() ? likely(Float32Array.from(known, ([, score]) => score)) : {};
      const { seen, unknown } = tokens();
      if (!seen.length) return { seen, unknown };
      const off = [];
      for (const { l, h, on } of ui.maps) if (!on.checked) (off[l] ??= []).push(h);
      const found = attention.languageModel(model, seen, { causal: ui.causal.checked, off });
      const last = attention.row(found.logits, seen.length - 1).slice(0, letters.length);
      return { seen, unknown, weights: found.weights, ...likely(last) };
    }

    function likely(scores) {
      const [temperature, k] = [Number(ui.heat.value), Number(ui.most.value)];
      const topK = k < Number(ui.most.max) ? k : letters.length;
      const chances = attention.nextTokenProbabilities(scores, { temperature, topK });
      return { chances, order: [...chances.keys()].sort((a, b) => chances[b] - chances[a]) };
    }

    function show(found) {
      const { seen, unknown, weights, chances, order } = found;
      [...ui.next.children].forEach((line, place) => {
        const token = order?.[place];
        const chance = token === undefined ? 0 : chances[token];
        live.fill(line, chance ? named(letters[token]) : "", chance);
      });
      const color = live.color(figure, "weight");
      for (const { l, h, name, canvas, on, score } of ui.maps) {
        if (!weights) continue;
        const map = weights[l][h];
        const rows = Array.from({ length: map.rows }, (_, i) => attention.row(map, i));
        live.heatmap(canvas, rows, color);
        const last = attention.row(map, seen.length - 1);
        const at = last.indexOf(Math.max(...last));
        const copies = attention.inductionScore(map, seen).toFixed(2);
        score.textContent = `copies ${copies}`;
        canvas.parentElement.toggleAttribute("data-off", !on.checked);
        canvas.setAttribute(
          "aria-label",
          `${name}: the last character looks most at “${named(letters[seen[at]])}”, ` +
            `${seen.length - 1 - at} back, ${live.percent(last[at])}; copying ${copies}`,
        );
      }
      if (!answers()) ui.said.now("The model is loading, and will then go on from your text …");
      if (writing || !answers()) return; // said at its end, not letter by letter
      ui.said.soon(saying(unknown, chances, order));
      from = Infinity;
    }

    function saying(unknown, chances, order) {
      const parts = [];
      const written = ui.text.value.slice(from);
      if (written) parts.push(`It wrote “${written.trim()}”.`);
      if (unknown) parts.push(`The model does not know “${unknown}”: it is left out.`);
      if (order) {
        const best = order.slice(0, 3).filter((token) => chances[token] > 0);
        const words = best.map((token) =>
          `${quoted(letters[token])} ${live.percent(chances[token])}`);
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
      if (writing && !answers()) return later(writeOn);
      if (!writing || !figure.isConnected || !writeOne()) {
        stop();
        update();
        return;
      }
      writing -= 1;
      if (!writing) stop();
      update();
      if (writing) setTimeout(writeOn);
    }

    function one() {
      if (!answers()) return later(one);
      writeOne();
      update();
    }

    function on() {
      if (writing) return stop();
      if (!answers()) return later(on);
      writing = LONGER;
      ui.buttons[1].textContent = "Stop";
      ui.said.now("The model writes …");
      from = ui.text.value.length;
      writeOn();
    }

    const again = ui.buttons[2];
    [one, on].forEach((act, place) => ui.buttons[place].addEventListener("click", act));
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
    live.whenThemeChanges(update);
    if (answers()) {
      update();
      figure.dataset.known = "";
    }
    return (loaded) => {
      [model, letters] = [loaded, [...loaded.characters]];
      update();
    };
  }

  (window.liveKinds ??= []).push(() => live.figures("writing", build, run, PROPOSALS));
})();
