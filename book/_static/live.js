// What the figures share in which a model of the course works (book/lab/live.py): a button that
// loads the model, the parts of a panel, and a line that says what came out, for all readers.
window.live = (() => {
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

  const button = (inside) => element("button", { type: "button" }, inside);
  const title = (words) => element("p", { class: "live-title" }, words);

  function slider(words, { min, max, step, value }, shown) {
    const input = element("input", { type: "range", min, max, step, value });
    const output = element("output", {}, shown(value));
    input.addEventListener("input", () => (output.textContent = shown(Number(input.value))));
    return { input, label: labeled(words, input, output) };
  }

  function checkbox(words, checked) {
    const input = element("input", { type: "checkbox" });
    input.checked = checked;
    return { input, label: labeled(words, input) };
  }

  /** A list of as many lines, each with room for a name, a bar and a number. */
  function bars(length) {
    const list = element("ol", { class: "live-bars" });
    for (let i = 0; i < length; i++) {
      list.append(element("li", {}, element("b"), element("i"), element("span")));
    }
    return list;
  }

  /** A line of such a list; empty without a name. */
  function fill(line, name = "", chance = 0) {
    const [b, i, span] = line.children;
    b.textContent = name;
    i.style.setProperty("--weight", chance);
    span.textContent = name ? chance.toFixed(2) : "";
  }

  /** A line that is read aloud: at once, or when nothing has changed for a moment. */
  function status() {
    const line = element("p", { class: "live-said", role: "status" }, "The model is loading …");
    let timer;
    return {
      line,
      now(words) {
        clearTimeout(timer);
        if (line.textContent !== words) line.textContent = words;
      },
      soon(words) {
        clearTimeout(timer);
        timer = setTimeout(() => (line.textContent = words()), SETTLED);
      },
      wait: () => clearTimeout(timer),
      /** Of a large model: how much of it is here. Seen, and not said at every step. */
      loaded(share) {
        const bar = line.querySelector("progress") ??
          element("progress", { "aria-label": "how much is loaded" });
        bar.value = share;
        line.append(bar);
      },
    };
  }

  /** A color of the page's roles, as it is in the present theme. */
  const color = (inside, role) => getComputedStyle(inside).getPropertyValue(`--course-${role}`);

  const whenThemeChanges = (redraw) =>
    new MutationObserver(redraw).observe(document.documentElement, {
      attributeFilter: ["data-theme"],
    });

  /**
   * Every figure of a kind gets a button. A click builds all that is seen, `build(figure)`, so that
   * nothing moves later: { panel, focus, said, ... }; `run(figure, model, ui)` follows the model.
   */
  function figures(kind, build, run) {
    function start(figure) {
      const load = element("button", { type: "button", class: "live-load" },
        `Load the model (${figure.dataset.size})`);
      figure.querySelector("p").replaceWith(load);
      load.addEventListener("click", async () => {
        const ui = build(figure);
        load.replaceWith(ui.panel);
        ui.focus.focus();
        try {
          const model = await attention.loadModel(figure.dataset.model, ui.said.loaded);
          await run(figure, model, ui);
          figure.dataset.started = "";
        } catch (error) {
          ui.said.now(`The model could not be loaded: ${error.message}. ` +
            "Reload the page to try again.");
        }
      });
    }
    document.querySelectorAll(`figure.live.${kind}[data-size]`).forEach(start);
  }

  return {
    ...{ named, element, labeled, button, title, slider, checkbox, bars, fill, status },
    ...{ color, whenThemeChanges, figures },
  };
})();
