// A grid to draw a digit on (book/lab/live.py), and a Vision Transformer that reads it: its guess,
// the patches as it gets them, which of them it is to go without, and how much of each reaches the
// class token.
(() => {
  const SIDE = 8; // pixels
  const PATCH = 2;
  const STEP = 0.25; // of a pixel: how closely a stroke is dotted
  const ACROSS = SIDE / PATCH;
  const DIGITS = 10;
  const LIKELY = 0.05; // a second guess that is said
  const FIRST = 3; // the example that a figure opens with
  // Shuffled, patch ORDER[n] stands at place n: always the same, so that digits compare.
  const ORDER = [9, 2, 14, 5, 0, 11, 7, 12, 3, 15, 6, 8, 1, 13, 4, 10];
  const IN_ORDER = ORDER.map((_, place) => place);
  const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const POSITIONS = {
    own: "each place has its own",
    along: "they move with the patches",
    none: "there are none",
  };

  /** The ink that a pen leaves at a distance, in pixels: as wide as in the training digits. */
  const ink = (distance) => Math.min(1, Math.max(0, 1.2 - 0.9 * distance));

  /** A letter of "abc...q" for each pixel: from no ink to the darkest. */
  const pixels = (letters) => [...letters].map((letter) => (letter.charCodeAt(0) - 97) / 16);

  /** A place in a square of so many across, in words. */
  const where = (place, across) =>
    `row ${Math.floor(place / across) + 1}, column ${(place % across) + 1}`;

  const PROPOSALS = [
    "tap the patch it needs most.",
    "draw a digit of your own; “Wipe all” makes room.",
    "shuffle the patches.",
    "let the positions move with the shuffled patches.",
    "draw something that is no digit.",
  ];

  /** All that is seen, before the model is there: nothing moves when it comes. */
  function build(figure) {
    const { element, labeled, title } = live;
    const cells = Array.from({ length: SIDE * SIDE }, () =>
      element("div", { role: "gridcell", tabindex: -1 }));
    const rows = Array.from({ length: SIDE }, (_, i) =>
      element("div", { role: "row" }, ...cells.slice(i * SIDE, (i + 1) * SIDE)));
    const grid = element("div", {
      role: "grid",
      class: "drawing-grid",
      "aria-label": "Pixels to draw on: arrow keys move, the space bar draws or wipes",
    }, ...rows);
    const seen = element("canvas", { role: "img", class: "drawing-seen", width: 160, height: 160 });
    const patches = IN_ORDER.map((place) => {
      const button = live.button("");
      button.ariaLabel = `Leave out the patch in ${where(place, ACROSS)}`;
      button.ariaPressed = "false";
      return button;
    });
    const clear = live.button("Wipe all");
    const examples = figure.dataset.examples.split(" ").map((letters, digit) => {
      const drawn = element("canvas", { width: SIDE, height: SIDE });
      const button = live.button(drawn);
      button.ariaLabel = `A held-out ${digit}`;
      return { button, drawn, image: pixels(letters) };
    });
    const shuffle = live.checkbox("shuffle the patches", false);
    const positions = element("select", {}, ...Object.entries(POSITIONS).map(([value, words]) =>
      element("option", { value }, words)));
    const guesses = live.bars(DIGITS);
    const said = live.status();
    const panel = element(
      "div",
      { class: "live-panel" },
      title("Draw a digit, or take one it never saw"),
      live.toolbar("Held-out digits", {}, ...examples.map(({ button }) => button)),
      element("div", { class: "drawing-reading" },
        element("div", { class: "drawing-pair" },
          element("div", {}, grid,
            element("div", { class: "live-buttons" }, element("small", {}, "draw here"), clear)),
          element("div", {},
            element("div", { class: "drawing-patches" }, seen,
              live.toolbar("Patches", {}, ...patches)),
            element("small", {}, "16 patches: more color, more of the answer (an estimate). Tap one to leave it out."))),
        element("div", {}, title("What it reads"), guesses)),
      said.line,
      ...live.more(figure, "Shuffle the patches, change their positions",
        element("div", { class: "live-knobs" }, shuffle.label, labeled("positions:", positions))),
    );
    const [focus] = cells;
    focus.tabIndex = 0;
    const inputs = { shuffle: shuffle.input, positions };
    return { panel, focus, grid, cells, seen, patches, clear, examples, ...inputs, guesses, said };
  }

  /** The image whose patch at place n is patch order[n] of this one. */
  function moved(image, order) {
    return attention.matrix(SIDE, SIDE, image.numbers.map((_, at) => {
      const [i, j] = [Math.floor(at / SIDE), at % SIDE];
      const from = order[Math.floor(i / PATCH) * ACROSS + Math.floor(j / PATCH)];
      const row = Math.floor(from / ACROSS) * PATCH + (i % PATCH);
      return image.numbers[row * SIDE + (from % ACROSS) * PATCH + (j % PATCH)];
    }));
  }

  /** Pixels in gray, and over each patch as much of the color as its share of the largest. */
  function draw(canvas, image, strength, shares = []) {
    const context = canvas.getContext("2d");
    const [pixel, patch] = [canvas.width / SIDE, (canvas.width / SIDE) * PATCH];
    context.clearRect(0, 0, canvas.width, canvas.width);
    const square = (place, across, side, alpha, gap = 0) => {
      context.globalAlpha = alpha;
      const [left, top] = [(place % across) * side + gap, Math.floor(place / across) * side + gap];
      context.fillRect(left, top, side - 2 * gap, side - 2 * gap);
    };
    context.fillStyle = getComputedStyle(canvas).color;
    image.forEach((level, place) => square(place, SIDE, pixel, strength * level));
    context.fillStyle = live.color(canvas, "weight");
    const most = Math.max(...shares);
    shares.forEach((share, place) => square(place, ACROSS, patch, (0.9 * share) / most, 1));
  }

  function run(figure, ui) {
    let model;
    const image = attention.matrix(SIDE, SIDE);
    let taken; // the example that stands there
    let untouched = true; // what stands there is what the figure opened with
    let [pen, at] = [undefined, 0]; // where the pointer draws, and which pixel the keyboard is at

    function take(digit) {
      image.numbers.set(ui.examples[digit].image);
      show(`The held-out ${digit}`);
    }

    function show(name) {
      taken = name;
      ui.cells.forEach((cell, place) => {
        const level = image.numbers[place];
        cell.style.setProperty("--ink", level);
        cell.ariaLabel = `${where(place, SIDE)}, ink ${Math.round(100 * level)}%`;
      });
      if (model) read();
    }

    function read() {
      const order = ui.shuffle.checked ? ORDER : IN_ORDER;
      const seen = moved(image, order);
      const own = model.layers.patch_embedding.positions;
      const along = attention.matrix(own.rows, own.columns);
      [-1, ...order].forEach((from, place) =>
        attention.row(along, place).set(attention.row(own, from + 1)));
      const positions = { own, along, none: null }[ui.positions.value];
      const left = IN_ORDER.filter((place) => ui.patches[place].ariaPressed === "false");
      const { logits, weights } = attention.visionTransformer(model, seen, { positions, left });
      const chances = attention.softmax(logits).numbers;
      const rollout = attention.row(attention.attentionRollout(weights), 0);
      const shares = IN_ORDER.map(() => 0);
      left.forEach((place, i) => (shares[place] = rollout[i + 1]));

      const blank = !image.numbers.some(Boolean);
      [...ui.guesses.children].forEach((line, digit) =>
        live.fill(line, `${digit}`, blank ? 0 : chances[digit]));
      draw(ui.seen, seen.numbers, 0.6, blank || !left.length ? [] : shares);
      const most = shares.indexOf(Math.max(...shares));
      ui.seen.ariaLabel = blank ? "16 empty patches" : !left.length ? "No patch is left" :
        `${left.length} patches as the model gets them; most of the class token, by the rollout, ` +
        `comes from the patch in ${where(most, ACROSS)}: ${live.percent(shares[most])}`;
      ui.said.soon(saying(blank, chances, left.length));
    }

    function saying(blank, chances, left) {
      if (blank) return "Nothing is drawn yet.";
      const [best, next] = [...chances.keys()].sort((a, b) => chances[b] - chances[a]);
      const of = (digit) => `${digit} (${live.percent(chances[digit])})`;
      const then = chances[next] < LIKELY ? "" : `, then ${of(next)}`;
      const parts = [`${taken ?? "It"} is read as ${of(best)}${then}.`];
      if (left < IN_ORDER.length) parts.push(`It got ${left} of the ${IN_ORDER.length} patches.`);
      if (ui.shuffle.checked) parts.push("The patches are shuffled.");
      if (ui.positions.value === "none") parts.push("Without positions it sees a set of patches.");
      if (ui.positions.value === "along" && ui.shuffle.checked) {
        parts.push("Their positions moved with them: the same answer as in order.");
      }
      return parts.join(" ");
    }

    /** Leave ink along a line, in pixels from the grid's corner. */
    function stroke(from, to) {
      const steps = Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / STEP) || 1;
      for (let step = 0; step <= steps; step++) {
        const [x, y] = [0, 1].map((axis) => from[axis] + ((to[axis] - from[axis]) * step) / steps);
        image.numbers.forEach((level, place) => {
          const distance = Math.hypot((place % SIDE) + 0.5 - x, Math.floor(place / SIDE) + 0.5 - y);
          image.numbers[place] = Math.max(level, ink(distance));
        });
      }
      show();
    }

    /** Who begins to draw begins on an empty grid. */
    function makeRoom() {
      if (untouched) image.numbers.fill(0);
      untouched = false;
    }

    function point({ clientX, clientY }) {
      const { left, top, width, height } = ui.grid.getBoundingClientRect();
      return [((clientX - left) / width) * SIDE, ((clientY - top) / height) * SIDE];
    }

    function move(to) {
      ui.cells[at].tabIndex = -1;
      at = to;
      ui.cells[at].tabIndex = 0;
      ui.cells[at].focus({ preventScroll: true });
    }

    ui.grid.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault(); // no text is selected, no picture dragged
      ui.grid.setPointerCapture(event.pointerId);
      pen = point(event);
      makeRoom();
      const place = ui.cells.indexOf(event.target);
      if (place >= 0) move(place);
      stroke(pen, pen);
    });
    ui.grid.addEventListener("pointermove", (event) => {
      if (!pen) return;
      const to = point(event);
      stroke(pen, to);
      pen = to;
    });
    for (const end of ["pointerup", "pointercancel"]) {
      ui.grid.addEventListener(end, () => (pen = undefined));
    }
    ui.grid.addEventListener("keydown", (event) => {
      const [down, right] = ARROWS[event.key] ?? [];
      const [i, j] = [Math.floor(at / SIDE) + down, (at % SIDE) + right];
      if (event.key === " " || event.key === "Enter") {
        makeRoom();
        image.numbers[at] = image.numbers[at] ? 0 : 1;
        show();
      } else if (down === undefined) {
        return;
      } else if (i >= 0 && i < SIDE && j >= 0 && j < SIDE) {
        move(i * SIDE + j);
      }
      event.preventDefault();
    });
    ui.clear.addEventListener("click", () => {
      untouched = false;
      image.numbers.fill(0);
      show();
    });
    ui.examples.forEach(({ button }, digit) => {
      button.addEventListener("click", () => {
        untouched = false;
        take(digit);
      });
    });
    for (const button of ui.patches) {
      button.addEventListener("click", () => {
        button.ariaPressed = `${button.ariaPressed === "false"}`;
        show(taken);
      });
    }
    for (const input of [ui.shuffle, ui.positions]) input.addEventListener("input", () => show(taken));
    function drawAll() {
      for (const { drawn, image: example } of ui.examples) draw(drawn, example, 1);
      show(taken);
    }
    live.whenThemeChanges(drawAll);
    drawAll();
    take(Number(figure.dataset.first ?? FIRST));
    return (loaded) => {
      model = loaded;
      read();
    };
  }

  (window.liveKinds ??= []).push(() => live.figures("drawing", build, run, PROPOSALS));
})();
