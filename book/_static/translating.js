// A translator of dates (book/lab/live.py): the reader types a date in one of its languages, and
// sees it written in digits, symbol by symbol, with a row of weights over the source for each.
(() => {
  const SYMBOLS = 7; // written for a date, with what ends it
  const LONGEST = 40; // symbols written
  const PACE = 150; // ms from one symbol to the next
  const WIDE = 26; // px of a weight, where there is room
  const [HIGH, LOW] = [21, 17]; // px of a row, of one date and of more
  const NARROWEST = 10; // px, where the window is narrow
  const NUMBERED = 12; // px, from which a weight's percent has room
  const [FIGURE, DIGIT] = [11, 0.6]; // px of a percent's letters, and how wide a digit of them is
  const TOLD = 0.1; // a weight whose percent is written

  const PROPOSALS = [
    "take the same date in another language.",
    "change one letter of the date.",
    "look at what one head alone does.",
    "write something that is no date.",
  ];

  /** All that is seen, before the model is there: nothing moves when it comes. */
  function build(figure) {
    const { element, labeled, title } = live;
    const { text, others = "", heads } = figure.dataset;
    const source = element("input", {
      ...{ type: "text", value: text, maxlength: 160, size: 30 },
      ...{ spellcheck: "false", autocomplete: "off", autocapitalize: "off" },
    });
    const choices = [text, ...others.split("|").filter(Boolean)].map(live.button);
    const buttons = ["Translate", "One symbol"].map(live.button);
    const looks = element("select", {}, element("option", { value: "" }, "all heads, averaged"));
    const [numLayers, numHeads] = (heads ?? "0x0").split("x").map(Number);
    for (let l = 0; l < numLayers; l++) {
      looks.append(element("option", { value: `${l}` }, `L${l}, averaged`));
      for (let h = 0; h < numHeads; h++) {
        const words = `L${l}.H${h}`;
        looks.append(element("option", { value: `${l} ${h}` }, words));
      }
    }
    looks.selectedIndex = looks.options.length - 1 - numHeads; // the last block's
    const written = element("output", { class: "translating-written" });
    const map = element("canvas", { role: "img" });
    // Room for as many symbols as its dates have, so that nothing moves when they are written.
    const dates = text.split(";").length;
    const rows = SYMBOLS * dates + 2;
    map.style.minHeight = `${rows * (dates > 1 ? LOW : HIGH)}px`;
    figure.style.setProperty("--dates", dates);
    const said = live.status();
    const panel = element(
      "div",
      { class: "live-panel" },
      labeled("A date, or up to four with “; ” between them", source),
      live.toolbar("Dates", { also: "translating-choices" }, ...choices),
      element("div", { class: "live-buttons" }, ...buttons, written),
      said.line,
      title("Where it looks: each symbol written has a row of weights, which make 100%; only 10% and more are numbered"),
      numHeads ? element("div", { class: "live-knobs" }, labeled("shown:", looks)) : "",
      element("div", {
        ...{ class: "translating-map", role: "group", tabindex: 0, "aria-label": "the weights" },
      }, map),
    );
    return { panel, focus: source, source, choices, buttons, looks, written, map, rows, said };
  }

  function run(figure, ui, later) {
    const { named } = live;
    const { START, END, END_SIGN, isDate } = dateSymbols;
    let [model, reads, writes] = [undefined, [], []];
    let [letters, steps, timer, unknown] = [[], [], undefined, undefined];
    let [writer, ended] = [undefined, true]; // what writes the next symbol, and whether there is none
    let stepping = false; // whether the reader wanted one symbol before the model was there

    const symbol = ({ token }) => dateSymbols.symbol(writes, token);

    /** Let the model write until so many symbols are there: no more, as a slow phone waits for each. */
    function write(most) {
      while (!ended && steps.length < most) {
        const step = writer.next().value;
        steps.push(step);
        ended = step.token === END || steps.length === LONGEST;
      }
    }

    /** Read the source anew, and write nothing yet. */
    function read() {
      clearTimeout(timer);
      const found = dateSymbols.read(reads, ui.source.value);
      [unknown, letters] = [found.unknown, found.letters];
      const limits = { start: START, end: END, longest: LONGEST };
      writer = attention.translation(model, found.tokens, limits);
      [steps, ended] = [[], !letters.length];
    }

    /** Of a step, the row of weights that is looked at. */
    function looked({ weights }) {
      const [l, h] = ui.looks.value.split(" ").map(Number);
      const heads = !ui.looks.value ? weights.flat() : h === undefined ? weights[l] : [weights[l][h]];
      return letters.map((_, j) =>
        heads.reduce((sum, head) => sum + head.numbers[j], 0) / heads.length);
    }

    function draw() {
      const [columns, rows] = [letters.length + 1.5, Math.max(ui.rows, steps.length + 1)];
      const fitting = Math.floor(ui.map.parentElement.clientWidth / columns);
      const high = letters.includes(";") ? LOW : HIGH;
      const wide = Math.min(WIDE, Math.max(NARROWEST, fitting));
      const sharp = window.devicePixelRatio || 1;
      [ui.map.width, ui.map.height] = [columns * wide * sharp, rows * high * sharp];
      ui.map.style.width = `${columns * wide}px`;
      const context = ui.map.getContext("2d");
      context.scale(sharp, sharp);
      const style = getComputedStyle(ui.map);
      const letterFont = `14px ${style.fontFamily}`;
      const ground = getComputedStyle(document.body).backgroundColor;
      context.font = letterFont;
      [context.textAlign, context.textBaseline] = ["center", "middle"];
      const write = (letter, column, row, color = style.color) => {
        context.fillStyle = color;
        context.fillText(letter, (column + 0.5) * wide, (row + 0.5) * high);
      };
      letters.forEach((letter, j) => write(letter, j + 1.5, 0));
      steps.forEach((step, t) => {
        write(symbol(step), 0, t + 1);
        context.fillStyle = live.color(figure, "weight");
        const weights = looked(step);
        weights.forEach((weight, j) => {
          context.globalAlpha = Math.min(1, weight);
          context.fillRect((j + 1.5) * wide + 0.5, (t + 1) * high + 0.5, wide - 1, high - 1);
        });
        context.globalAlpha = 1;
        if (wide < NUMBERED) return;
        weights.forEach((weight, j) => {
          if (weight < TOLD) return;
          const deep = weight > 0.5;
          const number = `${Math.round(100 * weight)}`;
          const room = (wide - 2) / (DIGIT * number.length);
          context.font = `${Math.min(FIGURE, room)}px ${style.fontFamily}`;
          write(number, j + 1.5, t + 1, deep ? ground : style.color);
        });
        context.font = letterFont;
      });
    }

    /** In words: for each symbol the letter that has most of the weight. */
    function described() {
      const rows = steps.map((step) => {
        const weights = looked(step);
        const most = weights.indexOf(Math.max(...weights));
        return `${symbol(step)} looks most at “${named(letters[most])}”, ` +
          `number ${most + 1}, ${live.percent(weights[most])}`;
      });
      return rows.join("; ") || "nothing is written yet";
    }

    function show() {
      ui.written.textContent = steps.map(symbol).join("");
      draw();
      ui.map.ariaLabel = described();
      ui.buttons[1].disabled = !letters.length;
      if (ended) ui.said.soon(saying());
    }

    function saying() {
      const parts = [];
      if (unknown) parts.push(`The model does not know “${unknown}”: it is left out.`);
      if (!steps.length) return [...parts, "Type a date for the model to translate."].join(" ");
      const text = steps.map(symbol).join("");
      const read = letters.join("");
      const dates = read.split(";").map((part) => part.trim()).filter(Boolean);
      const strange = (dates.length ? dates : [read]).find((part) => !isDate(part, model.words));
      if (strange !== undefined) {
        parts.push(`“${strange}” is not written as the dates that the model was taught. ` +
          `It answers all the same, and what it writes is a guess: ${text}`);
        return parts.join(" ");
      }
      parts.push(`“${read}” becomes ${text}`);
      const days = text.replace(END_SIGN, "").split("/").map((day) => day.match(/../g) ?? []);
      const whole = days.every((parts) => parts.length === 3);
      const told = days.map(([year, month, day]) => `year ${year}, month ${month}, day ${day}`);
      const end = text.endsWith(END_SIGN) ? `, and ${END_SIGN} for the end` : "";
      if (whole) parts.push(`(${told.join("; ")}${end}).`);
      if (!text.endsWith(END_SIGN)) parts.push("and does not come to its end.");
      return parts.join(" ");
    }

    /** One symbol after another; at once for those who want nothing to move. */
    function go() {
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      write(still ? LONGEST : steps.length + 1);
      show();
      if (ended || !figure.isConnected) return;
      ui.said.now("The model writes …");
      timer = setTimeout(go, PACE);
    }

    function translate() {
      if (!model) return;
      read();
      go();
    }

    function one() {
      if (!model) {
        stepping = true;
        return later(one);
      }
      clearTimeout(timer);
      if (ended) read();
      write(steps.length + 1);
      show();
      if (!ended) ui.said.now(`${described().split("; ").at(-1)}.`);
    }

    ui.source.addEventListener("input", translate);
    ui.buttons[0].addEventListener("click", translate);
    ui.buttons[1].addEventListener("click", one);
    for (const choice of ui.choices) {
      choice.addEventListener("click", () => {
        ui.source.value = choice.textContent;
        translate();
      });
    }
    ui.looks.addEventListener("input", () => model && show());
    live.whenThemeChanges(() => model && show());
    return (loaded) => {
      [model, reads, writes] =
        [loaded, [...loaded.source_characters], [...loaded.target_characters]];
      if (stepping) read();
      else translate();
    };
  }

  (window.liveKinds ??= []).push(() => live.figures("translating", build, run, PROPOSALS));
})();
