// A chapter's two layers: to read, with code and exercises as a line each that opens, and to build, with
// everything. book/_ext/layers.py has the folds; the page's head folds them before they are painted.
// The choice is kept in this browser, for all chapters.
(() => {
  const KEY = "attention-course-layer";
  const FOLDS = "details.layer";
  const ASIDE = `${FOLDS}, .admonition, .cell`; // in a margin, which has a place of its own
  const page = document.documentElement;

  /** @type {(node: Element) => node is HTMLDetailsElement} */
  const isFold = (node) => node instanceof HTMLDetailsElement;

  /** @type {() => NodeListOf<HTMLButtonElement>} */
  const buttons = () => document.querySelectorAll(".layer-switch button");

  /** @returns {HTMLDetailsElement[]} */
  const folds = () => [...document.querySelectorAll(FOLDS)].filter(isFold);

  /** The fold that the page's address leads into, if it does. */
  function wanted() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    return target?.closest(FOLDS);
  }

  /**
   * What stands at the top of the window, by which a reader keeps the place.
   * @returns {Element | undefined}
   */
  function inSight() {
    const lines = document.querySelectorAll(`main article :is(p, h2, h3, ${FOLDS})`);
    return [...lines].find((line) => {
      const { bottom, height } = line.getBoundingClientRect();
      if (!height || bottom <= 100 || line.parentElement.closest(ASIDE)) return false;
      return getComputedStyle(line).float === "none";
    });
  }

  /**
   * @param {string} layer "read" or "build"
   */
  function show(layer) {
    const place = inSight();
    const before = place?.getBoundingClientRect().top;
    page.dataset.layer = layer;
    const kept = layer === "read" ? wanted() : undefined;
    for (const fold of folds()) fold.open = layer === "build" || fold === kept;
    for (const button of buttons()) {
      button.ariaPressed = `${button.value === layer}`;
    }
    if (place) scrollBy({ top: place.getBoundingClientRect().top - before, behavior: "instant" });
  }

  /** @param {string} layer */
  function choose(layer) {
    show(layer);
    try {
      localStorage.setItem(KEY, layer);
    } catch {} // a browser that keeps nothing: it holds for this page
  }

  // On paper everything is there; what was folded is so again afterward.
  /** @type {HTMLDetailsElement[]} */
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = folds().filter(({ open }) => !open);
    for (const fold of folded) fold.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const fold of folded) fold.open = false;
  });

  document.addEventListener("DOMContentLoaded", () => {
    for (const button of buttons()) {
      button.ariaPressed = `${button.value === page.dataset.layer}`;
      button.addEventListener("click", () => choose(button.value));
    }
  });
  // Another tab of the same book.
  window.addEventListener("storage", ({ key, newValue }) => {
    if (key === KEY && newValue) show(newValue);
  });
})();
