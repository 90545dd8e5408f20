// What a reader has read and answered: kept in this browser alone, under one key, and sent nowhere.
// Marks read chapters in the sidebar, on the map and in the front page's Transformer, leads on from
// there to where reading ended, fills the page "Your progress".
window.courseProgress = (() => {
  const KEY = "attention-course-progress";
  const CHAPTER = /(?:^|\/)(\d\d-[\w-]+?)(?:\.html)?$/;
  const changed = new EventTarget();

  // `log`: of each question that was answered, day by day whether the first answer was right.
  const EMPTY = () => ({ read: {}, seen: {}, answers: {}, log: {}, place: null });
  const withoutNull = (kept) =>
    Object.fromEntries(Object.entries(kept ?? {}).filter(([, value]) => value !== null));
  /** @type {() => NodeListOf<HTMLAnchorElement>} */
  const sidebarLinks = () =>
    document.querySelectorAll(".bd-sidebar-primary nav a.reference.internal");

  function load() {
    try {
      return { ...EMPTY(), ...withoutNull(JSON.parse(localStorage.getItem(KEY))) };
    } catch {
      return EMPTY();
    }
  }

  function change(edit) {
    const progress = load();
    edit(progress);
    try {
      localStorage.setItem(KEY, JSON.stringify(progress));
    } catch {
      return; // a browser that keeps nothing: the page works without
    }
    changed.dispatchEvent(new Event("change"));
  }

  function clear() {
    try {
      localStorage.removeItem(KEY);
    } catch {
      return;
    }
    changed.dispatchEvent(new Event("change"));
  }

  // Which choices of a question were taken, in their order.
  const chosen = (question) => load().answers[question] ?? [];
  const choose = (question, choice, right) =>
    change(({ answers, log }) => {
      const before = answers[question] ?? [];
      if (!before.includes(choice)) answers[question] = [...before, choice];
      note(log, question, right);
    });

  // A day in the reader's own time, as 2026-11-26.
  const today = () => new Date().toLocaleDateString("sv");
  function note(log, question, right) {
    log[question] ??= {};
    log[question][today()] ??= right;
  }

  const chapterOf = (path) => CHAPTER.exec(path)?.[1];

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  /** Mark a link to a chapter that was read. */
  function markLink(link, seen) {
    const mark = link.querySelector(".progress-mark");
    if (seen && !mark) {
      const words = element("span", { class: "visually-hidden" }, " (read)");
      link.append(element("span", { class: "progress-mark" }, " ✓", words));
    } else if (mark && !seen) mark.remove();
  }

  function markSidebar() {
    const { read } = load();
    for (const link of sidebarLinks()) {
      const chapter = chapterOf(new URL(link.href).pathname);
      if (chapter) markLink(link, read[chapter]);
    }
  }

  /** The parts of a Transformer are filled when their chapters are read. */
  function fillParts() {
    const { read } = load();
    for (const part of document.querySelectorAll("a.transformer-part")) {
      const seen = Boolean(read[/** @type {HTMLElement} */ (part).dataset.chapter]);
      part.toggleAttribute("data-read", seen);
      markLink(part, seen);
    }
  }

  function markMap(map) {
    const { read } = load();
    for (const link of map.querySelectorAll("a")) {
      const words = [...link.querySelectorAll("tspan")].map((line) => line.textContent).join("");
      const seen = read[chapterOf(link.href.baseVal)];
      link.toggleAttribute("data-read", Boolean(seen));
      link.querySelector(".box-mark")?.remove();
      link.removeAttribute("aria-label");
      if (!seen) continue;
      const { x, y } = link.querySelector("rect").getBBox();
      const mark = document.createElementNS("http://www.w3.org/2000/svg", "text");
      for (const [key, value] of Object.entries({ class: "box-mark", x: x + 10, y: y + 15 })) {
        mark.setAttribute(key, value);
      }
      mark.textContent = "✓";
      link.append(mark);
      link.setAttribute("aria-label", `${words.trim()} (read)`);
    }
  }

  /** @param {number} minutes */
  function inWords(minutes) {
    const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
    return [hours && `${hours} h`, rest && `${rest} min`].filter(Boolean).join(" ");
  }

  // Which chapter comes next on the map, and how much time its reader still has before them.
  function markWay(map) {
    const { read } = load();
    const links = [...map.querySelectorAll("a[data-minutes]")];
    const left = links.filter((link) => !read[chapterOf(link.href.baseVal)]);
    for (const link of links) link.toggleAttribute("data-next", link === left[0]);
    const [reading, solving] = [0, 1].map((part) =>
      left.reduce((sum, { dataset }) => sum + Number(dataset.minutes.split(" ")[part]), 0));
    const line = map.previousElementSibling;
    if (!line?.matches(".map-left")) return;
    line.textContent = !left.length ? "You have read all of it."
      : `${left.length} of ${links.length} chapters before you: ${inWords(reading)} to read, ` +
        `${inWords(solving)} to solve.`;
  }

  // A reader who was here goes on in the section where reading ended, or after the last chapter
  // that was read.
  function goOn(start) {
    const { read, place } = load();
    const links = [...sidebarLinks()];
    const chapters = links.filter((link) => chapterOf(new URL(link.href).pathname));
    const names = chapters.map((link) => chapterOf(new URL(link.href).pathname));
    const within = place && !read[place.chapter] ? names.indexOf(place.chapter) : -1;
    const last = within < 0 ? names.findLastIndex((name) => read[name]) : within - 1;
    const next = chapters[last + 1];
    if (!next || (last < 0 && within < 0)) return;
    const title = next.firstChild.textContent.trim();
    const section = within < 0 ? undefined : place.section;
    start.href = section ? `${next.href}#${section}` : next.href;
    start.textContent = "Continue";
    start.setAttribute("aria-label", `Continue with chapter ${title}`);
    const count = names.filter((name) => read[name]).length;
    const words = section && place.words ? `, “${place.words}”` : "";
    start.parentElement.querySelector("span:last-child").textContent =
      `with ${title}${words}. ${count} of ${names.length} chapters read.`;
  }

  // Where a reader leaves a chapter: the section whose heading went by last.
  function watchPlace() {
    const chapter = chapterOf(location.pathname);
    if (!chapter) return;
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "hidden") return;
      const headings = [...document.querySelectorAll("main section[id] > :is(h2, h3)")];
      const heading = headings.findLast((one) => one.getBoundingClientRect().top < innerHeight / 2);
      const words = /** @type {Element | undefined} */ (heading?.cloneNode(true));
      words?.querySelectorAll(".headerlink").forEach((link) => link.remove());
      const section = heading?.parentElement.id;
      change((progress) => {
        progress.place = { chapter, section, words: words?.textContent.trim() };
      });
    });
  }

  function fillPage(table) {
    const { read, answers } = load();
    for (const row of table.querySelectorAll("tr[data-chapter]")) {
      const questions = row.dataset.questions.split(" ").filter(Boolean);
      const answered = questions.filter((question) => answers[question]).length;
      row.querySelector(".progress-read").textContent = read[row.dataset.chapter] ? "✓ read" : "–";
      row.querySelector(".progress-answered").textContent = questions.length
        ? `${answered} of ${questions.length}`
        : "–";
    }
  }

  function startPage(page) {
    const table = page.querySelector("table");
    const button = element("button", { type: "button", class: "progress-clear" });
    button.append("Clear my progress");
    const said = element("p", { "aria-live": "polite" });
    button.addEventListener("click", () => {
      clear();
      said.textContent = "Cleared: no progress is kept in this browser.";
    });
    page.append(button, said);
    fillPage(table);
    changed.addEventListener("change", () => fillPage(table));
  }

  document.addEventListener("DOMContentLoaded", () => {
    watchPlace();
    markSidebar();
    fillParts();
    changed.addEventListener("change", markSidebar);
    changed.addEventListener("change", fillParts);
    for (const map of document.querySelectorAll("svg.boxes")) {
      markMap(map);
      markWay(map);
      changed.addEventListener("change", () => {
        markMap(map);
        markWay(map);
      });
    }
    document.querySelectorAll(".course-facts a").forEach(goOn);
    document.querySelectorAll(".progress-page").forEach(startPage);
  });
  // Another tab of the same book.
  window.addEventListener("storage", () => changed.dispatchEvent(new Event("change")));

  return { changed, load, change, chapterOf, chosen, choose, element, note, today };
})();
