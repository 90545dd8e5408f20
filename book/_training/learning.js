// What a worker of the page does while a reader trains: small models of attention, their loss, AdamW,
// and what chapters 5 and 10 train them on. The build puts jax-js (jax.js) before it, which takes
// the derivatives.
(() => {
  const { numpy: np, nn } = jax;
  const BETAS = [0.9, 0.98];
  const EPSILON = 1e-8;
  const CLIP = 1; // the norm that a gradient is cut to
  const NEVER = -1e9; // a score that leaves no weight

  /** Numbers from 0 to 1 by a seed (mulberry32). */
  function randomBy(seed) {
    let state = seed;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
  }

  const below = (random, number) => Math.floor(random() * number);

  /** The first of `count` of the numbers from 0 to `number` - 1, shuffled. */
  function drawn(random, number, count) {
    const all = Array.from({ length: number }, (_, i) => i);
    for (let i = 0; i < count; i++) {
      const other = i + below(random, number - i);
      [all[i], all[other]] = [all[other], all[i]];
    }
    return all.slice(0, count);
  }

  /** The shape of every parameter, under PyTorch's name for it. */
  function shapes({ vocabulary, width, layers, bias }) {
    const found = { "embedding.weight": [vocabulary, width] };
    for (let i = 0; i < layers; i++) {
      for (const matrix of bias ? ["W_q", "W_k", "W_v", "W_o"] : ["W_q", "W_k", "W_v"]) {
        found[`layers.${i}.${matrix}.weight`] = [width, width];
        if (bias) found[`layers.${i}.${matrix}.bias`] = [width];
      }
    }
    return { ...found, "output.weight": [vocabulary, width], "output.bias": [vocabulary] };
  }

  /** Parameters as PyTorch draws them: an embedding from a normal, all else from a uniform distribution. */
  function initial(model, seed) {
    const random = randomBy(seed);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const uniform = () => (2 * random() - 1) / Math.sqrt(model.width);
    return Object.fromEntries(
      Object.entries(shapes(model)).map(([name, shape]) => {
        const length = shape.reduce((a, b) => a * b);
        const draw = name === "embedding.weight" ? normal : uniform;
        return [name, Float32Array.from({ length }, draw)];
      }),
    );
  }

  /** What turns queries and keys by their place: cosines and sines (L, D), and the quarter turn (D, D). */
  function turns(length, size) {
    const angle = (place, i) => place * 10_000 ** (-(i - (i % 2)) / size);
    const table = (rows, of) => {
      const numbers = Float32Array.from({ length: rows * size }, (_, n) =>
        of(Math.floor(n / size), n % size));
      return np.array(numbers).reshape([rows, size]);
    };
    return {
      cos: table(length, (place, i) => Math.cos(angle(place, i))),
      sin: table(length, (place, i) => Math.sin(angle(place, i))),
      quarter: table(size, (i, j) => (i === (j ^ 1) ? (j % 2 ? 1 : -1) : 0)),
    };
  }

  const causal = (length) =>
    np.triu(np.ones([length, length]), 1).mul(NEVER);

  /**
   * A model of attention alone: `passed(parameters, tokens)` gives logits (B, L, V), the vectors that
   * they are made of (B, L, E), and each layer's weights (B, H, L, L). An array is used up by what is
   * done with it, unless its `ref` is taken.
   */
  function modelOf(model) {
    const { vocabulary, width, layers, heads, length, bias } = model;
    const size = width / heads;
    const turn = model.rotary && turns(length, size);
    const later = model.causal && causal(length);

    function passed(parameters, tokens) {
      const linear = (x, name) => {
        const y = np.matmul(x, parameters[`${name}.weight`].transpose());
        const added = parameters[`${name}.bias`];
        return added ? y.add(added) : y;
      };
      const split = (x) => x.reshape([-1, length, heads, size]).transpose([0, 2, 1, 3]);
      const placed = (x) => turn
        ? x.ref.mul(turn.cos.ref).add(np.matmul(x, turn.quarter.ref).mul(turn.sin.ref))
        : x;
      const barred = later || np.equal(tokens.ref, 0).astype(np.float32).mul(NEVER)
        .reshape([-1, 1, 1, length]);
      const seen = [];
      let x = np.matmul(nn.oneHot(tokens, vocabulary), parameters["embedding.weight"]);
      for (let i = 0; i < layers; i++) {
        const [query, key, value] = ["W_q", "W_k", "W_v"].map((name) =>
          split(linear(x.ref, `layers.${i}.${name}`)));
        const scores = np.matmul(placed(query), placed(key).transpose([0, 1, 3, 2]))
          .mul(1 / Math.sqrt(size));
        const weights = nn.softmax(scores.add(barred.ref), -1);
        seen.push(weights.ref);
        const merged = np.matmul(weights, value).transpose([0, 2, 1, 3])
          .reshape([-1, length, width]);
        if (bias) x = x.add(linear(merged, `layers.${i}.W_o`));
        else {
          x.dispose();
          x = merged;
        }
      }
      if (!later) barred.dispose();
      return [linear(x.ref, "output"), x, ...seen];
    }

    /** The mean cross-entropy of the `targets` (B, L) that are `counted` (B, L), with 1 or 0. */
    function loss(parameters, tokens, targets, counted) {
      const [logits, x, ...seen] = passed(parameters, tokens);
      for (const unused of [x, ...seen]) unused.dispose();
      const chances = nn.logSoftmax(logits, -1).mul(nn.oneHot(targets, vocabulary)).sum(-1);
      return chances.mul(counted.ref).sum().div(counted.sum()).mul(-1);
    }

    return { passed: jax.jit(passed), slope: jax.jit(jax.valueAndGrad(loss)) };
  }

  /**
   * A model that learns, by AdamW. `rate(step)`, with steps from 1, is the learning rate.
   * `step({ tokens, targets, counted })` takes one step and gives the loss before it;
   * `look(tokens)` gives logits, vectors and weights as flat arrays.
   */
  function learner(model, weights, { rate, weightDecay }) {
    const { passed, slope } = modelOf(model);
    const shape = shapes(model);
    const numbers = Object.entries(weights).map(([name, values]) => ({
      ...{ name, values, shape: shape[name] },
      ...{ mean: new Float32Array(values.length), square: new Float32Array(values.length) },
    }));
    const parameters = () => Object.fromEntries(
      numbers.map(({ name, values, shape }) => [name, np.array(values.slice()).reshape(shape)]));
    const rows = (array) => np.array(array).reshape([-1, model.length]);
    let taken = 0;

    function update(slopes) {
      taken += 1;
      const squares = slopes.map((slope) => slope.reduce((sum, s) => sum + s * s, 0));
      const norm = Math.sqrt(squares.reduce((a, b) => a + b));
      const cut = Math.min(1, CLIP / (norm + 1e-6));
      const [first, second] = BETAS;
      const now = rate(taken);
      const early = Math.sqrt(1 - second ** taken);
      numbers.forEach(({ values, mean, square }, n) => {
        for (let i = 0; i < values.length; i++) {
          const slope = cut * slopes[n][i];
          mean[i] = first * mean[i] + (1 - first) * slope;
          square[i] = second * square[i] + (1 - second) * slope * slope;
          const step = mean[i] / (1 - first ** taken) / (Math.sqrt(square[i]) / early + EPSILON);
          values[i] -= now * (weightDecay * values[i] + step);
        }
      });
    }

    return {
      step({ tokens, targets, counted }) {
        const [loss, slopes] = slope(parameters(), rows(tokens), rows(targets), rows(counted));
        update(numbers.map(({ name }) => slopes[name].dataSync()));
        return loss.dataSync()[0];
      },
      look(tokens) {
        const [logits, vectors, ...seen] = passed(parameters(), rows(tokens));
        return {
          logits: logits.dataSync(),
          vectors: vectors.dataSync(),
          weights: seen.map((weights) => weights.dataSync()),
        };
      },
    };
  }
  /** Places for `rows` rows of `length`, to be filled: what a model reads, and what it is to say. */
  const empty = (rows, length) => ({
    tokens: new Int32Array(rows * length),
    targets: new Int32Array(rows * length),
    counted: new Float32Array(rows * length),
  });

  const largest = (numbers, from, count) => {
    let best = 0;
    for (let i = 1; i < count; i++) if (numbers[from + i] > numbers[from + best]) best = i;
    return best;
  };

  /** Chapter 10: rows of random pairs, visited in random order (book/lab/induction.py). */
  function copying(layers) {
    const [BATCH, PAIRS, HELD_OUT] = [32, 12, 1000];
    const model = {
      ...{ vocabulary: 64, width: 64, heads: 2, length: 64, layers },
      ...{ bias: true, rotary: true, causal: true },
    };
    const { length, vocabulary, heads } = model;

    function batch(random) {
      const made = empty(BATCH, length);
      for (let b = 0; b < BATCH; b++) {
        const pairs = drawn(random, vocabulary, 2 * PAIRS);
        const met = new Set();
        for (let place = b * length; place < (b + 1) * length; place += 2) {
          const pair = below(random, PAIRS);
          made.tokens.set(pairs.slice(2 * pair, 2 * pair + 2), place);
          made.targets[place] = made.tokens[place + 1];
          made.counted[place] = met.has(pair) ? 1 : 0;
          met.add(pair);
        }
      }
      return made;
    }

    // Six pairs, each visited twice: tokens 0 to 11.
    const sample = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 4, 5, 0, 1, 10, 11, 2, 3, 8, 9, 6, 7];

    /** How much a head looks one back, and at what followed the same token: means over queries. */
    function scores(weights, tokens) {
      let [before, after, asked, rows] = [0, 0, 0, 0];
      for (let i = 1; i < length; i++) {
        before += weights[i * length + i - 1];
        rows += 1;
        let found = false;
        for (let j = 0; j < i; j++) {
          if (tokens[j] !== tokens[i]) continue;
          after += weights[i * length + j + 1];
          found = true;
        }
        asked += found;
      }
      return { before: before / rows, after: after / Math.max(1, asked) };
    }

    function look(learner, seed) {
      const { tokens, targets, counted } = batch(randomBy(HELD_OUT + seed));
      tokens.set(sample); // the first row is to be shown, the others are counted
      const { logits, weights } = learner.look(tokens);
      const guess = (place) => largest(logits, place * vocabulary, vocabulary);
      let [right, asked] = [0, 0];
      for (let place = length; place < tokens.length; place++) {
        if (!counted[place]) continue;
        asked += 1;
        right += guess(place) === targets[place];
      }
      const maps = weights.map((layer) => Array.from({ length: heads }, (_, head) => {
        const of = (row) => layer.subarray((row * heads + head) * length * length);
        const each = Array.from({ length: BATCH - 1 }, (_, row) =>
          scores(of(row + 1), tokens.subarray((row + 1) * length)));
        const mean = (name) => each.reduce((sum, found) => sum + found[name], 0) / each.length;
        const shown = sample.map((_, i) => [...of(0).subarray(i * length, i * length + sample.length)]);
        return { before: mean("before"), after: mean("after"), shown };
      }));
      const again = sample.length / 2;
      const guesses = Array.from({ length: again / 2 }, (_, i) => again + 2 * i)
        .map((place) => ({ after: sample[place], said: guess(place), right: sample[place + 1] }));
      return { right: right / asked, maps, guesses, sample };
    }

    const rate = (step) => 3e-3 * Math.min(1, step / 50);
    return { model, batch, look, steps: 500, every: 20, rate, weightDecay: 0 };
  }

  /** Chapter 5: sentences in which a noun guesses a word of its company (book/lab/words.py). */
  function sentences(layers, { vocabulary, length: words, training, heldOut, senses, shown }) {
    const [BATCH, GAP, GUESSES] = [64, 1, 5];
    const [length, steps] = [2 * words, 600];
    const model = { vocabulary: vocabulary.length, width: 32, heads: 1, length, layers };
    const kept = new Map(); // what a noun must not meet in training: its held-out company
    for (const { tokens, noun, company } of heldOut) {
      const all = kept.get(tokens[noun]) ?? new Set();
      for (const place of company) all.add(tokens[place]);
      kept.set(tokens[noun], all);
    }
    const meets = (one, other) => {
      const barred = kept.get(one.tokens[one.noun]);
      return barred !== undefined && other.tokens.some((token) => barred.has(token));
    };

    function batch(random) {
      const made = empty(BATCH, length);
      for (let b = 0; b < BATCH; b++) {
        const one = training[below(random, training.length)];
        let other = one;
        do other = training[below(random, training.length)];
        while (meets(one, other) || meets(other, one));
        const which = below(random, 2);
        const [gap, left] = [one.company[which], one.company[1 - which]];
        const row = b * length;
        made.tokens.set(one.tokens, row);
        made.tokens.set(other.tokens, row + words);
        made.tokens[row + gap] = GAP;
        for (const place of [one.noun, left]) {
          made.targets[row + place] = one.tokens[gap];
          made.counted[row + place] = 1;
        }
      }
      return made;
    }

    /** The new vectors of the sentences' nouns, of length 1. */
    function nouns(learner, group) {
      const found = [];
      for (let start = 0; start < group.length; start += BATCH) {
        const part = group.slice(start, start + BATCH);
        const { tokens } = empty(BATCH, length);
        part.forEach((sentence, b) => tokens.set(sentence.tokens, b * length));
        const { vectors } = learner.look(tokens);
        part.forEach(({ noun }, b) => {
          const from = (b * length + noun) * model.width;
          const vector = [...vectors.subarray(from, from + model.width)];
          const norm = Math.hypot(...vector);
          found.push(vector.map((number) => number / norm));
        });
      }
      return found;
    }

    /** The share of held-out nouns nearer to the center of their own meaning; a tie is half of one. */
    function toldApart(learner) {
      const known = training.filter(({ sense }) => sense !== undefined);
      const vectors = nouns(learner, known);
      const centers = Array.from({ length: senses }, (_, sense) => {
        const own = vectors.filter((_, n) => known[n].sense === sense);
        return own[0].map((_, i) => own.reduce((sum, vector) => sum + vector[i], 0) / own.length);
      });
      const far = (vector, sense) => Math.hypot(...vector.map((x, i) => x - centers[sense][i]));
      const right = nouns(learner, heldOut).reduce((sum, vector, n) => {
        const { sense } = heldOut[n];
        const nearer = far(vector, sense ^ 1) - far(vector, sense); // a noun's two stand together
        return sum + (Math.sign(nearer) + 1) / 2;
      }, 0);
      return right / heldOut.length;
    }

    function look(learner) {
      const { tokens } = empty(BATCH, length);
      shown.forEach((sentence, b) => tokens.set(sentence.tokens, b * length));
      const { logits, weights } = learner.look(tokens);
      const looks = shown.map(({ tokens: row, noun }, b) => {
        const place = b * length + noun;
        const last = weights.at(-1)?.subarray(place * length);
        const chances = logits.subarray(place * vocabulary.length, (place + 1) * vocabulary.length);
        const order = [...chances.keys()].sort((i, j) => chances[j] - chances[i]);
        return {
          words: row.map((token, i) => [vocabulary[token], last ? last[i] : Number(i === noun)]),
          guesses: order.slice(0, GUESSES).map((token) => vocabulary[token]),
        };
      });
      return { right: toldApart(learner), looks };
    }

    const [warm, highest] = [steps / 20, 2e-2];
    const rate = (step) => step <= warm
      ? (highest * step) / warm
      : (highest * (1 + Math.cos((Math.PI * (step - warm)) / (steps - warm)))) / 2;
    return { model, batch, look, steps, every: 50, rate, weightDecay: 0.5 };
  }

  const TASKS = { copying, sentences };
  let [task, learns, random, seed, taken] = [];

  /** Begin with { name, layers, seed, data }; with `weights` of one's own, if there are any. */
  async function begin({ name, layers, data, weights, ...other }) {
    await jax.init("wasm");
    ({ seed } = other);
    task = TASKS[name](layers, data);
    learns = learner(task.model, weights ?? initial(task.model, seed), task);
    [random, taken] = [randomBy(seed), 0];
    return { steps: task.steps, seen: task.look(learns, seed) };
  }

  /** Take steps: as many, or on these batches. What is seen of the model comes with every few of them. */
  function take(batches) {
    const losses = [];
    let seen;
    for (const given of Array.isArray(batches) ? batches : Array(batches).fill(null)) {
      losses.push(learns.step(given ?? task.batch(random)));
      taken += 1;
      if (taken % task.every === 0) seen = task.look(learns, seed);
    }
    return { losses, seen };
  }

  self.onmessage = async ({ data }) =>
    self.postMessage(data.begin ? await begin(data.begin) : take(data.take));
})();
