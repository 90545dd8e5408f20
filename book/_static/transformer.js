// A whole, small Transformer at work (book/_ext/small_transformer.py): the model of chapter 11 reads
// a date and writes it in digits, and each part of the drawing shows the numbers that it makes.
(() => {
  const PACE = 650; // ms from one symbol to the next
  const LONGEST = 12; // symbols written
  const AT_FIRST = 4; // symbols that are written when it opens: then each part has something to show
  const OFFERED = 4; // of the symbols that may come next, those that can be chosen
  const TALL = 14; // pixels of a small chart of bars
  const GAP = 2; // pixels between maps side by side
  const NEAR = 0.01; // a share that is said

  const PROPOSALS = [
    "pick a symbol other than the likeliest, and let the model go on.",
    "write a date in another language.",
    "open a part: each leads to the chapter that builds it.",
  ];

  const places = (figure) => [...figure.querySelectorAll(".transformer-part")];

  /** All that is seen, before the model is there: nothing moves when it comes. */
  function build(figure) {
    const { element, labeled, title } = live;
    const { text, others } = figure.dataset;
    const source = element("input", {
      ...{ type: "text", value: text, maxlength: 40, size: 20 },
      ...{ spellcheck: "false", autocomplete: "off", autocapitalize: "off" },
    });
    const choices = [text, ...others.split("|")].map(live.button);
    const buttons = ["Write it all", "Start over"].map(live.button);
    const next = Array.from({ length: OFFERED }, () =>
      element("button", { type: "button", "aria-label": "the next symbol" }, element("b", {}, " "), element("span", {}, " ")));
    const written = element("output", { class: "transformer-written", "aria-label": "written" });
    const said = live.status();
    const canvases = {};
    places(figure).forEach((part, i) => {
      part.style.setProperty("--i", `${i}`);
      if (!part.closest(".transformer-alone")) {
        canvases[part.dataset.part] = element("canvas", { "aria-hidden": "true", width: 1, height: 1 });
        part.append(canvases[part.dataset.part]);
      }
    });
    const panel = element("div", { class: "live-panel" },
      element("div", {},
        labeled("It reads a date", source),
        live.toolbar("Dates", { also: "translating-choices" }, ...choices)),
      element("div", {},
        element("p", { class: "live-title" }, "It has written ", written),
        title("What comes next? Take one:"),
        live.toolbar("Next symbol", { also: "transformer-next" }, ...next),
        live.toolbar("Writing", {}, ...buttons)),
      said.line);
    return { panel, focus: source, source, choices, buttons, next, written, said, canvases };
  }

  /** @param {any} x a matrix */
  const rowsOf = (x) => Array.from({ length: x.rows }, (_, i) => [...attention.row(x, i)]);
  const mean = (maps) => {
    const all = maps.map(rowsOf);
    return all[0].map((row, i) => row.map((_, j) =>
      all.reduce((sum, rows) => sum + rows[i][j], 0) / all.length));
  };
  /** Numbers of either sign as shares of the largest. */
  const sized = (x) => {
    const rows = rowsOf(x);
    const most = Math.max(...rows.flat().map(Math.abs)) || 1;
    return rows.map((row) => row.map((number) => Math.abs(number) / most));
  };
  const sideBySide = (maps) => maps[0].map((_, i) => maps.flatMap((rows, k) =>
    [...(k ? Array(GAP).fill(0) : []), ...rows[i]]));
  /** Shares as bars, in pixels. */
  const bars = (shares) => Array.from({ length: TALL }, (_, i) =>
    [...shares].flatMap((share) => [share * TALL > TALL - 1 - i + 0.1 ? 1 : 0, 0]));

  function run(figure, ui, later) {
    const { START, END } = dateSymbols;
    let [model, letters, unknown, read] = [undefined, [], undefined, undefined];
    /** @type {number[]} */
    let written = [START];
    let rows = []; // of each step, what might have come
    let timer;

    const symbol = (token) => dateSymbols.symbol([...model.target_characters], token);
    const text = () => written.slice(1).map(symbol).join("");
    const ended = () => written.at(-1) === END || written.length > LONGEST;

    function readAnew() {
      clearTimeout(timer);
      const found = dateSymbols.read([...model.source_characters], ui.source.value);
      ({ letters, unknown } = found);
      read = letters.length ? { tokens: found.tokens, ...attention.transformerEncoder(model, found.tokens) } : undefined;
      written = [START];
      rows = [];
      show();
    }

    /** One step: what may come next, and all numbers on the way. */
    function step() {
      const found = attention.transformerDecoder(model, read.output, written);
      const last = attention.row(found.logits, written.length - 1);
      return { ...found, chances: attention.nextTokenProbabilities(last) };
    }

    function show() {
      ui.written.textContent = (written.length > 1 && text()) || "nothing yet";
      if (!read) {
        for (const button of [...ui.next, ui.buttons[0]]) button.disabled = true;
        ui.said.soon(unknown ? `The model does not know “${unknown}”. Type a date.` : "Type a date.");
        return;
      }
      const before = ended() ? written.slice(0, -1) : written;
      const taken = written;
      written = before; // what is drawn after the end is the step that led to it
      const found = step();
      written = taken;
      rows[before.length - 1] = [...found.chances];
      rows.length = before.length;
      const order = [...found.chances.keys()].filter((token) => token >= END) // those that can be written
        .sort((a, b) => found.chances[b] - found.chances[a]);
      ui.next.forEach((button, i) => {
        const chance = found.chances[order[i]];
        button.dataset.token = `${order[i]}`;
        button.removeAttribute("aria-label"); // what stands in it says more
        button.firstChild.textContent = symbol(order[i]);
        button.lastChild.textContent = live.percent(chance);
        button.style.setProperty("--weight", chance.toFixed(3));
        button.disabled = ended();
      });
      ui.buttons[0].disabled = ended();
      draw(found);
      ui.said.soon(saying(found.chances, order));
    }

    /** Each part's numbers, where that part stands. */
    function draw({ weights, blocks, chances }) {
      const { layers, sizes } = model;
      const [deep, high] = [read.blocks.at(-1), blocks.at(-1)];
      const D = sizes.embed_dim / sizes.num_heads;
      const lit = layers.encoder.layers.at(-1).feed_forward.linear1;
      const { W_k, W_v } = layers.decoder.at(-1).multihead_attn;
      const first = (x) => sized(x).map((row) => row.slice(0, D));
      const across = mean(high.weights);
      const numbers = {
        embedding: sized(attention.embedding(read.tokens, layers.source_embedding)),
        positions: sized(attention.sinusoidalPositions(letters.length, sizes.embed_dim)),
        self: mean(deep.weights),
        heads: sideBySide(deep.weights.map(rowsOf)),
        norm: sized(deep.attended),
        feed: sized(attention.linear(deep.attended, lit)).map((row, i) =>
          row.map((size, j) => (attention.row(attention.linear(deep.attended, lit), i)[j] > 0 ? size : 0))),
        mask: mean(high.back),
        cross: sideBySide(high.weights.map(rowsOf)),
        align: mean(weights.flat()),
        fed: sized(high.output),
        softmax: bars(chances),
        next: rows,
        lookup: bars(across.at(-1)),
        layer: sideBySide([first(attention.linear(read.output, W_k)), first(attention.linear(read.output, W_v))]),
      };
      for (const [name, canvas] of Object.entries(ui.canvases)) {
        live.heatmap(canvas, numbers[name], getComputedStyle(canvas).color);
      }
    }

    function saying(chances, order) {
      const parts = [];
      if (unknown) parts.push(`The model does not know “${unknown}”: it is left out.`);
      const date = letters.join("").trim();
      if (!dateSymbols.isDate(date, model.words)) {
        parts.push(`“${date}” is no date that it was taught; what it writes is a guess.`);
      }
      if (ended()) {
        parts.push(`It has written ${text()}, where $ is the end: year, month, day.`);
        return parts.join(" ");
      }
      const likely = order.slice(0, OFFERED).filter((token, i) => !i || chances[token] >= NEAR);
      const words = likely.map((token) => `${symbol(token)} ${live.percent(chances[token])}`);
      parts.push(`It has read “${date}” and written ${text() || "nothing yet"}. Next: ${words.join(", ")}.`);
      return parts.join(" ");
    }

    /** A symbol goes through all parts, which light up in their order. */
    function pass() {
      delete figure.dataset.passing;
      void figure.offsetWidth; // so that it begins anew
      figure.dataset.passing = "";
    }

    function take(token) {
      if (ended()) return;
      written = [...written, token];
      show();
      pass();
    }

    const likeliest = () => {
      const { chances } = step();
      return chances.indexOf(Math.max(...chances));
    };

    function writeOn() {
      clearTimeout(timer);
      if (!read || ended() || !figure.isConnected) return;
      take(likeliest());
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) writeOn();
      else timer = setTimeout(writeOn, PACE);
    }

    const all = () => (model ? writeOn() : later(all));
    ui.buttons[0].addEventListener("click", all);
    ui.buttons[1].addEventListener("click", () => {
      ui.source.value = figure.dataset.text;
      if (model) readAnew();
    });
    ui.next.forEach((button) => button.addEventListener("click", () => {
      clearTimeout(timer);
      if (model && read) take(Number(button.dataset.token));
    }));
    ui.source.addEventListener("input", () => model && readAnew());
    for (const choice of ui.choices) {
      choice.addEventListener("click", () => {
        ui.source.value = choice.textContent;
        if (!model) return;
        readAnew();
        writeOn();
      });
    }
    live.whenThemeChanges(() => model && show());
    return (loaded) => {
      model = loaded;
      readAnew();
      for (let i = 0; read && i < AT_FIRST; i++) {
        written = [...written, likeliest()];
        show();
      }
      pass();
    };
  }

  (window.liveKinds ??= []).push(() => live.figures("transformer", build, run, PROPOSALS));
})();
