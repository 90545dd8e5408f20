// What a reader has read and answered: kept in this browser alone, under one key, and sent nowhere.
// Marks read chapters in the sidebar, leads on from the front page, fills the page "Your progress".
window.courseProgress = (() => {
  const KEY = "attention-course-progress";
  const CHAPTER = /(?:^|\/)(\d\d-[\w-]+?)(?:\.html)?$/;
  const changed = new EventTarget();

  function load() {
    try {
      const { read, answers } = JSON.parse(localStorage.getItem(KEY)) ?? {};
      return { read: read ?? {}, answers: answers ?? {} };
    } catch {
      return { read: {}, answers: {} };
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
  const choose = (question, choice) =>
    change(({ answers }) => {
      const before = answers[question] ?? [];
      if (!before.includes(choice)) answers[question] = [...before, choice];
    });

  const chapterOf = (path) => CHAPTER.exec(path)?.[1];

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function markSidebar() {
    const { read } = load();
    for (const link of document.querySelectorAll(".bd-sidebar-primary nav a.reference.internal")) {
      const chapter = chapterOf(new URL(link.href).pathname);
      const mark = link.querySelector(".progress-mark");
      if (chapter && read[chapter] && !mark) {
        const words = element("span", { class: "visually-hidden" }, " (read)");
        link.append(element("span", { class: "progress-mark" }, " ✓", words));
      } else if (mark && !read[chapter]) mark.remove();
    }
  }

  // On the front page, a reader who was here goes on after the last chapter that was read.
  function goOn(start) {
    const { read } = load();
    const links = [...document.querySelectorAll(".bd-sidebar-primary nav a.reference.internal")];
    const chapters = links.filter((link) => chapterOf(new URL(link.href).pathname));
    const last = chapters.findLastIndex((link) => read[chapterOf(new URL(link.href).pathname)]);
    const next = chapters[last + 1];
    if (last < 0 || !next) return;
    const title = next.firstChild.textContent.trim();
    start.href = next.href;
    start.textContent = "Continue";
    start.setAttribute("aria-label", `Continue with chapter ${title}`);
  }

  // A chapter is read when its end has been on the screen.
  function watchEnd() {
    const chapter = chapterOf(location.pathname);
    const end = document.querySelector(".prev-next-footer, .bd-footer-article");
    if (!chapter || !end) return;
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      change(({ read }) => (read[chapter] = true));
    });
    watch.observe(end);
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
      said.textContent = "Cleared: nothing is kept in this browser.";
    });
    page.append(button, said);
    fillPage(table);
    changed.addEventListener("change", () => fillPage(table));
  }

  document.addEventListener("DOMContentLoaded", () => {
    watchEnd();
    markSidebar();
    changed.addEventListener("change", markSidebar);
    document.querySelectorAll(".course-facts a").forEach(goOn);
    document.querySelectorAll(".progress-page").forEach(startPage);
  });
  // Another tab of the same book.
  window.addEventListener("storage", () => changed.dispatchEvent(new Event("change")));

  return { changed, chosen, choose, element };
})();
