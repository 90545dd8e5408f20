// The drawing of a stage at any moment, as strings: book/_ext/stage_parts.py has the same for its end.
// Places are shares of the drawing's width and height, which machine.css turns to the page's own.
window.stageParts = (() => {
  const BAND = 0.75; // of a column: how wide all strands of one that asks are together
  const PEAK = [0.34, 0.58]; // how high a strand rises: to the nearest, and how much more to the farthest
  const STUB = 0.2; // what an item keeps for itself
  const [SIDE, MARGIN] = [160, 18]; // of the drawing of values in the plane
  const RING = 5.5; // the answer's, from its middle
  const NAMED = 0.16; // a share with room for its item's name and number
  const LETTER = 6.5; // as wide as a letter of a name there, about
  const [LINE, FEW] = [320, 5]; // the length of the drawing of values on a line; items whose names fit there

  /** @typedef {number[][]} Curve four points of a cubic */

  // Thousandths: browsers flatten curves coarsely where a whole drawing is one unit wide.
  const thousandths = (share) => (1000 * share).toFixed(1);
  /** @param {number[]} place */
  const spot = ([x, y]) => `${thousandths(x)} ${thousandths(y)}`;
  /** @param {number[][]} curve */
  const path = ([first, ...others]) => `M${spot(first)}C${others.map(spot).join(" ")}`;

  /** A point of a curve. @param {Curve} curve */
  function point(curve, t) {
    const f = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t ** 3];
    return [0, 1].map((axis) => curve.reduce((sum, at, i) => sum + f[i] * at[axis], 0));
  }

  /** The beginning of a curve, up to t (de Casteljau). @param {Curve} curve */
  function until(curve, t) {
    const mid = (a, b) => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
    const [p, q, r, s] = curve;
    const [a, b, c] = [mid(p, q), mid(q, r), mid(r, s)];
    const [d, e] = [mid(a, b), mid(b, c)];
    return [p, a, d, mid(d, e)];
  }

  /** Strands leave in an order in which none crosses another. */
  function fanned(n, asks) {
    const all = [...Array(n).keys()];
    return [...all.slice(0, asks).reverse(), asks, ...all.slice(asks + 1).reverse()];
  }

  /** The curve of each strand, from the one that asks to item j; its width is its weight. */
  function strands(data, asks, weights) {
    const n = data.items.length;
    const m = (data.askers ?? data.items).length;
    const crossing = Boolean(data.askers);
    const curves = Array(n);
    let passed = 0;
    for (const j of crossing ? data.items.keys() : fanned(n, asks)) {
      const start = (asks + 0.5 + (passed + weights[j] / 2 - 0.5) * BAND) / m;
      passed += weights[j];
      curves[j] = strand(start, (j + 0.5) / n, crossing, j === asks, Math.abs(j - asks) / Math.max(1, n - 1));
    }
    return curves;
  }

  /** @returns {Curve} */
  function strand(start, end, crossing, itself, far) {
    if (crossing) return [[start, 0], [start, 0.5], [end, 0.5], [end, 1]];
    if (itself) return [[start, 1], [start, 1 - STUB / 3], [start, 1 - STUB / 1.5], [start, 1 - STUB]];
    const height = 1 - (PEAK[0] + PEAK[1] * far) / 0.75;
    return [[start, 1], [start, height], [end, height], [end, 1]];
  }

  /**
   * What lies between the one that asks and the others: thin questions, then strands as thick as
   * their weights, then values on their way.
   */
  function curves(lines, weights, may, [ask, , share, take]) {
    const drawn = lines.flatMap((curve, j) => {
      if (!may[j]) return [];
      const parts = [];
      if (share < 1) {
        parts.push(`<path class="stage-question" style="stroke-opacity:${1 - share}" d="${path(until(curve, ask))}"/>`);
      }
      if (share > 0 && weights[j]) {
        parts.push(`<path class="stage-strand" style="--w:${weights[j].toFixed(4)}" d="${path(curve)}"/>`);
      }
      return parts;
    });
    if (take > 0 && take < 1) {
      lines.forEach((curve, j) => {
        if (weights[j] < 0.005) return;
        const at = spot(point(curve, 1 - take));
        drawn.push(`<path class="stage-flow" style="--w:${weights[j].toFixed(4)}" d="M${at}h0"/>`);
      });
    }
    return drawn.join("");
  }

  /** From each item's column to its piece of the strip. */
  function ribbons(weights) {
    const n = weights.length;
    let passed = 0;
    return weights.map((weight, j) => {
      const [left, right] = [(j + 0.5 - BAND / 2) / n, (j + 0.5 + BAND / 2) / n].map(thousandths);
      const [from, to] = [passed, passed + weight].map(thousandths);
      passed += weight;
      if (weight < 0.002) return "";
      return `<path class="stage-ribbon" d="M${left} 0C${left} 500 ${from} 500 ${from} 1000L${to} 1000` +
        `C${to} 500 ${right} 500 ${right} 0Z"/>`;
    }).join("");
  }

  /** What the style sheet needs of each item: its score's length, its share, where it begins. */
  function bars(scores, weights) {
    const unit = Math.max(0.01, ...scores.filter((s) => s !== null).flatMap((s) => [s, -s / 0.57]));
    let passed = 0;
    return scores.map((score, j) => {
      const made = { s: (score ?? 0) / unit, w: weights[j], b: passed };
      passed += weights[j];
      return made;
    });
  }

  /** Set the pieces of a strip that stands alone, where there is one. */
  function strip(pieces, { items }, { scores, weights }) {
    if (!pieces.length) return;
    bars(scores, weights).forEach(({ s, w, b }, j) => {
      pieces[j].style.cssText = `--s:${s.toFixed(4)};--w:${w.toFixed(4)};--b:${b.toFixed(4)}`;
      pieces[j].toggleAttribute("data-wide", w >= NAMED);
      pieces[j].firstElementChild.textContent = `${items[j]} ${stageRows.percent(w)}`;
    });
  }

  /** All rows of weights at once: a cell for each that asks and each that is asked. */
  function map(data, state) {
    return data.items.map((_, asks) =>
      stageRows.rowOf(data, { ...state, asks }).weights.map((weight, j) =>
        weight ? `<path d="M${j} ${asks}h1v1h-1z" opacity="${weight.toFixed(3)}"/>` : "").join("")).join("") +
      forbidden(data, state);
  }

  /** The stairs of what may not be looked at. */
  function forbidden({ items }, { leak }) {
    const n = items.length;
    const far = leak ? 2 : 1;
    return items.map((_, i) =>
      i + far < n ? `<path class="stage-forbidden" d="M${i + far} ${i}H${n}v1H${i + far}z"/>` : "").join("");
  }

  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

  /** The values as places, and the way to their average: each value shortened to its share. */
  function plane(data, weights, take = 1) {
    const width = data.values?.[0].length;
    if (width === 2) return inThePlane(data, weights, take);
    return width === 1 ? onALine(data, weights, take) : "";
  }

  function inThePlane({ items, values }, weights, take) {
    const sides = [0, 1].map((axis) => values.map((value) => value[axis]));
    const lows = sides.map((side) => Math.min(0, ...side));
    const highs = sides.map((side) => Math.max(0, ...side));
    const scale = (SIDE - 2 * MARGIN) / (Math.max(...highs.map((high, i) => high - lows[i])) || 1);
    const middle = highs.map((high, i) => (high + lows[i]) / 2);
    /** @param {number[]} place */
    const at = ([x, y]) => [SIDE / 2 + (x - middle[0]) * scale, SIDE / 2 - (y - middle[1]) * scale];
    const shown = (place) => at(place).map((part) => part.toFixed(2)).join(" ");
    const order = stageRows.ranked(weights);
    const way = [[0, 0]];
    for (const j of order) {
      const [x, y] = way.at(-1);
      way.push([x + take * weights[j] * values[j][0], y + take * weights[j] * values[j][1]]);
    }
    const [left, top] = at([0, 0]).map((part) => part.toFixed(2));
    const named = order.slice(0, 3).filter((j) => weights[j] >= 0.05);
    const ring = at([0, 1].map((axis) => values.reduce((sum, value, j) => sum + weights[j] * value[axis], 0)));
    const beside = besides(named.map((j) => at(values[j])), named.map((j) => items[j]), ring);
    const names = named.map((j, i) => {
      const [x, y, anchor] = beside[i];
      return `<text x="${x.toFixed(2)}" y="${y.toFixed(2)}" text-anchor="${anchor}">${escaped(items[j])}</text>`;
    });
    const [across, down] = at(way.at(-1)).map((part) => part.toFixed(2));
    return `<path class="stage-axes" d="M0 ${top}H${SIDE}M${left} 0V${SIDE}"/>` +
      values.map((value, j) =>
        `<path class="stage-value"${named.includes(j) ? "" : " data-faint"} d="M${shown(value)}h0"/>`).join("") +
      `<path class="stage-way" d="M${way.map(shown).join("L")}"/>${names.join("")}` +
      (take ? `<circle class="stage-output" cx="${across}" cy="${down}" r="5"/>` : "");
  }

  /** Where names stand beside their points: none on another or on the whole answer's ring, if that can be. */
  function besides(places, names, ring) {
    const taken = [[ring[0] - RING, ring[0] + RING, ring[1] + 4]];
    return places.map(([x, y], i) => {
      const wide = LETTER * names[i].length;
      const ways = [[true, -5], [false, -5], [true, 13], [false, 13]];
      const leftOf = (right) => (right ? x + 6 : x - 6 - wide);
      const [right, down] = ways.find(([right, down]) => {
        const left = leftOf(right);
        return left > 0 && left + wide < SIDE && taken.every(([from, to, line]) =>
          left > to || left + wide < from || Math.abs(y + down - line) > 11);
      }) ?? ways[0];
      taken.push([leftOf(right), leftOf(right) + wide, y + down]);
      return [right ? x + 6 : x - 6, y + down, right ? "start" : "end"];
    });
  }

  function onALine({ items, values }, weights, take) {
    const line = values.map(([value]) => value);
    const [low, high] = [Math.min(...line), Math.max(...line)];
    const at = (value) => (MARGIN + ((LINE - 2 * MARGIN) * (value - low)) / (high - low || 1)).toFixed(2);
    const output = line.reduce((sum, value, j) => sum + weights[j] * value, 0);
    const marks = line.map((value, j) =>
      `<path class="stage-value" style="--w:${weights[j].toFixed(4)}" d="M${at(value)} 30h0"/>`);
    const scale = [...new Set(line)].sort((a, b) => a - b).map((value) => {
      const of = items.filter((_, j) => line[j] === value);
      const shown = String(value).replace("-", "−");
      const words = items.length <= FEW ? `${of.join(", ")} ${shown}` : shown;
      return `<text x="${at(value)}" y="58" text-anchor="middle">${escaped(words)}</text>`;
    });
    const pointer = take
      ? `<path class="stage-pointer" style="opacity:${take}" d="M${at(output)} 22l-6 -10h12z"/>` +
        `<text class="stage-output-words" style="opacity:${take}" x="${at(output)}" y="9" text-anchor="middle">` +
        `${stageRows.number(output, 1)}</text>`
      : "";
    return `<path class="stage-axes" d="M${MARGIN / 2} 30H${LINE - MARGIN / 2}"/>` +
      marks.join("") + scale.join("") + pointer;
  }

  return { strands, curves, ribbons, bars, strip, map, plane, path, escaped };
})();
