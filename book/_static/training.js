// A model that the reader trains in the page (book/lab/live.py): the loss is drawn as it falls, beside what
// the model can do by then and where its heads look. A worker takes the steps (learning.js).
(() => {
  const STEPS = 5; // taken at a time: between them the reader may pause
  const FEWER_LOOKS = 50; // the same, for whom motion is to be reduced
  const SEEDS = 10;
  const DEPTHS = ["No layer", "One layer", "Two layers"];
  const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-";
  const percent = (share) => `${Math.round(100 * share)}%`;

  /** Chapter 10's pairs: what is guessed after each letter that was there before, and every head's map. */
  function copying() {
    const { element, title } = live;
    const guesses = element("ol", { class: "training-guesses" });
    const heads = element("div", { class: "writing-heads" });
    heads.style.setProperty("--heads", 4);
    const maps = ["L0.H0", "L0.H1", "L1.H0", "L1.H1"].map((name) => {
      const canvas = element("canvas", { role: "img", width: 1, height: 1, "aria-label": name });
      const scores = [element("small", {}, "one back –"), element("small", {}, "copies –")];
      const place = element("div", {}, canvas, element("b", {}, name), ...scores);
      heads.append(place);
      return { name, canvas, scores, place };
    });
    const row = element("p", { class: "training-row" });
    function show(figure, { guesses: all, maps: layers, sample }) {
      row.textContent = sample.map((token, i) => LETTERS[token] + (i % 2 ? " " : "")).join("");
      guesses.replaceChildren(...all.map(({ after, said, right }) => {
        const marked = said === right ? "right" : `wrong: ${LETTERS[right]}`;
        return element("li", { "data-right": said === right },
          `${LETTERS[after]} → ${LETTERS[said]}`, element("small", {}, marked));
      }));
      const color = live.color(figure, "weight");
      maps.forEach(({ name, canvas, scores: [before, after], place }, n) => {
        const found = layers[n >> 1]?.[n % 2];
        place.hidden = !found;
        if (!found) return;
        live.heatmap(canvas, found.shown, color);
        before.textContent = `one back ${found.before.toFixed(2)}`;
        after.textContent = `copies ${found.after.toFixed(2)}`;
        canvas.ariaLabel = `${name}: ${before.textContent}, ${after.textContent}`;
      });
    }
    return {
      show,
      depths: [2, 1],
      highest: 7,
      unit: "bits",
      inUnit: (loss) => loss / Math.log(2),
      can: (right) => `${percent(right)} of the copies right`,
      parts: [
        title("A row of six pairs, and what it expects when the pairs come again"), row, guesses,
        title("Where each head looks in this row, one line for each letter that asks"), heads,
      ],
    };
  }

  /** Chapter 5's sentences: what "bank" looks at by the river and with money, and what it guesses. */
  function sentences() {
    const { element, title } = live;
    const looks = ["river", "money"].map(() => {
      const [words, guesses] = [live.bars(5), element("p")];
      return { words, guesses, part: element("div", {}, words, guesses) };
    });
    function show(_, { looks: found }) {
      looks.forEach(({ words, guesses }, n) => {
        found[n].words.forEach(([word, weight], i) => live.fill(words.children[i], word, weight));
        guesses.textContent = `In the gap it expects: ${found[n].guesses.join(", ")}.`;
      });
    }
    return {
      show,
      depths: [1, 0],
      highest: 6,
      unit: "",
      inUnit: (loss) => loss,
      can: (right) => `${percent(right)} of the held-out nouns told apart`,
      parts: [
        title("Whom “bank” looks at, and what it guesses"),
        element("div", { class: "training-looks" }, ...looks.map(({ part }) => part)),
      ],
    };
  }

  const KINDS = { copying, sentences };

  function select(words, options) {
    const input = live.element("select", {}, ...options.map(([value, shown]) =>
      live.element("option", { value }, shown)));
    return { input, label: live.labeled(words, input) };
  }

  /** All that is seen before anything is trained: nothing moves when it is. */
  function build(figure) {
    const { element } = live;
    const kind = KINDS[figure.dataset.model]();
    const depth = select("the model", kind.depths.map((layers) => [layers, DEPTHS[layers]]));
    const seed = select("seed", Array.from({ length: SEEDS }, (_, n) => [n, n]));
    const train = live.button(`Train (loads ${figure.dataset.size})`);
    const progress = element("p", { class: "training-progress" }, "Not trained yet.");
    const chart = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [name, value] of Object.entries({
      viewBox: `0 0 1 ${kind.highest}`, preserveAspectRatio: "none", "aria-hidden": "true",
    })) chart.setAttribute(name, value);
    const upTo = `loss, from 0 to ${kind.highest} ${kind.unit}`;
    const last = element("span", {}, "the last step");
    const axes = element("div", { class: "training-chart" },
      element("span", {}, upTo), chart,
      element("span", {}, "step 0"), last);
    const runs = element("ol", { class: "training-runs", "aria-label": "What was trained so far" });
    const said = live.status("");
    said.line.classList.add("visually-hidden");
    const panel = element("div", { class: "live-panel" },
      element("div", { class: "live-buttons" }, train, depth.label, seed.label),
      progress, said.line, axes, runs, ...kind.parts);
    panel.append(live.proposed(panel, figure.dataset.try?.split("|") ?? []));
    return { kind, panel, train, depth: depth.input, seed: seed.input, progress, chart, last, runs, said };
  }

  function start(figure) {
    const ui = build(figure);
    const { kind } = ui;
    figure.querySelector(".training-still").replaceWith(ui.panel);
    const chunk = matchMedia("(prefers-reduced-motion: reduce)").matches ? FEWER_LOOKS : STEPS;
    let [run, seen] = [undefined, undefined];

    const rest = () => ui.train.textContent = run && !run.done ? (run.going ? "Pause" : "Go on") : "Train";

    function draw() {
      const { line, losses, steps } = run;
      const points = losses.map((loss, i) =>
        `${i / steps},${kind.highest - Math.min(kind.highest, kind.inUnit(loss))}`);
      line.setAttribute("points", points.join(" "));
      ui.last.textContent = `step ${steps}`;
    }

    function tell() {
      const { losses, steps, name, right, began, waited } = run;
      if (right === undefined) return; // it is loading
      const loss = losses.length ? `, loss ${kind.inUnit(losses.at(-1)).toFixed(2)} ${kind.unit}` : "";
      const left = ((performance.now() - began - waited) / losses.length) * (steps - losses.length);
      const time = run.going && losses.length > 20 ? `, about ${Math.ceil(left / 1000)} s left` : "";
      const words = `${loss.trimEnd()}, ${kind.can(right)}`;
      ui.progress.textContent = `Step ${losses.length} of ${steps}${words}${time}.`;
      run.result = `${name}, step ${losses.length}${words}`;
    }

    /** End a run before its time, or when it is through. */
    function end() {
      run.worker.terminate();
      Object.assign(run, { done: true, going: false });
      run.line.removeAttribute("data-now");
      if (run.result) ui.runs.append(live.element("li", {}, run.result));
      rest();
    }

    function heard(data) {
      if (data.seen) {
        seen = data.seen;
        run.right = seen.right;
        kind.show(figure, seen);
      }
      if (data.steps) run.steps = data.steps;
      run.losses.push(...(data.losses ?? []));
      tell();
      draw();
      run.asked = false;
      if (run.losses.length === run.steps) {
        end();
        ui.said.now(`Trained. ${ui.progress.textContent}`);
      } else ask();
    }

    function ask() {
      if (!run.going || run.asked) return;
      if (!figure.isConnected) return end();
      run.asked = true;
      run.worker.postMessage({ take: chunk - (run.losses.length % chunk) });
    }

    function failed(error) {
      if (run) end();
      ui.said.now(`It could not be trained: ${error.message}. Reload the page to try again.`);
      ui.progress.textContent = ui.said.line.lastChild.textContent;
    }

    async function begin() {
      const [layers, seed] = [Number(ui.depth.value), Number(ui.seed.value)];
      const name = `${DEPTHS[layers]}, seed ${seed}`;
      ui.progress.textContent = "It is loading …";
      const { worker: text, data } = await attention.handedOver(figure.dataset.model);
      const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
      const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
      line.toggleAttribute("data-fewer", layers < kind.depths[0]);
      line.dataset.now = "";
      ui.chart.append(line);
      run = {
        ...{ worker, line, name, losses: [], going: true, asked: true, waited: 0 },
        began: performance.now(),
      };
      worker.onmessage = (message) => heard(message.data);
      worker.onerror = failed;
      worker.postMessage({ begin: { name: figure.dataset.model, layers, seed, data } });
      ui.said.now(`${name}: training begins.`);
    }

    async function pressed() {
      if (!run || run.done) {
        ui.train.disabled = true;
        await begin().catch(failed);
        ui.train.disabled = false;
      } else {
        run.going = !run.going;
        if (run.going) run.waited += performance.now() - run.since;
        else run.since = performance.now();
        ui.said.now(run.going ? "It goes on." : `Paused. ${ui.progress.textContent}`);
        ask();
      }
      rest();
      if (run) tell();
    }

    ui.train.addEventListener("click", pressed);
    for (const knob of [ui.depth, ui.seed]) {
      knob.addEventListener("change", () => {
        if (run && !run.done) end();
      });
    }
    live.whenThemeChanges(() => seen && kind.show(figure, seen));
    figure.dataset.started = "";
  }

  (window.liveKinds ??= []).push(() => {
    for (const figure of document.querySelectorAll("figure.live.training:has(.training-still)")) {
      start(figure);
    }
  });
})();
