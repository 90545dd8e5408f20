// What scrolls sideways can be reached with the Tab key. The theme sees to it for code and tables, when
// the page loads and when the window changes its size; here it is done for formulas and pictures too, and
// for what was folded and had no size until it opened.
(() => {
  function reach() {
    const wide = "div.math, .long-formula, .nobr, div.cell_output:has(> img)";
    /** @type {NodeListOf<HTMLElement>} */
    const found = document.querySelectorAll(wide);
    for (const element of found) {
      if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
      else element.removeAttribute("tabindex");
    }
    keepOneStop();
  }

  // The buttons that copy code are one stop of the Tab key, like a toolbar: arrow keys lead from
  // one to the next, and the Tab key comes back to where it left them.
  let stop;
  function copying() {
    /** @type {NodeListOf<HTMLButtonElement>} */
    const all = document.querySelectorAll("main .copybtn");
    return [...all].filter((button) => button.checkVisibility());
  }


  /** @type {(target: EventTarget) => target is HTMLButtonElement} */
  const isCopying = (target) => target instanceof HTMLElement && target.matches("main .copybtn");

  function keepOneStop() {
    const buttons = copying();
    if (!buttons.includes(stop)) stop = buttons[0];
    for (const button of buttons) {
      button.tabIndex = button === stop ? 0 : -1;
      button.ariaLabel = "Copy this code. Arrow keys lead to other code.";
    }
  }

  document.addEventListener("focusin", ({ target }) => {
    if (!isCopying(target)) return;
    stop = target;
    keepOneStop();
  });

  document.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step || !isCopying(event.target)) return;
    event.preventDefault();
    const buttons = copying();
    const next = buttons[buttons.indexOf(event.target) + step];
    next?.focus({ preventScroll: true });
    next?.closest(".highlight").scrollIntoView({ block: "nearest" });
  });

  // A link into what is folded unfolds it.
  function unfold() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    /** @returns {HTMLDetailsElement | null | undefined} */
    const around = () => target?.closest("details:not([open])");
    if (!around()) return;
    for (let folded = around(); folded; folded = around()) folded.open = true;
    target.scrollIntoView();
  }

  window.addEventListener("hashchange", unfold);
  window.addEventListener("load", unfold);
  window.addEventListener("resize", reach);
  window.addEventListener("load", reach);
  // What opens at once is measured once.
  let opening;
  document.addEventListener("toggle", () => {
    cancelAnimationFrame(opening);
    opening = requestAnimationFrame(() => window.dispatchEvent(new Event("resize")));
  }, true);
})();
