// Every number of a stage, each of which can be checked by hand: the cells of its table's rows, and
// of the row of sums (book/_ext/stage_table.py has the same, and the columns' names).
window.stageTable = (() => {
  const LARGE = 9; // scores above have exponentials that nobody wants to read

  const known = (scores) => scores.filter((score) => score !== null);
  const shifts = ({ heads = [] }) =>
    heads.some((head) => head.scores.some((row) => Math.max(...known(row)) > LARGE));

  /** The exponentials that softmax divides by their sum. */
  function exponentials(data, state, scores) {
    if (data.mode === "dial" && state.sharpness === 1) {
      const top = Math.max(...known(scores));
      return scores.map((score) => (score === top ? 1 : 0));
    }
    const factor = data.mode === "dial" ? state.sharpness / (1 - state.sharpness) : 1;
    const shift = data.mode === "dial" || shifts(data) ? factor * Math.max(...known(scores)) : 0;
    return scores.map((score) => (score === null ? 0 : Math.exp(factor * score - shift)));
  }

  function cells(data, state, { scores, weights, output }) {
    const { number } = stageRows;
    const listed = (values) => values.map((value) => number(value)).join(", ");
    const vector = (values) => (values.length === 1 ? listed(values) : `(${listed(values)})`);
    const product = (query, key) => query.map((q, i) => `${number(q)} × ${number(key[i])}`).join(" + ");
    const powers = exponentials(data, state, scores);
    const sum = (numbers) => number(numbers.reduce((a, b) => a + b, 0));
    const near = data.mode === "keys" && data.bandwidth !== null;
    const before = (j) => {
      if (near) return [vector(state.keys[j]), number(Math.sqrt(-scores[j] * 2) * data.bandwidth)];
      if (data.mode === "keys") return [product(state.query, state.keys[j]), number(scores[j])];
      if (data.queries) return [product(data.queries[state.asks], data.keys[j]), number(scores[j])];
      return [number(scores[j])];
    };
    const rows = data.items.map((_, j) => [
      ...before(j), number(powers[j]), number(weights[j]),
      ...(data.values ? [vector(data.values[j]), vector(data.values[j].map((v) => v * weights[j]))] : []),
    ]);
    rows.push([
      ...before(0).map(() => ""), sum(powers), sum(weights), ...(data.values ? ["", vector(output)] : []),
    ]);
    return rows;
  }

  return { cells };
})();
