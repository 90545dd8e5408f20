// A published sentence encoder at work (book/lab/live.py): a sentence's tokens, where each head
// looks, and the passages of the course that are nearest to a question.
(() => {
  const LONGEST = 40; // tokens of a sentence whose heads are drawn
  const MOST = 6; // tokens that are listed with their weights
  const FOUND = 5; // sections
  const PAUSE = 400; // ms without a key, until a sentence is read
  const [NARROW, WIDE, LOW, HIGH] = [14, 28, 14, 22]; // px of a weight
  const LETTER = 14; // px
  const MARKS = new Set(["[CLS]", "[SEP]"]); // tokens that stand around every sentence

  const PROPOSALS = [
    "type a sentence of your own.",
    "choose another head, or click a row of the map.",
    "ask the course something in your own words.",
  ];

  /** All that is seen, before the model is there: nothing moves when it comes. */
  function build(figure) {
    const { element, labeled, title } = live;
    const { text, questions, heads, layer, head } = figure.dataset;
    const [numLayers, numHeads] = heads.split("x").map(Number);
    const typed = (value) => element("input", {
      ...{ type: "text", value, maxlength: 300, size: 30, autocomplete: "off" },
    });
    const choice = (words, number, chosen) => {
      const select = element("select");
      for (let i = 0; i < number; i++) select.append(new Option(`${i}`, `${i}`));
      select.value = chosen;
      return { select, label: labeled(words, select) };
    };
    const sentence = typed(text);
    const layers = choice("layer", numLayers, layer);
    const all = choice("head", numHeads, head);
    const asking = element("select");
    const map = element("canvas", { role: "img" });
    const weights = live.bars(MOST);
    const said = live.status();
    const examples = questions.split("|");
    const question = typed(examples[0]);
    const ask = live.button("Ask");
    const others = examples.map(live.button);
    const answers = live.status("");
    const more = element("small", { class: "encoding-more" });
    const found = element("ol", { class: "encoding-found" });
    const panel = element(
      "div",
      { class: "live-panel" },
      said.line,
      title("A sentence, and where a head looks"),
      labeled("Your sentence", sentence),
      element("div", { class: "live-knobs encoding-knobs" },
        layers.label, all.label, labeled("asked by", asking)),
      element("div", { class: "encoding-looks" }, element("div", {
        ...{ class: "encoding-map", role: "group", tabindex: 0, "aria-label": "the weights" },
      }, map), more, weights),
      title("Ask the course"),
      element("div", { class: "live-buttons encoding-asked" },
        labeled("Your question", question), ask),
      live.toolbar("Other questions", { also: "translating-choices" }, ...others),
      answers.line,
      found,
    );
    const knobs = { layer: layers.select, head: all.select, asking };
    return {
      ...{ panel, focus: sentence, sentence, ...knobs, map, more, weights, said },
      ...{ question, ask, others, answers, found },
    };
  }

  /** Let the page draw, and hear what the reader does. */
  const breath = () => new Promise((done) => setTimeout(done));

  function run(figure, ui) {
    let model, tokenize, library;
    let asker = figure.dataset.asking; // the token whose row the reader wants
    let [timer, reading, asked] = [undefined, 0, 0]; // which sentence, which question is the last
    let [tokens, weights, cut] = [[], [], false];

    /** Every layer of the model; nothing if another text came while it computed. */
    async function computed(ids, wanted) {
      const steps = attention.sentenceEncoder(model, ids);
      const all = [];
      for (;;) {
        await breath();
        if (!wanted()) return null;
        const { value, done } = steps.next();
        if (done) return all;
        all.push(value);
      }
    }

    async function read() {
      if (!library) return;
      const now = ++reading;
      const found = tokenize(ui.sentence.value, LONGEST);
      const all = await computed(found.ids, () => now === reading);
      if (!all) return;
      ({ tokens, cut } = found);
      weights = all.map((step) => step.weights);
      ui.asking.replaceChildren(...tokens.map((token, i) => new Option(token, `${i}`)));
      ui.asking.value = tokens.includes(asker) ? tokens.indexOf(asker) : telling();
      show();
    }

    /** Of a sentence without the token that was asked for: the word that takes most from another. */
    function telling() {
      const words = [...tokens.keys()].filter((at) =>
        !MARKS.has(tokens[at]) && /[\p{L}\p{N}]/u.test(tokens[at]));
      const from = (at) => Math.max(0, ...words.map((other) =>
        other === at ? 0 : attention.row(shown(), at)[other]));
      return words.reduce((best, at) => (from(at) > from(best) ? at : best), words[0] ?? 0);
    }

    const shown = () => weights[ui.layer.value][ui.head.value];

    function draw() {
      const map = shown();
      const style = getComputedStyle(ui.map);
      const sharp = window.devicePixelRatio || 1;
      const context = ui.map.getContext("2d");
      const font = (size) => `${size}px ${style.fontFamily}`;
      context.font = font(LETTER);
      const longest = Math.max(...tokens.map((token) => context.measureText(token).width));
      const edge = Math.ceil(longest) + 8;
      const box = ui.map.parentElement;
      const room = (all) => Math.floor((all - edge - 2) / tokens.length);
      const wide = Math.max(NARROW, Math.min(WIDE, room(box.clientWidth)));
      const high = Math.max(LOW, Math.min(HIGH, room(box.clientHeight)));
      const [width, height] = [edge + tokens.length * wide + 2, edge + tokens.length * high + 2];
      [ui.map.width, ui.map.height] = [width * sharp, height * sharp];
      ui.map.style.width = `${width}px`;
      context.scale(sharp, sharp);
      context.font = font(Math.min(LETTER, high - 2));
      context.textBaseline = "middle";
      context.fillStyle = style.color;
      tokens.forEach((token, j) => {
        context.textAlign = "right";
        context.fillText(token, edge - 6, edge + (j + 0.5) * high);
        context.save();
        context.translate(edge + (j + 0.5) * wide, edge - 6);
        context.rotate(-Math.PI / 2);
        context.textAlign = "left";
        context.fillText(token, 0, 0);
        context.restore();
      });
      context.fillStyle = live.color(figure, "weight");
      tokens.forEach((_, i) => attention.row(map, i).forEach((weight, j) => {
        context.globalAlpha = Math.min(1, weight);
        context.fillRect(edge + j * wide + 0.5, edge + i * high + 0.5, wide - 1, high - 1);
      }));
      context.globalAlpha = 1;
      context.strokeStyle = style.color;
      const chosen = Number(ui.asking.value);
      context.strokeRect(edge, edge + chosen * high, tokens.length * wide, high);
      ui.rows = (y) => Math.floor((y - edge) / high);
      const [down, right] =
        [box.scrollHeight > box.clientHeight, box.scrollWidth > box.clientWidth];
      const hidden = [...(down ? ["rows"] : []), ...(right ? ["columns"] : [])].join(" and ");
      ui.more.textContent = hidden && `Scroll in the map to see its other ${hidden}.`;
      const top = edge + chosen * high;
      const over = top + high - box.clientHeight;
      if (down && (top < box.scrollTop || over > box.scrollTop)) box.scrollTop = over;
    }

    /** In words: for each token the one that it looks at most. */
    const described = () => tokens.map((token, i) => {
      const row = attention.row(shown(), i);
      const most = row.indexOf(Math.max(...row));
      return `${token} looks most at ${tokens[most]}, ${live.percent(row[most])}`;
    }).join("; ");

    function show() {
      draw();
      ui.map.ariaLabel = described();
      const row = attention.row(shown(), Number(ui.asking.value));
      const order = [...row.keys()].sort((a, b) => row[b] - row[a]);
      [...ui.weights.children].forEach((line, place) => {
        const at = order[place];
        live.fill(line, at === undefined ? "" : tokens[at], row[at]);
      });
      const of = (at) => `${live.percent(row[at])} to “${tokens[at]}”`;
      const where = `L${ui.layer.value}.H${ui.head.value}`;
      const asking = tokens[ui.asking.value];
      ui.said.soon(`${tokens.length} tokens. ${where}: “${asking}” gives ` +
        `${order.slice(0, 2).map(of).join(", ")}.` +
        (cut ? ` Only the first ${LONGEST} tokens are read here.` : ""));
    }

    /** The nearest sections, each by its nearest passage. */
    function nearest(vector) {
      const scores = attention.products(vector, library.layers.vectors).numbers;
      const best = library.sections.map(() => -Infinity);
      scores.forEach((score, i) => (best[library.of[i]] = Math.max(best[library.of[i]], score)));
      const order = [...best.keys()].sort((a, b) => best[b] - best[a]);
      return order.slice(0, FOUND).map((at) => ({ section: library.sections[at], score: best[at] }));
    }

    async function search() {
      if (!library) return;
      const now = ++asked;
      const question = ui.question.value.trim();
      if (!question) return ui.answers.now("Type a question first.");
      ui.answers.now("The model reads your question …");
      const all = await computed(tokenize(question, model.sizes.max_tokens).ids, () => now === asked);
      if (!all) return;
      const answers = nearest(attention.meanPool(all.at(-1).output));
      ui.found.replaceChildren(...answers.map(({ section: [place, name], score }) => {
        const link = live.element("a", { href: place }, name);
        return live.element("li", {}, live.element("span", {}, score.toFixed(2)), link);
      }));
      const [{ section, score }] = answers;
      ui.answers.now(`Of ${library.of.length} passages the nearest to “${question}” stands in ` +
        `${section[1]}: ${score.toFixed(2)}.`);
    }

    ui.sentence.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(read, PAUSE);
    });
    for (const select of [ui.layer, ui.head]) {
      select.addEventListener("input", () => tokens.length && show());
    }
    function choose(at) {
      asker = tokens[at];
      ui.asking.value = at;
      show();
    }
    ui.asking.addEventListener("input", () => choose(Number(ui.asking.value)));
    ui.map.addEventListener("click", ({ offsetY }) => {
      const at = ui.rows(offsetY);
      if (tokens[at]) choose(at);
    });
    ui.question.addEventListener("keydown", ({ key }) => {
      if (key === "Enter") search();
    });
    ui.ask.addEventListener("click", search);
    ui.others.forEach((button) => button.addEventListener("click", () => {
      ui.question.value = button.textContent;
      search();
    }));
    live.whenThemeChanges(() => tokens.length && draw());
    new ResizeObserver(() => tokens.length && draw()).observe(ui.map.parentElement);
    return async (loaded) => {
      const passages = await attention.loadModel("passages");
      [model, tokenize] = [loaded, wordPiece(loaded.vocabulary.split("\n"))];
      library = passages;
      await read();
      await search();
    };
  }

  (window.liveKinds ??= []).push(() => live.figures("encoding", build, run, PROPOSALS));
})();
