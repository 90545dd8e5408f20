// What a reader wrote at work in the chapter: figures whose numbers it computes, on a switch, and demos
// that run on it, on a button. Both are offered once its check has passed, by the Python of solve.js.
(() => {
  const ON_A_STAGE = { exercise: "softmax", expression: "softmax(torch.tensor(scores), dim=-1)" };
  const MODES = ["sentence", "causal", "heads"]; // of stages whose rows are known beforehand
  /** @type {(name: string) => boolean} */
  const solved = (name) => {
    const { passed, chapter } = courseSolving.written()[name] ?? {};
    return Boolean(passed && chapter);
  };
  /** @type {(selector: string) => HTMLElement[]} */
  const all = (selector) => [...document.querySelectorAll(/** @type {any} */ (selector))];

  function figures() {
    const played = all("figure.play[data-yours]").map((figure) =>
      ({ figure, ...JSON.parse(figure.dataset.yours), ...playing }));
    const staged = all("figure.stage")
      .filter((figure) => MODES.includes(figure.dataset.mode))
      .map((figure) => ({ figure, ...ON_A_STAGE, ...onStage }));
    return [...played, ...staged];
  }

  /** A chart: its numbers are computed again whenever a slider moves, the newest wish alone. */
  const playing = {
    async begin({ figure, exercise, expression, as, at }, failed) {
      const ask = () => courseSolving.compute(exercise, expression, coursePlay.values(figure));
      let [busy, again] = [false, false];
      async function changed(put) {
        again = true;
        if (busy) return;
        busy = true;
        try {
          while (again) {
            again = false;
            const numbers = await ask();
            if (!figure.yours) break; // switched off meanwhile
            figure.yours.numbers = numbers;
            await put(numbers);
          }
        } catch (error) {
          failed(error);
        }
        busy = false;
      }
      figure.yours = { as, at, numbers: await ask(), changed };
      await coursePlay.draw(figure);
    },
    end({ figure }) {
      delete figure.yours;
      coursePlay.draw(figure);
    },
  };

  /** A stage: all rows that it can show, at once. */
  const onStage = {
    async begin({ figure, exercise, expression }) {
      const { data, state } = figure.stage;
      const rows = data.heads.flatMap((_, head) => (data.askers ?? data.items).map((_, asks) => {
        const seen = data.causal ? { head: 0, leak: head === 1 } : { head };
        return stageRows.rowOf(data, { ...state, ...seen, asks }).scores;
      }));
      const weights = await courseSolving.compute(exercise, expression, { scores: rows });
      const known = new Map(rows.map((row, i) => [JSON.stringify(row), weights[i]]));
      data.yours = (scores) => known.get(JSON.stringify(scores));
      figure.stage.draw();
    },
    end({ figure }) {
      delete figure.stage.data.yours;
      figure.stage.draw();
    },
  };

  const lastLine = (error) => error.message.trim().split("\n").at(-1);

  function offerSwitch(one) {
    const { figure, exercise } = one;
    if (figure.querySelector(".yours")) return;
    const { element } = courseProgress;
    const input = element("input", { type: "checkbox" });
    const label = element("label", {}, input, " With your ", element("code", {}, exercise));
    const said = element("span", { role: "status" });
    const line = element("p", { class: "yours" }, label, said);
    const failed = (error) => {
      input.checked = false;
      one.end(one);
      said.textContent = `Your ${exercise} could not compute this: ${lastLine(error)}`;
    };
    input.addEventListener("change", async () => {
      if (!input.checked) {
        one.end(one);
        said.textContent = "";
        return;
      }
      said.textContent = "Python computes ...";
      try {
        await one.begin(one, failed);
        said.textContent = `Computed by the ${exercise} that you wrote.`;
      } catch (error) {
        failed(error);
      }
    });
    figure.append(line);
  }

  const plain = (text) => text.replace(/\s+/g, " ").trim();

  function offerDemo(one) {
    const cell = document.querySelector(`.cell-id-${one.cell}`);
    if (!cell || cell.querySelector(".yours")) return;
    const { element } = courseProgress;
    const button = element("button", { type: "button" }, "Run it with your code");
    const said = element("span", { role: "status" });
    const printed = element("pre");
    const place = element("div", { class: "yours live-buttons" }, button, said);
    button.addEventListener("click", async () => {
      button.disabled = true;
      said.textContent = "It runs ...";
      printed.remove();
      try {
        printed.textContent = await courseSolving.demo(one);
        const stored = [...cell.querySelectorAll(".cell_output pre")].map((pre) => pre.textContent);
        const same = plain(printed.textContent) === plain(stored.join(" "));
        const names = [...one.exercises, ...one.provided].filter(solved).join(", ");
        said.textContent = `With your ${names}: ${same ? "the same as above." : "not the same as above."}`;
        if (!same) place.after(printed);
      } catch (error) {
        said.textContent = `It stopped: ${lastLine(error)}`;
      }
      button.disabled = false;
    });
    cell.append(place);
  }

  async function offer() {
    if (!Object.keys(courseSolving.written()).some(solved)) return;
    if (!(await courseSolving.isHere().catch(() => false))) return;
    figures().filter(({ exercise }) => solved(exercise)).forEach(offerSwitch);
    for (const one of await courseSolving.demos()) {
      const own = [...one.exercises, ...one.provided].some(solved);
      if (own && one.exercises.every(solved)) offerDemo(one);
    }
  }

  document.addEventListener("DOMContentLoaded", offer);
  document.addEventListener("course-solving", offer);
})();
