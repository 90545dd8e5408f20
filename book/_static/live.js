// What the figures share in which a model of the course works (book/lab/live.py): how the model is
// loaded, the parts of a panel, and lines that say what came out and what to try next.
window.live = (() => {
  const SETTLED = 500; // ms without a change, until the result is said
  const RESTED = 1500; // ms without a change, until the next thing to try is proposed
  const AT_ONCE = 1; // megabytes: a model of no more is loaded when its figure is seen
  const NAMES = { " ": "space", "\n": "new line", "\t": "tab" };
  const named = (letter) => NAMES[letter] ?? letter;
  /** A share of one, in words. @param {number} share */
  const percent = (share) =>
    share > 0 && share < 0.005 ? "<1%" : `${Math.floor(100 * share + 0.5)}%`;

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  const labeled = (words, input, ...others) =>
    element("label", {}, element("span", {}, words), input, ...others);

  const button = (inside) => element("button", { type: "button" }, inside);

  /** Buttons in a row: one stop of the Tab key, and arrow keys lead from one to the next. */
  function toolbar(name, { also = "" }, ...buttons) {
    const attributes = { class: `live-buttons ${also}`, role: "toolbar", "aria-label": name };
    const row = element("div", attributes, ...buttons);
    const stopAt = (at) => buttons.forEach((one, i) => (one.tabIndex = i === at ? 0 : -1));
    stopAt(0);
    row.addEventListener("focusin", ({ target }) => stopAt(buttons.indexOf(target)));
    row.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      buttons.at((buttons.indexOf(event.target) + step) % buttons.length).focus();
    });
    return row;
  }

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

  /**
   * What comes after the first look: on a chapter's first screen in a fold, so that all of the rest is
   * seen there.
   * @param {HTMLElement} figure
   * @param {string} words
   * @param {...Node} parts
   * @returns {Node[]}
   */
  function more(figure, words, ...parts) {
    if (!figure.closest(".first-screen")) return parts;
    return [element("details", { class: "live-more" }, element("summary", {}, words), ...parts)];
  }

  /** A line of such a list; empty without a name. */
  function fill(line, name = "", chance = 0) {
    const [b, i, span] = line.children;
    b.textContent = name;
    i.style.setProperty("--weight", chance);
    span.textContent = name ? percent(chance) : "";
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

  /**
   * A map of weights, one pixel for each, the darker the larger.
   * @param {HTMLCanvasElement} canvas
   * @param {ArrayLike<number>[]} rows
   * @param {string} color
   */
  function heatmap(canvas, rows, color) {
    [canvas.width, canvas.height] = [rows[0].length, rows.length];
    const context = canvas.getContext("2d");
    context.fillStyle = color;
    rows.forEach((row, i) => {
      for (let j = 0; j < row.length; j++) {
        context.globalAlpha = Math.min(1, row[j]);
        context.fillRect(j, i, 1, 1);
      }
    });
  }

  const whenThemeChanges = (redraw) =>
    new MutationObserver(redraw).observe(document.documentElement, {
      attributeFilter: ["data-theme"],
    });

  /**
   * Below what came out, the next thing to try; another when the reader did something and rests.
   * @param {HTMLElement} panel
   * @param {string[]} proposals
   * @returns {HTMLElement}
   */
  function proposed(panel, proposals) {
    const words = element("span", {}, proposals[0] ?? "");
    const line = element("p", { class: "live-try" }, element("b", {}, "Try next: "), words);
    line.hidden = !proposals.length;
    let [timer, at] = [undefined, 0];
    const next = () => {
      at = (at + 1) % proposals.length;
      words.textContent = proposals[at];
    };
    function rest() {
      clearTimeout(timer);
      timer = setTimeout(next, RESTED);
    }
    panel.addEventListener("input", rest);
    panel.addEventListener("click", ({ target }) => {
      if (/** @type {Element} */ (target).closest("button, [role=grid]")) rest();
    });
    return line;
  }

  /**
   * Call once when an element is on the screen.
   * @param {Element} element
   * @param {() => void} act
   */
  function whenSeen(element, act) {
    const seen = new IntersectionObserver(([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      seen.disconnect();
      act();
    });
    seen.observe(element);
  }

  /**
   * Every figure of a kind shows all that it will, `build(figure)`: { panel, focus, said, ... }. Its
   * model is loaded when the figure is seen, or, if it is large, on a click. `run(figure, ui, later)`
   * heeds the reader from the first on, and returns what to do when the model is there; what needs
   * the model before that is handed to `later`, and done then.
   * @param {string} kind
   * @param {(figure: HTMLElement) => any} build
   * @param {(figure: HTMLElement, ui: any, later: (act: () => any) => void) => (model: any) => any} run
   * @param {string[]} proposals what to try, one after the other
   */
  function figures(kind, build, run, proposals = []) {
    /** Put the panel in a place; returns what loads the model. */
    function open(figure, place) {
      const ui = build(figure);
      ui.said.line.after(proposed(ui.panel, proposals));
      place.replaceWith(ui.panel);
      const asked = [];
      const begin = run(figure, ui, (act) => {
        asked.push(act);
        ui.said.now("The model is loading, and will then do what you asked for …");
      });
      async function load() {
        try {
          const model = await attention.loadModel(figure.dataset.model, ui.said.loaded);
          await begin(model);
          figure.dataset.started = "";
          for (const act of asked) await act();
        } catch (error) {
          ui.said.now(`The model could not be loaded: ${error.message}. ` +
            "Reload the page to try again.");
        }
      }
      return { load, focus: ui.focus };
    }

    function start(figure) {
      const place = figure.querySelector("p");
      if (parseFloat(figure.dataset.size) <= AT_ONCE) {
        const { load } = open(figure, place);
        if (figure.closest(".first-screen")) load();
        else whenSeen(figure, load);
        return;
      }
      const button = element("button", { type: "button", class: "live-load" },
        `Load the model (${figure.dataset.size})`);
      place.replaceWith(button);
      button.addEventListener("click", () => {
        const { load, focus } = open(figure, button);
        focus.focus();
        load();
      });
    }
    kinds.push(() => {
      for (const figure of document.querySelectorAll(`figure.live.${kind}[data-size]`)) {
        if (begun.has(figure)) continue;
        begun.add(figure);
        start(figure);
      }
    });
  }

  const begun = new WeakSet();
  /** @type {(() => void)[]} */
  const kinds = [];

  /**
   * Begin the figures that are in the page so far; their scripts may have come before this one, and wait
   * in `liveKinds`. A figure on a first screen calls it where it
   * stands, so that it has its size before anything below it is painted.
   */
  function begin() {
    for (const register of (window.liveKinds ?? []).splice(0)) register();
    for (const kind of kinds) kind();
  }
  document.addEventListener("DOMContentLoaded", begin);

  return {
    ...{ named, percent, element, labeled, button, toolbar, title, slider, checkbox, bars, fill, status, more },
    ...{ color, heatmap, proposed, whenThemeChanges, figures, begin },
  };
})();
