// The search page: sections of the book that fit what was asked, typing errors forgiven. The index
// is made in the browser from sections.js, so that it works in a saved copy too.
(() => {
  const SHOWN = 20;
  const AROUND = 90; // letters before and after what was found
  const results = document.getElementById("search-results");
  const field = document.querySelector(".bd-search-container form.bd-search input[name=q]");
  const count = document.createElement("p");
  count.setAttribute("role", "status");
  const list = document.createElement("ol");
  list.className = "search";
  results.append(count, list);

  const index = new MiniSearch({
    fields: ["section", "page", "text"],
    searchOptions: {
      boost: { section: 4, page: 3 },
      prefix: (term) => term.length > 2,
      // One error in a word of four letters, two in one of nine.
      fuzzy: (term) => (term.length > 3 ? 0.22 : false),
      combineWith: "AND",
    },
  });
  const sections = window.courseSections.map(([file, anchor, page, section, text], id) => ({
    ...{ id, file, anchor, page, section, text },
  }));
  index.addAll(sections);

  /** What was found, best first: a section counts for more where more of its page fits too. */
  function search(asked, options) {
    const found = index.search(asked, options);
    const share = ({ id }) => {
      const page = (other) => sections[other.id].file === sections[id].file;
      return found.filter(page).length / sections.filter(page).length;
    };
    const scored = found.map((one) => ({ ...one, score: one.score * (1 + share(one)) }));
    return scored.sort((a, b) => b.score - a.score);
  }

  /** The words around the first that was found, with all that were found marked. */
  function excerpt(text, terms) {
    const found = new RegExp(`\\b(?:${terms.map(RegExp.escape ?? plain).join("|")})`, "giu");
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

  const plain = (term) => term.replace(/[^\p{L}\p{N}]/gu, "\\$&");

  function item({ id, terms }) {
    const { file, anchor, page, section, text } = sections[id];
    const link = document.createElement("a");
    link.href = `${file}.html${anchor ? `#${anchor}` : ""}`;
    link.textContent = section === page ? page : `${page}: ${section}`;
    const made = document.createElement("li");
    made.append(link, excerpt(text, terms));
    return made;
  }

  function show() {
    const asked = field.value.trim();
    let found = asked ? search(asked) : [];
    const all = found.length > 0;
    if (!all && asked) found = search(asked, { combineWith: "OR" });
    list.replaceChildren(...found.slice(0, SHOWN).map(item));
    const sections = found.length === 1 ? "1 section" : `${found.length} sections`;
    count.textContent = !asked
      ? ""
      : !found.length
        ? `Nothing was found for “${asked}”.`
        : `${sections} for ${all ? "" : "some of "}“${asked}”` +
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
