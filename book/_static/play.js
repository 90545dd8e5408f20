// Brings the figures to play with alive: draws each chart when it comes near the screen, in the
// page's light or dark theme. Vega is loaded from beside this script, only where it is needed.
window.coursePlay = (() => {
  const here = /** @type {HTMLScriptElement} */ (document.currentScript).src;
  let loading;

  function vega() {
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

  // What the reader has moved stays as it is when the theme changes.
  function withValues(spec, view) {
    if (!view) return spec;
    const params = (spec.params ?? []).map((param) => {
      if (!param.bind) return param;
      if (!param.select) return { ...param, value: view.signal(param.name) };
      const chosen = param.select.fields.map((field) => [
        field,
        view.signal(`${param.name}_${field}`),
      ]);
      return { ...param, value: [Object.fromEntries(chosen)] };
    });
    return { ...spec, params };
  }

  // Where a reader's own function computes (yours.js): its numbers, in the place of the chart's own.
  function withYours(spec, yours) {
    if (!yours) return spec;
    const put = (part) => {
      if (Array.isArray(part)) return part.map(put);
      if (!part || typeof part !== "object") return part;
      if (part.as === yours.as && part.calculate) return { ...part, calculate: `yours[${yours.at}]` };
      return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, put(value)]));
    };
    const params = [...(spec.params ?? []), { name: "yours", value: yours.numbers }];
    return { ...put(spec), params };
  }

  /** What the reader has set: the chart's bound parameters by name. */
  function values(figure) {
    const params = JSON.parse(figure.dataset.spec).params.filter(({ bind }) => bind);
    const { view } = views.get(figure) ?? {};
    return Object.fromEntries(params.map(({ name, value }) => [name, view?.signal(name) ?? value]));
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
    await vega();
    const old = views.get(figure);
    const { yours } = figure;
    const spec = withYours(withValues(JSON.parse(figure.dataset.spec), old?.view), yours);
    const chart = document.createElement("div");
    // Out of the page's flow until it is drawn, so that nothing moves.
    chart.className = "play-chart play-drawing";
    const place = figure.querySelector(".play-chart, .play-still");
    place.before(chart);
    const result = await vegaEmbed(chart, inPageColors(spec), {
      mode: "vega-lite",
      renderer: "svg",
      actions: false,
      config: inPageColors(playTheme),
    });
    old?.finalize();
    place.remove();
    figure.querySelector(".play-reserved")?.remove();
    chart.classList.remove("play-drawing");
    views.set(figure, result);
    figure.dataset.drawn = "";
    if (!yours) return;
    for (const name of Object.keys(values(figure))) {
      result.view.addSignalListener(name, () => yours.changed((numbers) =>
        result.view.signal("yours", numbers).runAsync()));
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    const figures = [...document.querySelectorAll("figure.play")];
    if (!figures.length) return;
    const seen = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          if (!entry.isIntersecting) continue;
          seen.unobserve(entry.target);
          draw(entry.target);
        }
      },
      { rootMargin: "400px" },
    );
    for (const figure of figures) {
      seen.observe(figure);
      settled.observe(figure);
    }
    let theme = dark();
    new MutationObserver(() => {
      if (theme === dark()) return;
      theme = dark();
      figures.filter((figure) => views.has(figure)).forEach(draw);
    }).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  });

  return { draw, values };
})();
