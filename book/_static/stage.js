// The attention machine on its stage (book/_ext/machine_stage.py has the figure as it stands
// without scripts). All that is drawn and said is a function of the data, of who asks and of a time
// from 0 to 4: buttons, scrolling and tests can all drive it, by `figure.stage.show({ asks, time })`.
(() => {
  const MOVE = 1100; // ms that a move takes
  const REST = [1500, 2400, 2600, 0]; // ms to read after each move, when all are played
  const BEFORE = 1200; // ms that the end is seen before it is drawn once more, by itself
  const FIRST = 0.6; // how much of a figure is seen when it starts by itself
  const END = 4;

  const clamp = (x) => Math.max(0, Math.min(1, x));
  const eased = (x) => clamp(x) ** 2 * (3 - 2 * clamp(x));
  const lessMotion = matchMedia("(prefers-reduced-motion: reduce)");

  /** How far each of the four moves is at a time. */
  const phases = (time) => [0, 1, 2, 3].map((move) => eased(time - move));

  function pieces(said) {
    return said.map((piece) => {
      if (typeof piece === "string") return piece;
      const bold = document.createElement("b");
      bold.textContent = piece.bold;
      if (piece.role) bold.className = `stage-${piece.role}`;
      return bold;
    });
  }

  function start(figure, place) {
    /** @type {Data} */
    const data = JSON.parse(figure.dataset.stage);
    const find = (selector) => figure.querySelector(selector);
    const all = (selector) => [...figure.querySelectorAll(selector)];
    const [seen, heard] = [find(".stage-said"), find("[role=status]")];
    const moves = all(".stage-moves li button");
    const player = find(".stage-play");
    const view = stageViews[data.mode === "keys" ? "keys" : "line"](figure, data);
    const state = {
      ...{ asks: data.asks ?? 0, time: END, head: 0, leak: false, sharpness: 0.5 },
      ...{ query: [...(data.query ?? [])], keys: data.keys ?? [] },
    };
    const stops = data.mode === "dial" ? [0, 2, 4] : [1, 2, 3, 4];
    let [running, goal] = [0, END];

    function draw() {
      const row = stageRows.rowOf(data, state);
      view(state, row, phases(state.time));
      const said = stageRows.said(data, { ...state, time: goal });
      seen.replaceChildren(...pieces(said));
      const moving = running && data.mode !== "dial"; // then the move that is seen is marked
      const at = moving ? stops.find((stop) => stop >= state.time) : goal;
      moves.forEach((button, i) => {
        if (at === stops[i]) button.setAttribute("aria-current", "step");
        else button.removeAttribute("aria-current");
      });
      player.textContent = running ? "Pause" : "Play";
    }

    /** Read aloud what stands there, once the reader has done something. */
    const speak = () => (heard.textContent = seen.textContent);

    function stop() {
      cancelAnimationFrame(running);
      running = 0;
    }

    /** Show a moment: any of the state's parts. */
    function show(part) {
      stop();
      Object.assign(state, part);
      if (data.mode === "dial" && part.time !== undefined) state.sharpness = part.time / END;
      if (data.mode === "dial" && part.sharpness !== undefined) state.time = part.sharpness * END;
      goal = state.time;
      draw();
    }

    /** Go from one time to another; then do what is asked. */
    function go(from, to, duration, then) {
      stop();
      goal = to;
      if (lessMotion.matches) {
        show({ time: to });
        then?.();
        return;
      }
      const begun = performance.now();
      const tick = (now) => {
        const share = clamp((now - begun) / duration);
        state.time = from + (to - from) * share;
        if (data.mode === "dial") state.sharpness = state.time / END;
        running = share < 1 ? requestAnimationFrame(tick) : 0;
        if (share === 1) state.time = to;
        draw();
        if (share === 1) then?.();
      };
      running = requestAnimationFrame(tick);
      draw();
    }

    let waiting;
    function halt() {
      clearTimeout(waiting);
      waiting = undefined;
      stop();
    }

    /** Play all moves, with time to read after each. */
    function play(move = 0) {
      const wait = lessMotion.matches ? MOVE : 0;
      go(move ? stops[move - 1] : 0, stops[move], MOVE, () => {
        if (move === stops.length - 1) {
          waiting = undefined;
          player.textContent = "Play";
          return;
        }
        waiting = setTimeout(() => play(move + 1), wait + REST[move]);
        player.textContent = "Pause";
      });
    }

    /** The moves are one stop of the Tab key, and arrow keys lead from one to the next. */
    function walk() {
      const stopAt = (at) => moves.forEach((button, i) => (button.tabIndex = i === at ? 0 : -1));
      stopAt(0);
      moves.forEach((button, i) => {
        button.addEventListener("focus", () => stopAt(i));
        button.addEventListener("keydown", ({ key }) => {
          const step = { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0;
          if (step) moves.at((i + step) % moves.length).focus();
        });
      });
    }

    function listen() {
      walk();
      moves.forEach((button, i) => button.addEventListener("click", () => {
        halt();
        const from = data.mode === "dial" ? state.time : (stops[i - 1] ?? 0);
        go(from, stops[i], MOVE);
        speak();
      }));
      player.addEventListener("click", () => {
        const playing = waiting !== undefined || running;
        halt();
        if (playing) show({ time: goal });
        else play();
        speak();
      });
      const act = (part) => {
        halt();
        Object.assign(state, part);
        if (data.mode === "keys" || data.mode === "dial") show(part);
        else go(2, END, MOVE * 1.3);
        speak();
      };
      figure.addEventListener("stage-change", ({ detail }) => act(detail));
      // A touch anywhere ends what plays by itself.
      figure.addEventListener("pointerdown", ({ target }) => {
        if (waiting !== undefined && !target.closest(".stage-play")) {
          halt();
          show({ time: goal });
        }
      });
    }

    for (const input of all("input, .stage-moves button")) input.disabled = false;
    all(".stage-line input[type=radio]").forEach((input) => (input.name = `stage-asks-${place}`));
    all(".stage-heads input").forEach((input) => (input.name = `stage-head-${place}`));
    listen();
    draw();
    figure.stage = {
      show(part) {
        halt();
        show(part);
      },
      get state() {
        return { ...state };
      },
      data,
      draw,
    };
    figure.dataset.started = "";
    if (!lessMotion.matches) {
      whenSeen(figure, () => {
        // In one go, and with the end's words: who looks for a moment sees weights.
        waiting = setTimeout(() => go(0, END, 3 * MOVE, () => (waiting = undefined)), BEFORE);
        player.textContent = "Pause";
      });
    }
  }

  /** Once, when most of a figure is on the screen. */
  function whenSeen(figure, act) {
    const watch = new IntersectionObserver(([{ intersectionRatio, boundingClientRect }]) => {
      const tall = boundingClientRect.height > innerHeight;
      if (intersectionRatio < (tall ? 0.4 : FIRST)) return;
      watch.disconnect();
      if (document.hidden || figure.contains(document.activeElement)) return;
      act();
    }, { threshold: [0.4, FIRST] });
    watch.observe(figure.querySelector(".stage-inside"));
  }

  let begun = false;
  function begin() {
    if (begun) return;
    begun = true;
    document.querySelectorAll("figure.stage").forEach(start);
  }
  document.addEventListener("DOMContentLoaded", begin);
  // A first screen's figure does not wait for the scripts of all others, but for its own.
  const own = [window.stageRows, window.stageParts, window.stageTable, window.stageAnswer];
  if (document.readyState === "interactive" && own.every(Boolean) && stageViews?.line) begin();
})();
