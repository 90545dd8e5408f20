// The search field suggests what sections and terms are called, once somebody is in it. On the search
// page the results themselves come while one types.
(() => {
  const here = /** @type {HTMLScriptElement} */ (document.currentScript).src;
  const LIST = "search-names";

  function offer() {
    const list = document.createElement("datalist");
    list.id = LIST;
    list.append(...window.courseNames.map((name) => new Option("", name)));
    document.body.append(list);
  }

  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    if (!target.matches("form.bd-search input[name=q]") || target.hasAttribute("list")) return;
    if (document.getElementById("search-results")) return;
    target.setAttribute("list", LIST);
    if (document.getElementById(LIST) || window.courseNames) return;
    const script = document.createElement("script");
    script.src = `${new URL("search/names.js", here)}`;
    script.onload = offer;
    document.head.append(script);
  });
})();
