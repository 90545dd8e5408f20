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

  /**
   * A line that changes with what is seen beside it, and the same words read aloud: at once, or
   * when nothing has changed for a moment, so that nobody hears every step of a movement.
   */
  function status(words = "The model is loading …") {
    const seen = element("span", { "aria-hidden": "true" }, words);
    const heard = element("span", { class: "visually-hidden", role: "status" }, words);
    const line = element("p", { class: "live-said" }, seen, heard);
    let timer;
    function say(words, when) {
      clearTimeout(timer);
      if (seen.textContent !== words) seen.textContent = words;
      const aloud = () => heard.textContent !== words && (heard.textContent = words);
      if (when) timer = setTimeout(aloud, when);
      else aloud();
    }
    return {
      line,
      now: (words) => say(words, 0),
      soon: (words) => say(words, SETTLED),
      /** Of a large model: how much of it is here. Seen, and not said at every step. */
      loaded(share) {
        const bar = line.querySelector("progress") ??
          element("progress", { "aria-label": "how much is loaded" });
        bar.value = share;
        if (share < 1) line.append(bar);
        else bar.remove();
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
   * nothing moves later: { panel, focus, said, ... }. `run(figure, ui, later)` heeds the reader from
   * then on, and returns what to do when the model is there; what needs the model before that is
   * handed to `later`, and done then.
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
        const asked = [];
        const begin = run(figure, ui, (act) => {
          asked.push(act);
          ui.said.now("The model is loading, and will then do what you asked for …");
        });
        try {
          const model = await attention.loadModel(figure.dataset.model, ui.said.loaded);
          await begin(model);
          figure.dataset.started = "";
          for (const act of asked) await act();
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
