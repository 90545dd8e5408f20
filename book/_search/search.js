// The search page: sections of the book that fit what is asked. The index is made in the browser from
// sections.js, so that it works in a saved copy too.
(() => {
  const SHOWN = 20;
  const AROUND = 90; // letters before and after what was found
  const results = document.getElementById("search-results");
  /** @type {HTMLInputElement} */
  const field = document.querySelector(".bd-search-container form.bd-search input[name=q]");
  const count = document.createElement("p");
  count.setAttribute("role", "status");
  const list = document.createElement("ol");
  list.className = "search";
  results.append(count, list);

  const find = courseFinder(courseSections);

  /** The words around the first that was found, with all that were found marked. */
  function excerpt(text, terms) {
    const found = new RegExp(`\\b(?:${terms.map(plain).join("|")})`, "giu");
    const first = Math.max(text.search(found), 0);
    const from = text.lastIndexOf(" ", Math.max(first - AROUND, 0)) + 1;
    const cut = text.slice(from, first + AROUND);
    const line = document.createElement("p");
    if (from) line.append("… ");
    let last = 0;
    for (const match of cut.matchAll(found)) {
      const mark = document.createElement("mark");
      mark.textContent = match[0];
      line.append(cut.slice(last, match.index), mark);
      last = match.index + match[0].length;
    }
    line.append(cut.slice(last), text.length > first + AROUND ? " …" : "");
    return line;
  }

  const plain = (term) => term.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

  function item({ file, anchor, page, section, text, terms }) {
    const link = document.createElement("a");
    link.href = `${file}.html${anchor ? `#${anchor}` : ""}`;
    link.textContent = section === page ? page : `${page}: ${section}`;
    const made = document.createElement("li");
    made.append(link, excerpt(text, terms));
    return made;
  }

  function show() {
    const asked = field.value.trim();
    const found = asked ? find(asked) : [];
    const whole = found.filter((one) => one.whole).length;
    list.replaceChildren(...found.slice(0, SHOWN).map(item));
    const sections = (number) => (number === 1 ? "1 section" : `${number} sections`);
    const others = whole && found.length - whole;
    count.textContent = !asked
      ? ""
      : !found.length
        ? `Nothing was found for “${asked}”.`
        : `${sections(whole || found.length)} for ${whole ? "" : "some of "}“${asked}”` +
          (others ? `, and ${others} for some of it` : "") +
          (found.length > SHOWN ? `; the first ${SHOWN} are shown.` : ".");
  }

  field.value = new URLSearchParams(location.search).get("q") ?? "";
  field.addEventListener("input", show);
  field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    history.replaceState(null, "", `?q=${encodeURIComponent(field.value)}`);
    show();
  });
  show();
})();
