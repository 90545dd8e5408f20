// The page of questions that are due: a few a day from the chapters that were read, a figure of
// what is remembered, and what was answered as a file. All of it is kept by progress.js.
(() => {
  const FORMAT = "attention-course-review";

  // The questions by their ids, each with its forms, in the order of the chapters.
  function bank(template) {
    const questions = new Map();
    for (const form of template.querySelectorAll(".quiz")) {
      const { question: id, chapter } = form.dataset;
      if (!questions.has(id)) questions.set(id, { id, chapter, forms: [] });
      questions.get(id).forms.push(form);
    }
    return [...questions.values()];
  }

  const { count, onDay, queue } = courseSchedule;

  function inWords({ due, waiting, later }) {
    if (due.length) return `${count(due.length, "question")} for today.`;
    if (waiting) return `Ten questions a day are enough. ${waiting} more can wait until tomorrow.`;
    if (!later.length) return "Nothing is due yet: read a chapter, or answer its questions, first.";
    const first = later.filter((one) => one === later[0]).length;
    return `Nothing is due today. ${count(first, "question")} will be on ${onDay(later[0])}.`;
  }

  function ask(question, links, next) {
    const { change, element, load, note, today } = courseProgress;
    const before = Object.keys(load().log[question.id] ?? {}).length;
    const form = question.forms[before % question.forms.length].cloneNode(true);
    const link = links.get(question.chapter).cloneNode(true);
    form.querySelector(".quiz-number").replaceChildren("From ", link);
    const onwards = element("button", { type: "button", class: "quiz-check" }, "Next question");
    const taken = [];
    courseQuiz.start(form, {
      chosen: () => taken,
      choose: (id, choice, right) => {
        taken.push(choice);
        if (taken.length > 1) return;
        change((progress) => {
          const day = today();
          progress.reviewed = { [day]: (progress.reviewed?.[day] ?? 0) + 1 };
          note(progress.log, id, right);
        });
        form.querySelector(".quiz-buttons").append(onwards);
      },
    });
    onwards.addEventListener("click", next);
    return form;
  }

  function showKnown(place, questions, links) {
    const { element, load, today } = courseProgress;
    const { log } = load();
    const rows = [];
    let [all, sum] = [0, 0];
    for (const [chapter, link] of links) {
      const own = questions.filter((question) => question.chapter === chapter);
      const asked = own.filter(({ id }) => log[id]);
      if (!asked.length) continue;
      const remembered = asked
        .reduce((so, { id }) => so + courseSchedule.remembered(log[id], today()), 0);
      all += asked.length;
      sum += remembered;
      const share = (part) => `${(100 * part) / own.length}%`;
      const bar = element("span", { class: "review-bar", "aria-hidden": "true" });
      bar.style.setProperty("--asked", share(asked.length));
      bar.style.setProperty("--known", share(remembered));
      const words = `${Math.round(remembered)} of ${own.length}`;
      rows.push(element("tr", {}, element("th", { scope: "row" }, link.cloneNode(true)),
        element("td", {}, bar), element("td", {}, words)));
    }
    if (!rows.length) return place.replaceChildren("Nothing has been answered yet.");
    const headings = ["Chapter", "Known, asked, all", "Known"]
      .map((words) => element("th", { scope: "col" }, words));
    const table = element("table", { class: "table" },
      element("thead", {}, element("tr", {}, ...headings)), element("tbody", {}, ...rows));
    const line = `Of the ${count(all, "question")} that you have answered, you would probably ` +
      `answer ${Math.round(sum)} rightly today.`;
    place.replaceChildren(element("p", {}, line), table);
  }

  const isLog = (log) => log instanceof Object && Object.entries(log).every(([, answers]) =>
    answers instanceof Object && Object.entries(answers).every(([day, right]) =>
      /^\d{4}-\d\d-\d\d$/.test(day) && typeof right === "boolean"));

  function save() {
    const { element, load, today } = courseProgress;
    const content = JSON.stringify({ format: FORMAT, log: load().log }, null, 1);
    const address = URL.createObjectURL(new Blob([content], { type: "application/json" }));
    element("a", { href: address, download: `review-${today()}.json` }).click();
    URL.revokeObjectURL(address);
  }

  async function bring(file) {
    const content = await file.text().then(JSON.parse).catch(() => null);
    if (content?.format !== FORMAT || !isLog(content.log)) {
      return `${file.name} is no file that this page, or review() in a notebook, has written.`;
    }
    courseProgress.change(({ log }) => {
      for (const [id, answers] of Object.entries(content.log)) {
        log[id] = { ...answers, ...log[id] };
      }
    });
    return `Added: ${count(Object.keys(content.log).length, "question")}.`;
  }

  function offerFile(place) {
    const { element } = courseProgress;
    const button = element("button", { type: "button", class: "quiz-check" }, "Save as a file");
    const input = element("input", { type: "file", accept: ".json,application/json" });
    const label = element("label", {}, "Add a file: ", input);
    const said = element("p", { "aria-live": "polite" });
    button.addEventListener("click", save);
    input.addEventListener("change", async () => {
      if (input.files[0]) said.textContent = await bring(input.files[0]);
      input.value = "";
    });
    place.append(button, label, said);
  }

  function start(page) {
    const { changed, element } = courseProgress;
    const template = page.querySelector("template").content;
    const links = new Map([...template.querySelectorAll("li[data-chapter]")]
      .map((line) => [line.dataset.chapter, line.firstChild]));
    const questions = bank(template);
    const line = element("p", { class: "review-due", "aria-live": "polite" });
    const place = element("div");
    const table = document.querySelector(".review-known");
    page.append(line, place);

    function next(event) {
      const found = queue(questions);
      line.textContent = inWords(found);
      place.replaceChildren(...found.due.slice(0, 1).map((one) => ask(one, links, next)));
      if (event) place.querySelector("input")?.focus();
    }

    next();
    showKnown(table, questions, links);
    offerFile(document.querySelector(".review-file"));
    changed.addEventListener("change", () => {
      showKnown(table, questions, links);
      if (!place.querySelector("[data-verdict]")) next(); // not while an explanation is read
    });
  }

  document.addEventListener("DOMContentLoaded", () =>
    document.querySelectorAll(".review").forEach(start));
})();
