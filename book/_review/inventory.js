// The twenty questions before and after the course. Answers are kept by progress.js, the first and
// the second; the reasons, which wait in templates, come when both are there.
(() => {
  const TIMES = ["before", "after"];

  // One question: what can be chosen, and what becomes of it.
  function question(place) {
    const { element } = courseProgress;
    const lines = [...place.querySelectorAll("li")].map((line) => {
      const [radio, label, why] = ["input", "label", "template"]
        .map((name) => line.querySelector(name));
      radio.disabled = false;
      return { line, radio, label, why, right: "right" in line.dataset };
    });
    const chosen = () => lines.findIndex(({ radio }) => radio.checked);
    const clear = () => lines.forEach(({ radio }) => (radio.checked = false));
    const right = lines.findIndex((one) => one.right);

    function explain(answers) {
      lines.forEach(({ line, radio, label, why }, index) => {
        radio.remove();
        const times = TIMES.filter((_, time) => answers[time] === index);
        if (index === right) times.push("right");
        if (times.length) {
          label.append(element("em", { class: "inventory-times" }, times.join(", ")));
          label.dataset.verdict = index === right ? "right" : "wrong";
        }
        line.append(element("div", { class: "quiz-why" }, why.content.cloneNode(true)));
      });
    }

    return { id: place.dataset.question, chosen, clear, right, explain };
  }

  function start(places) {
    const { changed, change, element, load, today } = courseProgress;
    const questions = places.map(question);
    const begin = places[0].parentElement.querySelector(".review-due");
    const button = element("button", { type: "button", class: "quiz-check" });
    const note = element("p", { "aria-live": "polite" });
    places.at(-1).after(element("div", { class: "quiz-buttons" }, button), note);
    const taken = () => TIMES.map((time) => load().inventory?.[time]).filter(Boolean);
    let asking = taken().length ? null : TIMES[0];

    const rights = ({ answers }) =>
      questions.filter(({ id, right }) => answers[id] === right).length;

    function compare([before, after]) {
      const [first, second] = [before, after].map(rights);
      const open = questions.length - first;
      const gain = open && second >= first
        ? ` The gain is ${Math.round((100 * (second - first)) / open)}% of what was missing.` : "";
      begin.textContent = `Right before: ${first} of ${questions.length}. Right after: ${second}.${gain}`;
      for (const { id, explain } of questions) {
        explain([before.answers[id], after.answers[id]]);
      }
      button.remove();
    }

    function show() {
      const both = taken();
      if (both.length === 2) return compare(both);
      places.forEach((place) => (place.disabled = !asking));
      button.textContent = asking ? `Keep these answers (${asking} the course)` : "Answer again";
      begin.textContent = asking
        ? `Answers ${asking} the course.`
        : `You answered on ${both[0].day}. Come back after chapter 14, and answer again at the end.`;
    }

    button.addEventListener("click", () => {
      if (!asking) {
        asking = TIMES[1];
        questions.forEach(({ clear }) => clear());
        show();
        return places[0].querySelector("input").focus();
      }
      const answers = Object.fromEntries(questions
        .map(({ id, chosen }) => [id, chosen()]).filter(([, index]) => index >= 0));
      const left = questions.length - Object.keys(answers).length;
      if (asking === TIMES[1] && left) {
        note.textContent = `${left} of ${questions.length} are open: the second time, answer all.`;
        return;
      }
      note.textContent = "";
      change((progress) => {
        progress.inventory = { ...progress.inventory, [asking]: { day: today(), answers } };
      });
      asking = null;
      show();
      begin.scrollIntoView({ block: "center" });
    });

    show();
    // Cleared in another tab.
    const had = taken().length;
    changed.addEventListener("change", () => had && !taken().length && location.reload());
  }

  document.addEventListener("DOMContentLoaded", () => {
    const places = [...document.querySelectorAll(".inventory-question")];
    if (places.length) start(places);
  });
})();
