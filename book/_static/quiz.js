// Self-test questions that answer in the page: each choice becomes a button, and what there is to
// say to it is told below it. Without this script a choice is a folded text (book/_ext/quiz.py).
(() => {
  const progress = () => window.courseProgress;

  function choiceOf(details) {
    const { element } = progress();
    const summary = details.querySelector("summary");
    const why = details.querySelector(".quiz-why");
    const button = element("button", { type: "button", class: "quiz-choice" }, ...summary.childNodes);
    const said = element("div", { class: "quiz-said", "aria-live": "polite" });
    const right = "right" in details.dataset;
    details.replaceWith(button, said);
    const explain = () => {
      button.dataset.verdict = right ? "right" : "wrong";
      if (!why.isConnected) said.append(why);
    };
    const fold = () => {
      delete button.dataset.verdict;
      why.remove();
    };
    return { button, right, explain, fold };
  }

  function start(quiz) {
    const { changed, choose, chosen, element } = progress();
    const question = quiz.dataset.known;
    const choices = [...quiz.querySelectorAll("details.quiz-choice")].map(choiceOf);
    const all = element("button", { type: "button", class: "quiz-all" }, "Explain every choice");
    all.addEventListener("click", () => {
      choices.forEach(({ explain }) => explain());
      all.hidden = true;
      choices[0].button.focus();
    });
    quiz.append(all);

    function show() {
      const taken = chosen(question);
      const answered = taken.some((index) => choices[index]?.right);
      quiz.toggleAttribute("data-answered", answered);
      choices.forEach(({ explain, fold }, index) => (taken.includes(index) ? explain() : fold()));
      all.hidden = !answered || taken.length === choices.length;
    }

    choices.forEach(({ button, explain, right }, index) =>
      button.addEventListener("click", () => {
        explain();
        if (right) quiz.toggleAttribute("data-answered", true);
        choose(question, index);
        all.hidden = !quiz.hasAttribute("data-answered") || choices.every(isExplained);
      }),
    );
    show();
    // Another tab, or the page that clears.
    changed.addEventListener("change", () => chosen(question).length || show());
  }

  const isExplained = ({ button }) => "verdict" in button.dataset;

  function count(quizzes) {
    const { changed, chosen, element } = progress();
    const line = element("p", { class: "quiz-count" });
    const words = element("span");
    const root = document.documentElement.dataset.content_root ?? "./";
    line.append(words, element("a", { href: `${root}progress.html` }, "Your progress"));
    const show = () => {
      const answered = quizzes.filter((quiz) => chosen(quiz.dataset.known).length).length;
      words.textContent = `${answered} of ${quizzes.length} questions answered. `;
    };
    show();
    changed.addEventListener("change", show);
    quizzes.at(-1).after(line);
  }

  document.addEventListener("DOMContentLoaded", () => {
    const quizzes = [...document.querySelectorAll(".quiz")];
    quizzes.forEach(start);
    if (quizzes.length) count(quizzes);
  });
})();
