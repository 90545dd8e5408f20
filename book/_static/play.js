// Brings the figures to play with alive: draws each chart when it comes near the screen, in the
// page's light or dark theme. Vega is loaded from beside this script, only where it is needed; the
// build has compiled the charts for it.
window.coursePlay = (() => {
  const here = /** @type {HTMLScriptElement} */ (document.currentScript).src;
  let loading;

  function loadVega() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${new URL("vega.js", here)}`;
      script.onload = resolve;
      script.onerror = () => reject(new Error("vega.js did not load"));
      document.head.append(script);
    });
    return loading;
  }

  const dark = () => document.documentElement.dataset.theme === "dark";

  // On a dark page each of the course's colors is a lighter one.
  function inPageColors(value) {
    if (!dark()) return value;
    return JSON.parse(
      JSON.stringify(value).replace(
        /#[0-9a-f]{6}\b/gi,
        (color) => playColors[color.toUpperCase()] ?? color,
      ),
    );
  }

  /** What the reader has moved stays as it is when the theme changes. */
  function keepMoved(view, old) {
    for (const { name, bind } of old.bound) if (bind) view.signal(name, old.view.signal(name));
    return view.runAsync();
  }

  /** What a mark says to who points at it: a line for each of its parts. */
  function tip(handler, _event, _item, value) {
    const lines = value && typeof value === "object"
      ? Object.entries(value).map(([name, text]) => `${name}: ${text}`) : [value ?? ""];
    handler.element().title = lines.join("\n");
  }

  // Where a reader's own function computes (yours.js): its numbers, in the place of the chart's own.
  function withYours(spec, yours) {
    if (!yours) return spec;
    const put = (part) => {
      if (Array.isArray(part)) return part.map(put);
      if (!part || typeof part !== "object") return part;
      if (part.type === "formula" && part.as === yours.as) {
        return { ...part, expr: `yours[${yours.at}]` };
      }
      return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, put(value)]));
    };
    const signals = [...(spec.signals ?? []), { name: "yours", value: yours.numbers }];
    return { ...put(spec), signals };
  }

  /** What the reader has set: the chart's bound signals by name. */
  function values(figure) {
    const { view, bound } = views.get(figure) ??
      { bound: JSON.parse(figure.dataset.spec).signals ?? [], view: undefined };
    const set = bound.filter(({ bind }) => bind);
    return Object.fromEntries(set.map(({ name, value }) => [name, view?.signal(name) ?? value]));
  }

  const views = new WeakMap();

  // Vega measures while the window is being resized; the page's columns settle after that.
  const widths = new WeakMap();
  const settled = new ResizeObserver((entries) => {
    const changed = entries.filter(({ target, contentRect }) => {
      const before = widths.get(target);
      widths.set(target, contentRect.width);
      return before !== undefined && before !== contentRect.width;
    });
    if (changed.length) window.dispatchEvent(new Event("resize"));
  });

  async function draw(figure) {
    await loadVega();
    const old = views.get(figure);
    const { yours } = figure;
    const spec = withYours(inPageColors(JSON.parse(figure.dataset.spec)), yours);
    const chart = document.createElement("div");
    // Out of the page's flow until it is drawn, so that nothing moves.
    chart.className = "play-chart play-drawing";
    const place = figure.querySelector(".play-chart, .play-still");
    place.before(chart);
    const view = new vega.View(vega.parse(spec), { renderer: "svg", tooltip: tip });
    await view.initialize(chart).runAsync();
    if (old) await keepMoved(view, old);
    old?.view.finalize();
    place.remove();
    figure.querySelector(".play-reserved")?.remove();
    chart.classList.remove("play-drawing");
    views.set(figure, { view, bound: spec.signals ?? [] });
    figure.dataset.drawn = "";
    if (!yours) return;
    for (const name of Object.keys(values(figure))) {
      view.addSignalListener(name, () => yours.changed((numbers) =>
        view.signal("yours", numbers).runAsync()));
    }
  }

  // Words that bring a chart to the screen ask for it, and so does its coming near: it is drawn once.
  const begun = new WeakMap();
  function drawn(figure) {
    if (!begun.has(figure)) begun.set(figure, draw(figure));
    return begun.get(figure);
  }

  /** Bring a chart to what the text speaks of. */
  async function show(figure, values) {
    await drawn(figure);
    const { view } = views.get(figure);
    for (const [name, value] of Object.entries(values)) view.signal(name, value);
    await view.runAsync();
  }

  function begin() {
    const figures = [...document.querySelectorAll("figure.play")];
    if (!figures.length) return;
    if (document.querySelector(".first-screen figure.play")) loadVega();
    const seen = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          if (!entry.isIntersecting) continue;
          seen.unobserve(entry.target);
          drawn(entry.target);
        }
      },
      { rootMargin: "400px" },
    );
    for (const figure of figures) {
      seen.observe(figure);
      settled.observe(figure);
      figure.addEventListener("play-show", (event) =>
        show(figure, /** @type {CustomEvent} */ (event).detail));
    }
    let theme = dark();
    new MutationObserver(() => {
      if (theme === dark()) return;
      theme = dark();
      figures.filter((figure) => views.has(figure)).forEach(draw);
    }).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }
  // A first screen's figure does not wait for the scripts of all others.
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();

  return { draw, values };
})();
