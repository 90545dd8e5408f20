// When a question is due again, and how likely it is remembered: FSRS, from what was answered on
// which day, and which questions are today's. Days are the reader's own; each stands for its noon,
// so that no hour counts.
window.courseSchedule = (() => {
  const { fsrs, createEmptyCard, Rating } = FSRS;
  const A_DAY = 10;
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

  /**
   * Today's questions: what was answered before and is due, the longest due first; then what is new
   * of the chapters that were read, chapters in turn.
   * @param {{ id: string, chapter: string }[]} questions in the order of the chapters
   */
  function queue(questions) {
    const { log, read, reviewed } = courseProgress.load();
    const day = courseProgress.today();
    const asked = questions.filter(({ id }) => log[id])
      .map((question) => ({ ...question, due: dueOn(log[question.id]) }));
    const again = asked.filter(({ due }) => due <= day)
      .sort((one, other) => one.due.localeCompare(other.due));
    const met = {};
    const fresh = questions
      .map((question) => {
        const turn = met[question.chapter] = (met[question.chapter] ?? 0) + 1;
        return { ...question, turn };
      })
      .filter(({ id, chapter }) => !log[id] && read[chapter])
      .sort((one, other) => one.turn - other.turn);
    const left = Math.max(0, A_DAY - (reviewed?.[day] ?? 0));
    const later = asked.filter(({ due }) => due > day).map(({ due }) => due).sort();
    return { due: [...again, ...fresh].slice(0, left), waiting: again.length + fresh.length, later };
  }

  const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const onDay = (day) =>
    new Date(`${day}T12:00`).toLocaleDateString("en-US", { month: "long", day: "numeric" });

  return { count, dueOn, onDay, queue, remembered };
})();
