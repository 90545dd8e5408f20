// What scrolls sideways can be reached with the Tab key. The theme sees to it for code and tables, when
// the page loads and when the window changes its size; here it is done for formulas and pictures too, and
// for what was folded and had no size until it opened.
(() => {
  function reach() {
    const wide = "div.math, .long-formula, div.cell_output:has(> img)";
    for (const element of document.querySelectorAll(wide)) {
      if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
      else element.removeAttribute("tabindex");
    }
    // Code can be selected and copied by keyboard: its buttons are for mouse and touch.
    const copy = ".cell_input .copybtn, .exercise .copybtn";
    for (const button of document.querySelectorAll(copy)) button.tabIndex = -1;
  }

  // A link into what is folded unfolds it.
  function unfold() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    let folded = target?.closest("details:not([open])");
    if (!folded) return;
    for (; folded; folded = target.closest("details:not([open])")) folded.open = true;
    target.scrollIntoView();
  }

  window.addEventListener("hashchange", unfold);
  window.addEventListener("load", unfold);
  window.addEventListener("resize", reach);
  window.addEventListener("load", reach);
  document.addEventListener("toggle", () => window.dispatchEvent(new Event("resize")), true);
})();
