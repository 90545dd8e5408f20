// Self-test questions that answer in the page: each choice becomes a radio button, and "Check" tells
// below it what there is to say. Without this script a choice is a folded text (book/_ext/quiz.py).
window.courseQuiz = (() => {
  const progress = () => window.courseProgress;

  function choiceOf(details, group) {
    const { element } = progress();
    const why = details.querySelector(".quiz-why");
    const radio = element("input", { type: "radio", name: group });
    const words = element("span", {}, ...details.querySelector("summary").childNodes);
    const label = element("label", { class: "quiz-choice" }, radio, words);
    const said = element("div", { class: "quiz-said", "aria-live": "polite" });
    const right = "right" in details.dataset;
    details.replaceWith(label, said);
    const explain = () => {
      label.dataset.verdict = right ? "right" : "wrong";
      if (!why.isConnected) said.append(why);
    };
    const fold = () => {
      delete label.dataset.verdict;
      radio.checked = false;
      why.remove();
    };
    return { label, radio, right, explain, fold };
  }

  // `memory` keeps which choices were taken: the reader's progress, or what asks a question again.
  function start(quiz, memory = progress()) {
    const { changed, element } = progress();
    const { choose, chosen } = memory;
    const question = quiz.dataset.question;
    const details = [...quiz.querySelectorAll("details.quiz-choice")];
    const choices = details.map((one) => choiceOf(one, `${quiz.id}-choice`));
    const check = element("button", { type: "button", class: "quiz-check" }, "Check");
    const all = element("button", { type: "button", class: "quiz-all" }, "Explain every choice");
    const hint = element("span", { class: "quiz-hint", "aria-live": "polite" });
    quiz.append(element("div", { class: "quiz-buttons" }, check, all, hint));

    all.addEventListener("click", () => {
      choices.forEach(({ explain }) => explain());
      all.hidden = true;
      choices[0].radio.focus();
    });

    // Nothing to be checked yet: the Tab key passes by.
    const reach = () => (check.tabIndex = choices.some(({ radio }) => radio.checked) ? 0 : -1);

    function offer() {
      reach();
      const answered = quiz.hasAttribute("data-answered");
      all.hidden = !answered || choices.every(({ label }) => "verdict" in label.dataset);
    }

    function show() {
      const taken = chosen(question);
      quiz.toggleAttribute("data-answered", taken.some((index) => choices[index]?.right));
      choices.forEach(({ explain, fold }, index) => (taken.includes(index) ? explain() : fold()));
      const last = choices[taken.at(-1)];
      if (last) last.radio.checked = true;
      offer();
    }

    function answer() {
      const index = choices.findIndex(({ radio }) => radio.checked);
      hint.textContent = index < 0 ? "Choose an answer first." : "";
      if (index < 0) return;
      choices[index].explain();
      if (choices[index].right) quiz.toggleAttribute("data-answered", true);
      choose(question, index, choices[index].right);
      offer();
    }

    check.addEventListener("click", answer);
    quiz.addEventListener("change", reach);
    quiz.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target.type === "radio") answer();
    });
    show();
    // Another tab, or the page that clears.
    changed.addEventListener("change", () => chosen(question).length || show());
  }

  function count(quizzes) {
    const { changed, chosen, element } = progress();
    const line = element("p", { class: "quiz-count" });
    const words = element("span");
    const root = document.documentElement.dataset.content_root ?? "./";
    const link = (page, text) => element("a", { href: `${root}${page}.html` }, text);
    line.append(words, link("progress", "Your progress"), " · ", link("review", "Review"));
    const show = () => {
      const answered = quizzes.filter((quiz) => chosen(quiz.dataset.question).length).length;
      words.textContent = `${answered} of ${quizzes.length} questions answered. `;
    };
    show();
    changed.addEventListener("change", show);
    quizzes.at(-1).after(line);
  }

  document.addEventListener("DOMContentLoaded", () => {
    const quizzes = [...document.querySelectorAll(".quiz:not(.inventory-question)")];
    quizzes.forEach((quiz) => start(quiz));
    if (quizzes.length) count(quizzes);
  });

  return { start };
})();
