// On the map: how many of today's questions come from each chapter, and a line that leads to them.
document.addEventListener("DOMContentLoaded", () => {
  const { count, onDay, queue } = courseSchedule;
  const { changed, chapterOf, element } = courseProgress;
  /** @type {HTMLElement} */
  const line = document.querySelector(".map-due");
  /** @type {SVGAElement[]} */
  const links = [...document.querySelectorAll("svg.boxes a[data-questions]")];
  const questions = links
    .map((link) => ({ link, chapter: chapterOf(link.href.baseVal) }))
    .sort((one, other) => one.chapter.localeCompare(other.chapter))
    .flatMap(({ link, chapter }) => link.dataset.questions.split(" ").filter(Boolean)
      .map((id) => ({ id, chapter })));

  function mark(link, number) {
    link.querySelector(".box-due")?.remove();
    if (!number) return;
    const { x, y, width } = link.querySelector("rect").getBBox();
    const words = document.createElementNS("http://www.w3.org/2000/svg", "text");
    const place = { class: "box-due", x: x + width - 6, y: y + 15 };
    for (const [key, value] of Object.entries(place)) words.setAttribute(key, String(value));
    words.textContent = `${number} due`;
    link.append(words);
    const name = link.getAttribute("aria-label") ?? link.querySelector("text").textContent.trim();
    link.setAttribute("aria-label", `${name} (${count(number, "question")} due)`);
  }

  function show() {
    const { due, waiting, later } = queue(questions);
    for (const link of links) {
      const chapter = chapterOf(link.href.baseVal);
      mark(link, due.filter((question) => question.chapter === chapter).length);
    }
    const review = element("a", { href: line.dataset.review }, count(due.length, "question"));
    if (due.length) line.replaceChildren(review, " for today in the review.");
    else if (waiting) line.textContent = `${count(waiting, "more question")} can wait until tomorrow.`;
    else line.textContent = later.length ? `The next questions are due on ${onDay(later[0])}.` : "";
  }

  show();
  changed.addEventListener("change", show); // after progress.js, which gives the boxes their names
});
