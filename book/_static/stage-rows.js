// The numbers of a stage (book/lab/stage_rows.py has the same for its end), and how they are said.
/**
 * What a chapter's cell hands over, see `lab.machine.stage`.
 * @typedef {{ name: string, scores: (number | null)[][] }} Head
 * @typedef {{
 *   mode: "sentence" | "causal" | "heads" | "keys" | "dial", items: string[], noun: string,
 *   askers?: string[], asks: number, heads: Head[], causal?: boolean, values?: number[][],
 *   queries?: number[][], keys: number[][], query: number[], bandwidth: number | null,
 *   bounds: number[][], yours?: (scores: (number | null)[]) => number[] | undefined,
 * }} Data
 * Everything that is drawn and said follows from the data and this.
 * @typedef {{
 *   asks: number, time: number, head: number, leak: boolean, sharpness: number, query: number[],
 *   keys: number[][],
 * }} State
 * @typedef {{ scores: (number | null)[], weights: number[], output: number[] }} Row
 * @typedef {{ bold: string, role?: string }} Bold
 */
window.stageRows = (() => {
  const FEW = 0.1;
  const SMALLEST = 0.005;

  /** Shares of one; a score of null has none. @param {(number | null)[]} scores */
  function softmax(scores) {
    const top = Math.max(...scores.map((score) => score ?? -Infinity));
    const exponentials = scores.map((score) => (score === null ? 0 : Math.exp(score - top)));
    const total = exponentials.reduce((a, b) => a + b, 0) || 1;
    return exponentials.map((number) => number / total);
  }

  /** Sharpness 0 is the average, 1/2 softmax, 1 the lookup. @param {(number | null)[]} scores */
  function sharpened(scores, sharpness) {
    if (sharpness < 1) {
      const factor = sharpness / (1 - sharpness);
      return softmax(scores.map((score) => (score === null ? null : factor * score)));
    }
    const top = Math.max(...scores.map((score) => score ?? -Infinity));
    return softmax(scores.map((score) => (score === top ? 0 : null)));
  }

  const dot = (a, b) => a.reduce((sum, number, i) => sum + number * b[i], 0);

  /** @param {Data} data @param {State} state @returns {Row} */
  function rowOf(data, state) {
    let scores =
      data.mode === "keys" ? keyed(data, state) : data.heads[state.head].scores[state.asks];
    if (data.causal && state.leak) scores = data.heads[1].scores[state.asks];
    else if (data.causal) scores = scores.map((score, j) => (j <= state.asks ? score : null));
    const weights = data.mode === "dial"
      ? sharpened(scores, state.sharpness)
      : data.yours?.(scores) ?? softmax(scores);
    const output = (data.values?.[0] ?? []).map((_, axis) =>
      dot(weights, data.values.map((value) => value[axis])));
    return { scores, weights, output };
  }

  /** The scores of keys among which a query lies: by nearness, or dot products. */
  function keyed({ bandwidth }, { keys, query }) {
    if (bandwidth === null) return keys.map((key) => dot(query, key));
    return keys.map((key) => -(Math.hypot(...key.map((k, i) => k - query[i])) ** 2) / (2 * bandwidth ** 2));
  }

  /** @param {number} share */
  const percent = (share) =>
    share > 0 && share < SMALLEST ? "<1%" : `${Math.floor(100 * share + 0.5)}%`;

  function number(value, digits = 2) {
    if (value === null) return "−∞";
    const shown = Math.floor(Math.abs(value) * 10 ** digits + 0.5) / 10 ** digits;
    return `${value < 0 && shown ? "−" : ""}${shown.toFixed(digits)}`;
  }

  /** The places of weights, the largest first. */
  const ranked = (weights) =>
    weights.map((_, j) => j).sort((a, b) => weights[b] - weights[a] || a - b);

  const plural = (noun) => (/(ch|s|sh|x)$/.test(noun) ? `${noun}es` : `${noun}s`);

  const asking = (data, asks) =>
    data.mode === "keys" ? "the query" : (data.askers ?? data.items)[asks];

  function joined(parts) {
    if (parts.length < 3) return parts.flatMap((part, i) => (i ? [" and ", ...part] : part));
    return parts.flatMap((part, i) => {
      const before = i === 0 ? [] : i === parts.length - 1 ? [", and "] : [", "];
      return [...before, ...part];
    });
  }

  /** @param {Data} data @param {State} state @param {Row} row @returns {(string | Bold)[]} */
  function shares(data, state, { scores, weights }) {
    const known = scores.filter((score) => score !== null).length;
    const among = data.mode !== "keys" && !data.askers;
    const [first, ...others] = ranked(weights).slice(0, 3);
    const named = [first, ...others.filter((j) => weights[j] >= FEW)];
    const parts = named.map((j) => [
      `${percent(weights[j])} from `,
      among && j === state.asks ? "itself" : { bold: data.items[j] },
    ]);
    const rest = 1 - named.reduce((sum, j) => sum + weights[j], 0);
    if (rest >= SMALLEST) {
      const others = ranked(weights).slice(named.length, known);
      // No number: the rounded rest and the rounded shares need not make 100%.
      parts.push(
        others.length === 1
          ? [`${percent(weights[others[0]])} from `, { bold: data.items[others[0]] }]
          : [`the rest from the other ${others.length} together`],
      );
    }
    const begun = parts.map(([words]) => `${words}`);
    const whole = begun.at(-1).startsWith("the rest") ||
      begun.reduce((sum, share) => sum + (Number.parseInt(share, 10) || 0), 0) === 100;
    return whole ? joined(parts) : [...joined(parts), " (each rounded)"];
  }

  /** What there is to say at a time, in pieces. @param {Data} data @param {State} state */
  function said(data, state) {
    const row = rowOf(data, state);
    const who = { bold: asking(data, state.asks), role: "asking" };
    const first = data.mode === "keys" ? { ...who, bold: "The query" } : who; // in a sentence
    const weight = { bold: "weight", role: "weight" };
    const all = data.noun;
    const among = data.mode !== "keys" && !data.askers;
    const near = data.mode === "keys" && data.bandwidth !== null;
    const seen = row.scores.filter((score) => score !== null).length;
    const hidden = data.items.length - seen;
    const reach = row.scores[state.asks + 1] === null ? "itself" : "the next one";
    const order = ranked(row.weights);
    const ending = [". Such a share is a ", weight, "; all weights together make 100%."];
    if (data.mode === "dial") return dialed(data, state, row);
    const step = Math.ceil(Math.round(state.time * 1000) / 1000);
    if (step <= 1) {
      const few = hidden ? `the ${seen} ${plural(all)} up to ${reach}` : `all ${seen} ${plural(all)}`;
      const itself = among && !hidden ? ", itself too" : "";
      return [first, ` asks ${few}${itself}: what do you have for me?`];
    }
    if (step === 2 && near) {
      return [
        `Each ${all} is compared with `, who, ". The nearer it lies, the larger its number, its nearness: ",
        { bold: data.items[order[0]] }, " is nearest.",
      ];
    }
    if (step === 2) {
      const [best, worst] = [order[0], order[seen - 1]];
      const lengths =
        row.scores[worst] >= 0 ? "the better it fits, the longer the bar" :
        row.scores[best] > 0 ? "a good fit stands above the line, a poor one hangs below it" :
        "the worse it fits, the deeper the bar hangs";
      return [
        `Each ${all} is compared with what `, who, ` asks, and gets a score: ${lengths}. `,
        { bold: data.items[best] }, " fits best",
        ...(seen > 2 ? [", ", { bold: data.items[worst] }, " worst."] : ["."]),
      ];
    }
    if (step === 3) {
      return [
        near ? "Each divided by their sum, they are shares of one whole: " : "The scores are turned into shares of one whole (by softmax, chapter 2): ",
        ...shares(data, state, row), ending[0], weight, ".",
      ];
    }
    const every = `every ${all}${hidden ? ` up to ${reach}` : ""}`;
    return [first, ` looks at ${every} and takes `, ...shares(data, state, row), ...ending];
  }

  function dialed(data, state, row) {
    const [best] = ranked(row.weights);
    const weight = { bold: "weights", role: "weight" };
    const fits = [
      { bold: data.items[best] }, ` has ${percent(row.weights[best])}.`,
      row.output.length ? ` The average of the values by these weights is ${row.output.map((part) => number(part, 1)).join(", ")}.` : "",
    ];
    if (state.sharpness === 0) {
      return ["At this end the scores do not count: all ", weight, ` are the same. `, ...fits];
    }
    if (state.sharpness === 1) {
      return ["At this end only the best counts, as in a dictionary. ", ...fits];
    }
    const times = state.sharpness / (1 - state.sharpness);
    return ["Scores, any numbers, become ", weight, `, shares of one: softmax of the scores times ${number(times)}. `, ...fits];
  }

  return { softmax, sharpened, rowOf, percent, number, ranked, said, asking, dot };
})();
