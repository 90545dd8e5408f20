// Words of the text that bring a figure to what they speak of (book/_ext/cues.py): who points at them,
// or comes to them with the Tab key, sees it there; a click or Enter brings the figure on the screen too.
(() => {
  const FIGURES = "figure:is(.stage, .play, .live)";
  const STAGE = ["asks", "time", "head", "leak", "sharpness", "query"];
  const REST = 120; // ms that a pointer rests on words before they count

  const number = (text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text);

  /** A stage's state: who asks by its name, several numbers as a list. */
  function stageState(figure, state) {
    const { items, askers } = JSON.parse(figure.dataset.stage);
    const given = {};
    for (const [name, text] of Object.entries(state)) {
      const place = (askers ?? items).indexOf(text);
      if (name === "asks" && place >= 0) given.asks = place;
      else if (name === "query") given.query = text.split(",").map(Number);
      else if (name === "leak") given.leak = text === "true";
      else given[name] = Number(text);
    }
    return given;
  }

  /** Whether a figure has all that a state names. */
  function heeds(figure, state) {
    const names = Object.keys(state);
    if (figure.matches(".stage")) return names.every((name) => STAGE.includes(name));
    if (figure.matches(".live")) return names.join() === "text";
    const { signals = [] } = JSON.parse(figure.dataset.spec);
    return names.every((name) => signals.some((signal) => signal.name === name && signal.bind));
  }

  /** The figure beside the words, or the one on the first screen, or the first that can show it. */
  function figureOf(cue, state) {
    const places = [cue.closest(".beside-pair"), document.querySelector(".first-screen"), document];
    const figures = places.flatMap((place) => [...(place?.querySelectorAll(FIGURES) ?? [])]);
    return /** @type {HTMLElement | undefined} */ (figures.find((figure) => heeds(figure, state)));
  }

  function bring(figure, state) {
    if (figure.matches(".stage")) {
      const { time, ...others } = stageState(figure, state);
      if (time === undefined) figure.dispatchEvent(new CustomEvent("stage-change", { detail: others }));
      else figure.stage.show({ ...others, time });
    } else if (figure.matches(".play")) {
      const detail = Object.fromEntries(Object.entries(state).map(([name, text]) => [name, number(text)]));
      figure.dispatchEvent(new CustomEvent("play-show", { detail }));
    } else {
      const field = figure.querySelector("textarea, input[type=text]");
      if (!field) return;
      field.value = state.text;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }

  /** @param {HTMLElement} cue */
  function start(cue) {
    const state = JSON.parse(cue.dataset.show);
    const figure = figureOf(cue, state);
    if (!figure) return;
    cue.setAttribute("role", "button");
    cue.tabIndex = 0;
    cue.title = "shows it in the figure";
    let timer;
    const show = () => {
      clearTimeout(timer);
      document.querySelector(".cue[data-shown]")?.removeAttribute("data-shown");
      cue.dataset.shown = "";
      bring(figure, state);
    };
    function act() {
      show();
      const { top, bottom } = figure.getBoundingClientRect();
      if (top >= 0 && bottom <= innerHeight) return;
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      figure.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
    }
    cue.addEventListener("click", act);
    cue.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act();
    });
    cue.addEventListener("focus", () => cue.matches(":focus-visible") && show());
    cue.addEventListener("pointerenter", ({ pointerType }) => {
      if (pointerType === "mouse") timer = setTimeout(show, REST);
    });
    cue.addEventListener("pointerleave", () => clearTimeout(timer));
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const cue of document.querySelectorAll(".cue")) start(/** @type {HTMLElement} */ (cue));
  });
})();
