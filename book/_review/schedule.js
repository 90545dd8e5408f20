// When a question is due again, and how likely it is remembered: FSRS, from what was answered on
// which day. Days are the reader's own; each stands for its noon, so that no hour counts.
window.courseSchedule = (() => {
  const { fsrs, createEmptyCard, Rating } = FSRS;
  // Questions come back after days, never after minutes, and the same ones to everybody.
  const scheduler = fsrs({ enable_fuzz: false, learning_steps: [], relearning_steps: [] });
  const noon = (day) => new Date(`${day}T12:00:00Z`);

  /** @param {Object<string, boolean>} answers by day, whether the answer was right */
  function card(answers) {
    const days = Object.keys(answers).sort();
    const review = (before, day) =>
      scheduler.next(before, noon(day), answers[day] ? Rating.Good : Rating.Again).card;
    return days.reduce(review, createEmptyCard(noon(days[0])));
  }

  const dueOn = (answers) => card(answers).due.toISOString().slice(0, 10);
  // What was missed the last time counts as forgotten, though its explanation was just read.
  const remembered = (answers, day) =>
    answers[Object.keys(answers).sort().at(-1)]
      ? scheduler.get_retrievability(card(answers), noon(day), false) : 0;

  return { dueOn, remembered };
})();
