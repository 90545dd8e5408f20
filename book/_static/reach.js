// What scrolls sideways can be reached with the Tab key. The theme sees to it for code and tables, when
// the page loads and when the window changes its size; here it is done for formulas too, and for what
// was folded and had no size until it opened.
(() => {
  function reach() {
    for (const formula of document.querySelectorAll('mjx-container[display="true"]')) {
      if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
      else formula.removeAttribute("tabindex");
    }
  }

  window.addEventListener("resize", reach);
  window.addEventListener("load", () => window.MathJax?.startup?.promise?.then(reach));
  document.addEventListener("toggle", () => window.dispatchEvent(new Event("resize")), true);
})();
