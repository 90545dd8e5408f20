// The attention machine at work (book/_ext/attention_machine.py has the drawing): a reader steps
// through it, changes a number, and sees what follows. Everything is computed by attention.js.
(() => {
  const sign = (text) => text.replace(/^-(?=0(\.0*)?$)/, "").replace("-", "−");
  const shown = (number, digits) => sign(number.toFixed(digits));
  const COLUMNS = ["keys", "scores", "scale", "mask", "weights", "values"];
  const SETTLED = 400; // ms without a change, until what changed is said
  const SCROLLED = 150; // ms without a further step, until a step that was scrolled to is said

  // What is lit in each step, and what there is to say: of the numbers, of the chosen row's token.
  // In what is said, W_q is written with a subscript, and {words} open what they name.
  const STEPS = [
    {
      name: "asks",
      lit: ["asking", "positions", "projections", "query"],
      say: ({ query, asking }) =>
        `${asking} asks. Its vector, with its position in it, times the matrix W_q is its query: ` +
        `32 numbers, of which ${shown(query[0], 2)} and ${shown(query[1], 2)} are the first two.`,
    },
    {
      name: "keys",
      lit: ["asked", "projections", "keys"],
      say: ({ key, token }) =>
        `Every token is asked, and shows its key, made by the matrix W_k. The key of ${token} ` +
        `begins with ${shown(key[0], 2)} and ${shown(key[1], 2)}.`,
    },
    {
      name: "scores",
      lit: ["query", "keys", "scores"],
      say: ({ query, key, rest, score, token }) =>
        `Query times key, number by number, added up. For ${token}: ` +
        `${shown(query[0], 2)} × ${shown(key[0], 2)} + ${shown(query[1], 2)} × ` +
        `${shown(key[1], 2)} = ${shown(score - rest, 2)} from the two numbers that stand here, ` +
        `and ${shown(rest, 2)} from thirty more, which chapter 13 computes: ${shown(score, 1)}.`,
    },
    {
      name: "scale",
      lit: ["scores", "scale"],
      say: ({ score, scaled, scaling, token }) =>
        scaling
          ? `Long vectors have large scores. Divided by √32 = 5.66, the score of ${token} is ` +
            `${shown(score, 1)} ÷ 5.66 = ${shown(scaled, 1)}.`
          : `The scores are not divided by √32: ${token} keeps ${shown(score, 1)}, and softmax ` +
            "will give nearly everything to the largest.",
    },
    {
      name: "mask",
      lit: ["mask"],
      say: ({ allowed, all, asking }) =>
        allowed === all
          ? `Who may be looked at? In this model ${asking} may look at all ${all} tokens. A model ` +
            "that writes may not look at what follows: try it with {the switch}."
          : `${asking} may look at ${allowed} of ${all} tokens. What is masked gets a score of ` +
            "minus infinity, and so a weight of exactly zero.",
    },
    {
      name: "softmax",
      lit: ["softmax", "weights"],
      say: ({ may, scaled, exponential, total, weight, token }) =>
        may
          ? `Softmax: e to the power of each score, divided by the sum of all. For ${token}: ` +
            `e^${shown(scaled, 2)} = ${shown(exponential, 1)}, of ${shown(total, 1)} in all: a ` +
            `weight of ${shown(weight, 2)}.`
          : `Softmax: e to the power of each score, divided by the sum of all. ${token} is ` +
            "masked: its weight is 0, and the others still sum to 1.",
    },
    {
      name: "average",
      lit: ["weights", "values", "sum", "output"],
      say: ({ best, output }) =>
        "Each value times its weight, added up. The second number: " +
        best.map(([w, v]) => `${shown(w, 2)} × ${shown(v, 2)}`).join(" + ") +
        ` + … = ${shown(output[1], 2)}. That is what this head passes on.`,
    },
    {
      name: "around it",
      lit: ["heads", "block"],
      say: () =>
        "Eleven other heads do the same with matrices of their own. Their outputs, side by side, " +
        "go through one more matrix; around it stand the addition of the input, a norm and a " +
        "feed-forward network.",
    },
  ];

  /** Every number of the machine, from those that a reader may change. */
  function computed(row, state) {
    const { matrix, row: rowOf, products, scaled, masked, softmax, weightedSum } = attention;
    const of = (rows) => matrix(rows.length, rows[0].length, Float32Array.from(rows.flat()));
    const now = of([[...state.query, 1]]);
    const keys = of(state.keys.map((key, j) => [...key, state.rest[j]]));
    // The third number stands for the other thirty of the 32, which stay as they are.
    const scores = products(now, keys);
    const divided = state.scaling ? scaled(scores, row.width) : scores;
    const weights = softmax(masked(divided, (_, j) => state.may[j]));
    return {
      scores: [...rowOf(scores, 0)],
      scaled: [...rowOf(divided, 0)],
      weights: [...rowOf(weights, 0)],
      output: [...rowOf(weightedSum(weights, of(state.values)), 0)],
    };
  }

  function start(figure, number) {
    const row = JSON.parse(figure.dataset.row);
    const find = (selector) => figure.querySelector(selector);
    const said = find(".machine-said");
    const opening = said.textContent;
    const fold = find(".machine-change");
    const parts = [...figure.querySelectorAll("[data-part]")];
    const litFirst = parts.filter((part) => "lit" in part.dataset).map((part) => part.dataset.part);
    const rows = [...figure.querySelectorAll("tbody tr")];
    const inputs = Object.fromEntries(
      [...figure.querySelectorAll("[data-change]")].map((input) => [input.dataset.change, input]),
    );
    const quoted = (j) => `“${row.tokens[j]}”`;
    let [state, step, timer] = [null, 0, undefined];

    function reset() {
      const copy = (rows) => rows.map((numbers) => [...numbers]);
      state = {
        query: [...row.query],
        keys: copy(row.keys),
        values: copy(row.values),
        rest: row.scores.map((score, j) => score - attentionDot(row.query, row.keys[j])),
        may: row.tokens.map(() => true),
        scaling: true,
        chosen: row.tokens.indexOf("milk"),
      };
    }

    const attentionDot = (a, b) => a.reduce((sum, number, i) => sum + number * b[i], 0);

    function show() {
      const { scores, scaled, weights, output } = computed(row, state);
      const vector = (numbers) => numbers.map((number) => shown(number, 1)).join(" ");
      find("[data-number=query]").textContent = vector(state.query);
      find("[data-number=output]").textContent = vector(output);
      rows.forEach((line, j) => {
        const words = {
          keys: vector(state.keys[j]),
          scores: shown(scores[j], 1),
          scale: shown(scaled[j], 1),
          mask: state.may[j] ? "yes" : "no",
          values: vector(state.values[j]),
        };
        COLUMNS.forEach((column, at) => {
          if (column in words) line.cells[at + 1].textContent = words[column];
        });
        line.querySelector("td > span").textContent = shown(weights[j], 2);
        line.querySelector(".machine-bar").style.setProperty("--weight", weights[j]);
        line.toggleAttribute("data-chosen", j === state.chosen);
        line.toggleAttribute("data-masked", !state.may[j]);
      });
      showControls();
    }

    function showControls() {
      const j = state.chosen;
      const sliders = {
        "query-0": state.query[0],
        "query-1": state.query[1],
        "key-0": state.keys[j][0],
        "key-1": state.keys[j][1],
        "value-0": state.values[j][0],
      };
      for (const [name, value] of Object.entries(sliders)) {
        if (document.activeElement !== inputs[name]) inputs[name].value = value;
        find(`output[data-of=${name}]`).textContent = shown(value, 2);
      }
      inputs.mask.checked = state.may[j];
      inputs.causal.checked = row.tokens.every((_, other) => state.may[other] === (other <= row.asking));
      inputs.scale.checked = state.scaling;
      find(".machine-chosen").textContent = `The row of ${quoted(j)}. Choose another in the table.`;
      rows[j].querySelector("input").checked = true;
    }

    /** All that a step may speak of. */
    function facts() {
      const [j, found] = [state.chosen, computed(row, state)];
      const exponentials = found.scaled.map((z, other) => (state.may[other] ? Math.exp(z) : 0));
      const order = [...found.weights.keys()].sort((a, b) => found.weights[b] - found.weights[a]);
      return {
        query: state.query,
        key: state.keys[j],
        rest: state.rest[j],
        score: found.scores[j],
        scaled: found.scaled[j],
        scaling: state.scaling,
        exponential: exponentials[j],
        total: exponentials.reduce((a, b) => a + b),
        weight: found.weights[j],
        may: state.may[j],
        allowed: state.may.filter(Boolean).length,
        all: row.tokens.length,
        best: order.slice(0, 2).map((other) => [found.weights[other], state.values[other][1]]),
        output: found.output,
        asking: quoted(row.asking),
        token: quoted(j),
      };
    }

    function element(name, ...children) {
      const made = document.createElement(name);
      made.append(...children);
      return made;
    }

    /** A button in what is said: it opens the fold with all that can be changed, at the switch. */
    function toTheSwitch(words) {
      const button = element("button", words);
      button.type = "button";
      button.addEventListener("click", () => {
        if (wish.checked) wish.click(); // what can be changed is put away while scrolling steps
        fold.open = true;
        inputs.causal.focus();
      });
      return button;
    }

    function write(words) {
      said.replaceChildren(...words.split(/(W_\w|\{.*?\})/).map((piece) => {
        if (piece.startsWith("{")) return toTheSwitch(piece.slice(1, -1));
        if (!piece.startsWith("W_")) return piece;
        return element("span", element("i", "W"), element("sub", piece[2]));
      }));
    }

    function goTo(next, wait = 0) {
      step = next;
      const lit = step ? STEPS[step - 1].lit : litFirst;
      for (const part of parts) part.toggleAttribute("data-lit", lit.includes(part.dataset.part));
      clearTimeout(timer);
      const say = () => write(step ? STEPS[step - 1].say(facts()) : opening);
      if (wait) timer = setTimeout(say, wait);
      else say();
      find(".machine-place").textContent = step
        ? `${step} of ${STEPS.length}: ${STEPS[step - 1].name}`
        : `${STEPS.length} steps`;
      // A button that has the focus keeps it: it is said to be of no use, and stays.
      find(".machine-back").setAttribute("aria-disabled", step === 0);
      find(".machine-next").setAttribute("aria-disabled", step === STEPS.length);
    }

    const bounded = (next) => Math.min(Math.max(next, 0), STEPS.length);

    // Where the reader wants it, scrolling the page steps too: the machine stays in the window
    // (position: sticky) while its figure, which is longer then, goes by.
    const inside = find(".machine-inside");
    const wish = find(".machine-scroll input");
    const stride = () => parseFloat(getComputedStyle(figure, "::after").height) / STEPS.length;
    const held = () => parseFloat(getComputedStyle(inside).top);
    const passed = () =>
      held() - figure.getBoundingClientRect().top - parseFloat(getComputedStyle(figure).paddingTop);

    /** Go to a step; where scrolling steps, scroll to it. */
    function lead(next) {
      if (wish.checked) {
        const wanted = next ? (next - 0.5) * stride() : 0;
        scrollBy({ top: wanted - passed(), behavior: "instant" });
      }
      goTo(next);
    }

    function hold() {
      const header = document.querySelector(".bd-header-article")?.offsetHeight ?? 0;
      const room = document.documentElement.clientHeight - inside.offsetHeight;
      figure.style.setProperty("--machine-top", `${Math.min(header + 8, room)}px`);
    }

    function scrolled() {
      const next = bounded(Math.ceil(passed() / stride()));
      if (next !== step) goTo(next, SCROLLED);
    }

    function stepByScrolling() {
      const before = inside.getBoundingClientRect().top;
      figure.toggleAttribute("data-scrolling", wish.checked);
      const listen = wish.checked ? "addEventListener" : "removeEventListener";
      window[listen]("scroll", scrolled, { passive: true });
      window[listen]("resize", hold);
      if (wish.checked) {
        hold();
        if (step || passed() > 0) lead(step);
        said.textContent = `Scroll on: each of the ${STEPS.length} steps comes by itself.`;
      } else {
        const after = inside.getBoundingClientRect().top;
        scrollBy({ top: after - before, behavior: "instant" });
      }
    }

    /** Change something, show what follows, and say it. */
    function change(what, edit) {
      const before = facts();
      edit();
      show();
      const after = facts();
      const most = computed(row, state).weights;
      const winner = most.indexOf(Math.max(...most));
      const moved = (name, digits) =>
        shown(before[name], digits) === shown(after[name], digits)
          ? `stays ${shown(after[name], digits)}`
          : `goes from ${shown(before[name], digits)} to ${shown(after[name], digits)}`;
      clearTimeout(timer);
      timer = setTimeout(() => {
        said.textContent =
          `${what()} The score of ${after.token} is ${shown(after.score, 1)}, its weight ` +
          `${moved("weight", 2)}. ` +
          (most[winner]
            ? `The largest weight has ${quoted(winner)}: ${shown(most[winner], 2)}. The output ` +
              `begins with ${shown(after.output[0], 2)}.`
            : "Nothing may be looked at: all weights are 0.");
      }, SETTLED);
    }

    function listen() {
      find(".machine-back").addEventListener("click", () => lead(bounded(step - 1)));
      find(".machine-next").addEventListener("click", () => lead(bounded(step + 1)));
      wish.addEventListener("change", stepByScrolling);
      find(".machine-again").addEventListener("click", () => {
        reset();
        show();
        lead(0);
      });
      find(".machine-buttons").addEventListener("keydown", ({ key }) => {
        if (key === "ArrowRight") lead(bounded(step + 1));
        if (key === "ArrowLeft") lead(bounded(step - 1));
      });
      // A part that is touched says what it does.
      for (const part of parts) {
        part.addEventListener("click", () => {
          const at = STEPS.findIndex(({ lit }) => lit.at(-1) === part.dataset.part);
          const any = STEPS.findIndex(({ lit }) => lit.includes(part.dataset.part));
          lead(1 + (at >= 0 ? at : any));
        });
      }
      rows.forEach((line, j) => {
        const radio = line.querySelector("input");
        radio.name = `machine-row-${number}`;
        radio.disabled = false;
        radio.addEventListener("change", () => {
          state.chosen = j;
          show();
          goTo(step);
          if (!step) {
            const { score, weight, token } = facts();
            said.textContent =
              `The row of ${token}: its score is ${shown(score, 1)}, its weight ` +
              `${shown(weight, 2)}.`;
          }
        });
      });
      const vectors = {
        query: () => state.query,
        key: () => state.keys[state.chosen],
        value: () => state.values[state.chosen],
      };
      for (const [name, input] of Object.entries(inputs)) {
        const [kind, index] = name.split("-");
        if (!(kind in vectors)) continue;
        const words = input.parentElement.querySelector("span").textContent.replace("its", "the");
        let from;
        input.addEventListener("input", () => {
          const to = Math.round(100 * input.value) / 100;
          from ??= vectors[kind]()[index];
          const was = from;
          change(
            () => {
              from = undefined;
              const whole = words[0].toUpperCase() + words.slice(1);
              return `${whole}: from ${shown(was, 2)} to ${shown(to, 2)}.`;
            },
            () => (vectors[kind]()[index] = to),
          );
        });
      }
      const asking = quoted(row.asking);
      inputs.mask.addEventListener("change", ({ target }) => {
        const what = `${asking} may ${target.checked ? "" : "not "}look at ${quoted(state.chosen)}.`;
        change(() => what, () => (state.may[state.chosen] = target.checked));
      });
      inputs.causal.addEventListener("change", ({ target }) => {
        const what = target.checked ? `What follows ${asking} is masked.` : "Nothing is masked.";
        change(
          () => what,
          () => (state.may = row.tokens.map((_, j) => !target.checked || j <= row.asking)),
        );
      });
      inputs.scale.addEventListener("change", ({ target }) => {
        const what = target.checked
          ? "The scores are divided by √32."
          : "The scores are not divided by √32.";
        change(() => what, () => (state.scaling = target.checked));
      });
    }

    reset();
    show();
    goTo(0);
    listen();
    for (const control of [...figure.querySelectorAll("button"), wish]) control.disabled = false;
    find("fieldset").disabled = false;
    figure.dataset.started = "";
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("figure.machine").forEach(start);
  });
})();
