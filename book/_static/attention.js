// The course's layers once more, in plain JavaScript: what the figures of the page compute with.
// tests/book/test_attention_js.py holds every function here to its reference in solutions/.
//
// One sequence at a time, so a matrix is enough: rows are positions, columns are features.
// A layer is an object with the names of the course's modules: layer.W_q.weight, layer.W_q.bias.
window.attention = (() => {
  const { currentScript } = document;
  const here = (currentScript instanceof HTMLScriptElement && currentScript.src) || document.baseURI;

  // ---- matrices

  /** A matrix whose numbers lie row after row; zeros unless numbers are given. */
  const matrix = (rows, columns, numbers = new Float32Array(rows * columns)) => ({
    rows,
    columns,
    numbers,
  });

  /** One row, as the same numbers and not a copy of them. */
  const row = (x, i) => x.numbers.subarray(i * x.columns, (i + 1) * x.columns);

  /** Four sums side by side, of which none waits for another. */
  function dot(a, b) {
    let p = 0, q = 0, r = 0, s = 0, i = 0;
    for (const last = a.length - 3; i < last; i += 4) {
      p += a[i] * b[i];
      q += a[i + 1] * b[i + 1];
      r += a[i + 2] * b[i + 2];
      s += a[i + 3] * b[i + 3];
    }
    for (; i < a.length; i++) p += a[i] * b[i];
    return p + q + r + s;
  }

  /** Every number through a function of it and of its place. */
  const mapped = (x, change) =>
    matrix(x.rows, x.columns, x.numbers.map((number, at) =>
      change(number, Math.floor(at / x.columns), at % x.columns)));

  const add = (a, b) => mapped(a, (number, i, j) => number + b.numbers[i * b.columns + j]);

  /** a (L, D) and b (S, D): every row of a with every row of b, (L, S). */
  function products(a, b) {
    const output = matrix(a.rows, b.rows);
    const rows = Array.from({ length: a.rows }, (_, i) => row(a, i));
    for (let j = 0; j < b.rows; j++) {
      const other = row(b, j); // of a large b, each row comes from memory once
      for (let i = 0; i < a.rows; i++) output.numbers[i * b.rows + j] = dot(rows[i], other);
    }
    return output;
  }

  /** weights (L, S) and value (S, D): for each row of weights the sum of weight x value, (L, D). */
  function weightedSum(weights, value) {
    const output = matrix(weights.rows, value.columns);
    for (let i = 0; i < weights.rows; i++) {
      const sum = row(output, i);
      row(weights, i).forEach((weight, j) => {
        if (weight) row(value, j).forEach((number, d) => (sum[d] += weight * number));
      });
    }
    return output;
  }

  /** Some of the columns, from `first` on. */
  const columns = (x, first, number) =>
    mapped(matrix(x.rows, number), (_, i, j) => x.numbers[i * x.columns + first + j]);

  /** One matrix below another. */
  function below(a, b) {
    const output = matrix(a.rows + b.rows, b.columns);
    output.numbers.set(a.numbers);
    output.numbers.set(b.numbers, a.numbers.length);
    return output;
  }

  /** One matrix beside another. */
  function beside(a, b) {
    const output = matrix(a.rows, a.columns + b.columns);
    for (let i = 0; i < a.rows; i++) {
      row(output, i).set(row(a, i));
      row(output, i).set(row(b, i), a.columns);
    }
    return output;
  }

  /** One row as a matrix. */
  const single = (x, i) => matrix(1, x.columns, row(x, i));

  const largest = (numbers) => numbers.indexOf(Math.max(...numbers));

  // ---- layers around attention

  /** A row of the table for each token: nn.Embedding. */
  const embedding = (tokens, { weight }) =>
    mapped(matrix(tokens.length, weight.columns), (_, i, j) => row(weight, tokens[i])[j]);

  /** x W^T + b, as nn.Linear has it: weight (out, in), bias (1, out) or none. */
  function linear(x, { weight, bias }) {
    const output = products(x, weight); // (L, out)
    return bias ? mapped(output, (number, _, j) => number + bias.numbers[j]) : output;
  }

  /** Every row brought to mean 0 and variance 1, then scaled and moved. */
  function layerNorm(x, { weight, bias }, eps = 1e-5) {
    const output = matrix(x.rows, x.columns);
    for (let i = 0; i < x.rows; i++) {
      const [from, to] = [row(x, i), row(output, i)];
      const mean = from.reduce((sum, number) => sum + number, 0) / x.columns;
      const variance = from.reduce((sum, number) => sum + (number - mean) ** 2, 0) / x.columns;
      for (let j = 0; j < x.columns; j++) {
        const centered = (from[j] - mean) / Math.sqrt(variance + eps);
        to[j] = centered * weight.numbers[j] + bias.numbers[j];
      }
    }
    return output;
  }

  /** The error function, to 2e-7: Abramowitz and Stegun, formula 7.1.26. */
  function erf(z) {
    const t = 1 / (1 + 0.3275911 * Math.abs(z));
    const polynomial = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592];
    const tail = polynomial.reduce((sum, factor) => (sum + factor) * t, 0) * Math.exp(-z * z);
    return Math.sign(z) * (1 - tail);
  }

  const activations = {
    relu: (z) => Math.max(0, z),
    gelu: (z) => (z * (1 + erf(z / Math.SQRT2))) / 2,
    silu: (z) => z / (1 + Math.exp(-z)),
  };

  /** The same small network for every position. */
  const feedForward = (x, layer, activation = "relu") =>
    linear(mapped(linear(x, layer.linear1), activations[activation]), layer.linear2);

  // ---- attention

  /** Softmax over every row; a row of -Infinity alone becomes zeros. */
  function softmax(scores) {
    const output = matrix(scores.rows, scores.columns);
    for (let i = 0; i < scores.rows; i++) {
      const [from, to] = [row(scores, i), row(output, i)];
      const largest = from.reduce((a, b) => Math.max(a, b), -Infinity);
      if (largest === -Infinity) continue;
      let total = 0;
      for (let j = 0; j < from.length; j++) total += to[j] = Math.exp(from[j] - largest);
      for (let j = 0; j < to.length; j++) to[j] /= total;
    }
    return output;
  }

  // A mask is a question: may query i look at key j?
  const causalMask = (past = 0) => (i, j) => j <= i + past;

  /** What the mask does not allow gets a score of -Infinity, and so a weight of zero. */
  const masked = (scores, mask) =>
    mask ? mapped(scores, (score, i, j) => (mask(i, j) ? score : -Infinity)) : scores;

  const scaled = (scores, D) => mapped(scores, (score) => score / Math.sqrt(D));

  /** Scaled dot-product attention: query (L, D), key (S, D), value (S, E). */
  function attend(query, key, value, mask) {
    const scores = masked(scaled(products(query, key), query.columns), mask); // (L, S)
    const weights = softmax(scores); // (L, S)
    return { output: weightedSum(weights, value), weights }; // (L, E)
  }

  /** What a decoder remembers: keys and values of all positions so far. */
  class KeyValueCache {
    length = 0;
    append(key, value) {
      this.length += key.rows;
      this.key = this.key ? below(this.key, key) : key;
      this.value = this.value ? below(this.value, value) : value;
      return [this.key, this.value];
    }
  }

  /**
   * Several attentions side by side, mixed at the end; `weights` has a matrix for each head.
   * memory: whose keys and values (x's own unless given); rotary: whether queries and keys are
   * turned by their positions; off: heads whose output is left out.
   */
  function multiHeadAttention(x, layer, options) {
    const { numHeads, memory = x, mask, rotary = false, cache, off = [] } = options;
    const D = x.columns / numHeads;
    const heads = [...Array(numHeads).keys()];
    const past = cache ? cache.length : 0;
    const turned = (y) => {
      if (!rotary) return y;
      const parts = heads.map((h) => rotatePositions(columns(y, h * D, D), 10000, past));
      return mapped(y, (_, i, j) => row(parts[Math.floor(j / D)], i)[j % D]);
    };
    const query = turned(linear(x, layer.W_q)); // (L, E)
    let [key, value] = [turned(linear(memory, layer.W_k)), linear(memory, layer.W_v)]; // (S, E)
    if (cache) [key, value] = cache.append(key, value);
    const attended = heads.map((h) =>
      attend(...[query, key, value].map((y) => columns(y, h * D, D)), mask)); // (L, D), (L, S)
    const merged = mapped(matrix(x.rows, x.columns), (_, i, j) => {
      const h = Math.floor(j / D);
      return off.includes(h) ? 0 : row(attended[h].output, i)[j % D];
    });
    return { output: linear(merged, layer.W_o), weights: attended.map(({ weights }) => weights) };
  }

  /** Attention whose score is a small network, v tanh(W_s query + W_h key): (1, Q) and (S, K). */
  function additiveAttention(query, keys, { W_s, W_h, v }) {
    const asked = linear(query, W_s); // (1, A)
    const hidden = mapped(linear(keys, W_h), (number, _, j) =>
      Math.tanh(number + asked.numbers[j])); // (S, A)
    const weights = softmax(matrix(1, keys.rows, linear(hidden, v).numbers)); // (1, S)
    return { context: weightedSum(weights, keys), weights }; // (1, K)
  }

  // ---- recurrence

  const sigmoid = (z) => 1 / (1 + Math.exp(-z));

  /** A step of a gated recurrent unit, nn.GRUCell: x (1, I) and state (1, H) to the next state. */
  function gruCell(x, state, { weight_ih, bias_ih, weight_hh, bias_hh }) {
    const taken = linear(x, { weight: weight_ih, bias: bias_ih }).numbers; // 3 H, for three gates
    const kept = linear(state, { weight: weight_hh, bias: bias_hh }).numbers;
    const H = state.columns;
    return mapped(state, (old, _, j) => {
      const [reset, update] = [j, H + j].map((k) => sigmoid(taken[k] + kept[k]));
      const fresh = Math.tanh(taken[2 * H + j] + reset * kept[2 * H + j]);
      return update * old + (1 - update) * fresh;
    });
  }

  /** All states (L, H) of such a unit, nn.GRU, along x (L, I): from its first row, or its last. */
  function gru(x, layer, backward = false) {
    /** @type {any} */
    const cell = Object.fromEntries(
      Object.entries(layer).map(([name, tensor]) => [name.replace(/_l0$/, ""), tensor]));
    let state = matrix(1, cell.weight_hh.columns);
    const output = matrix(x.rows, state.columns);
    for (let step = 0; step < x.rows; step++) {
      const i = backward ? x.rows - 1 - step : step;
      state = gruCell(single(x, i), state, cell);
      row(output, i).set(state.numbers);
    }
    return output;
  }

  // ---- positions

  /** Sines and cosines of the position, from fast to slow: (length, embedDim). */
  const sinusoidalPositions = (length, embedDim) =>
    mapped(matrix(length, embedDim), (_, i, j) => {
      const angle = i / 10000 ** ((j - (j % 2)) / embedDim);
      return j % 2 ? Math.cos(angle) : Math.sin(angle);
    });

  /** Pairs of neighboring features turned by an angle that grows with the position. */
  const rotatePositions = (x, base = 10000, start = 0) =>
    mapped(x, (number, i, j) => {
      const angle = (start + i) * base ** (-(j - (j % 2)) / x.columns);
      const other = row(x, i)[j % 2 ? j - 1 : j + 1];
      return number * Math.cos(angle) + (j % 2 ? 1 : -1) * other * Math.sin(angle);
    });

  // ---- blocks and models

  /**
   * Attention, then feed-forward, each added to its input; the norm before (pre-norm) or after. A
   * layer of attention alone, without norms, is one too.
   */
  function encoderBlock(x, layer, options) {
    const { normFirst = false, activation } = options;
    const { output, weights } = layer.norm1
      ? around(x, layer.norm1, normFirst, (seen) =>
          multiHeadAttention(seen, layer.self_attn, options))
      : added(x, multiHeadAttention(x, layer, options));
    if (!layer.feed_forward) return { output, weights };
    const fed = around(output, layer.norm2, normFirst, (seen) => ({
      output: feedForward(seen, layer.feed_forward, activation),
    }));
    return { output: fed.output, weights, attended: output };
  }

  /** Blocks one after another: what each returns; `weights` has each layer's. */
  function encoder(x, { layers }, options) {
    const blocks = layers.map((layer) => {
      const block = encoderBlock(x, layer, options);
      x = block.output;
      return block;
    });
    return { output: x, weights: blocks.map(({ weights }) => weights), blocks };
  }

  /**
   * Look back, look at the memory, think; `weights` are those of the look at the memory, `back` those
   * of the look back.
   */
  function decoderBlock(x, layer, { numHeads, memory, normFirst = false }) {
    const back = around(x, layer.norm1, normFirst, (seen) =>
      multiHeadAttention(seen, layer.self_attn, { numHeads, mask: causalMask() }));
    const across = around(back.output, layer.norm2, normFirst, (seen) =>
      multiHeadAttention(seen, layer.multihead_attn, { numHeads, memory }));
    const { output } = around(across.output, layer.norm3, normFirst, (seen) => ({
      output: feedForward(seen, layer.feed_forward),
    }));
    return { output, weights: across.weights, back: back.weights };
  }

  const added = (x, { output, weights }) => ({ output: add(x, output), weights });

  function around(x, norm, normFirst, part) {
    if (normFirst) return added(x, part(layerNorm(x, norm)));
    const { output, weights } = added(x, part(x));
    return { output: layerNorm(output, norm), weights };
  }

  /**
   * A model that writes, of pre-norm blocks with rotary positions: logits (L, V) for the token
   * after each, and every layer's weights. off: a list of heads for each layer; causal: whether
   * the future is masked; caches: one for each layer.
   * @param {any} model
   * @param {number[]} tokens
   * @param {{ causal?: boolean, off?: number[][], caches?: any[] }} options
   */
  function languageModel({ layers, sizes }, tokens, { causal = true, off = [], caches } = {}) {
    const mask = causal ? causalMask(caches ? caches[0].length : 0) : undefined;
    let x = embedding(tokens, layers.embedding); // (L, E)
    const all = layers.layers.map((layer, l) => {
      const options = { numHeads: sizes.num_heads, normFirst: true, rotary: true, mask };
      const { output, weights } = encoderBlock(x, layer, {
        ...options,
        cache: caches?.[l],
        off: off[l],
      });
      x = output;
      return weights;
    });
    if (layers.norm) x = layerNorm(x, layers.norm);
    return { logits: linear(x, layers.output), weights: all };
  }

  // ---- translators (chapters 3 and 11)

  /** Annotations (S, 2 H) of every token, and the state (1, H) that a decoder starts with. */
  function bidirectionalEncoder(tokens, layer) {
    const x = embedding(tokens, layer.embedding);
    const [forward, backward] = [gru(x, layer.forward_rnn), gru(x, layer.backward_rnn, true)];
    const state = mapped(linear(single(backward, 0), layer.start), Math.tanh);
    return { annotations: beside(forward, backward), state };
  }

  /** One step: logits (1, V) for the token after `previous`, the next state, and the weights. */
  function attentionDecoder(previous, state, annotations, layer) {
    const { context, weights } = additiveAttention(state, annotations, layer.attention);
    const embedded = embedding([previous], layer.embedding);
    const next = gruCell(beside(embedded, context), state, layer.rnn);
    const logits = linear(beside(beside(next, context), embedded), layer.output);
    return { logits, state: next, weights };
  }

  /** Tokens as a Transformer gets them: embedded, times sqrt(E), and their positions added. */
  function placed(tokens, table) {
    const x = embedding(tokens, table); // (L, E)
    const E = x.columns;
    return add(mapped(x, (number) => number * Math.sqrt(E)), sinusoidalPositions(x.rows, E));
  }

  /** What was read: its `output` (S, E) is what the decoder looks at. */
  const transformerEncoder = ({ layers, sizes }, source) =>
    encoder(placed(source, layers.source_embedding), layers.encoder, { numHeads: sizes.num_heads });

  const transformerMemory = (model, source) => transformerEncoder(model, source).output;

  /** Logits (L, V) for the token after each of the target's, and every layer's cross-attention. */
  function transformerDecoder({ layers, sizes }, memory, target) {
    let x = placed(target, layers.target_embedding);
    const blocks = layers.decoder.map((layer) => {
      const block = decoderBlock(x, layer, { numHeads: sizes.num_heads, memory });
      x = block.output;
      return block;
    });
    return { logits: linear(x, layers.output), weights: blocks.map(({ weights }) => weights), blocks };
  }

  /**
   * Translating greedily, one step at a time, until the `end` or until it is too long: the token,
   * its logits (1, V), and a row of weights (1, S) for each head of each layer.
   */
  const translation = (model, source, limits) =>
    (model.layers.source_embedding ? attentionAlone : recurrent)(model, source, limits);

  function* recurrent({ layers }, source, { start, end, longest }) {
    let { annotations, state } = bidirectionalEncoder(source, layers.encoder);
    for (let token = start, t = 0; t < longest && token !== end; t++) {
      const step = attentionDecoder(token, state, annotations, layers.decoder);
      [state, token] = [step.state, largest(step.logits.numbers)];
      yield { token, logits: step.logits, weights: [[step.weights]] };
    }
  }

  function* attentionAlone(model, source, { start, end, longest }) {
    const memory = transformerMemory(model, source);
    const target = [start];
    for (let t = 0; t < longest && (t === 0 || target[t] !== end); t++) {
      const { logits, weights } = transformerDecoder(model, memory, target);
      const last = single(logits, t);
      target.push(largest(last.numbers));
      yield {
        token: target.at(-1),
        logits: last,
        weights: weights.map((heads) => heads.map((head) => single(head, t))),
      };
    }
  }

  // ---- images (chapter 12)

  /** An image (height, width) of one channel as its P x P patches, row by row: (N, P * P). */
  function patchify(image, P) {
    const across = image.columns / P;
    return mapped(matrix((image.rows / P) * across, P * P), (_, n, k) => {
      const i = Math.floor(n / across) * P + Math.floor(k / P);
      return row(image, i)[(n % across) * P + (k % P)];
    });
  }

  /** Patches as a sequence: projected, the class token before them, then the positions added. */
  function patchEmbedding(image, layer, patchSize, positions = layer.positions) {
    const patches = linear(patchify(image, patchSize), layer.projection); // (N, E)
    const x = below(layer.class_token, patches); // (N + 1, E)
    return positions ? add(x, positions) : x;
  }

  /**
   * An image's logits (1, classes), read from the class token, and every layer's weights.
   * positions: others than the model's own, or null for none. left: the places of the patches that it
   * gets, where not all.
   * @param {any} model
   * @param {any} image
   * @param {{ positions?: any, left?: number[] }} options
   */
  function visionTransformer({ layers, sizes }, image, { positions, left } = {}) {
    const whole = patchEmbedding(image, layers.patch_embedding, sizes.patch_size, positions);
    const x = left ? embedding([0, ...left.map((n) => n + 1)], { weight: whole }) : whole;
    const options = { numHeads: sizes.num_heads, normFirst: true, activation: "gelu" };
    const { output, weights } = encoder(x, layers.encoder, options);
    const logits = linear(layerNorm(single(output, 0), layers.norm), layers.head);
    return { logits, weights };
  }

  /** How much of every input reaches every output, through all layers' weights: (N, N). */
  function attentionRollout(weights) {
    const mixing = (heads) =>
      mapped(heads[0], (_, i, j) => {
        const mean = heads.reduce((sum, head) => sum + row(head, i)[j], 0) / heads.length;
        return (mean + Number(i === j)) / 2; // the residual connection keeps as much of oneself
      });
    return weights.map(mixing).reduce((rollout, later) => weightedSum(later, rollout));
  }

  // ---- sentences (chapter 13)

  /** Tokens, their positions and the first segment added up, and a norm over the sum: (L, E). */
  function sentenceEmbedding(tokens, layers) {
    const [positions, segments] =
      [layers.position_embedding, layers.segment_embedding].map(({ weight }) => weight);
    const x = mapped(embedding(tokens, layers.token_embedding), (number, i, j) =>
      number + row(positions, i)[j] + row(segments, 0)[j]);
    return layerNorm(x, layers.embedding_norm, 1e-12);
  }

  /** A sentence encoder, one layer at a time: what it returns (L, E), and its weights. */
  function* sentenceEncoder({ layers, sizes }, tokens) {
    let x = sentenceEmbedding(tokens, layers);
    for (const layer of layers.encoder.layers) {
      const options = { numHeads: sizes.num_heads, activation: "gelu" };
      const { output, weights } = encoderBlock(x, layer, options);
      x = output;
      yield { output, weights };
    }
  }

  /** The mean of all rows, at length one: (1, E). */
  function meanPool(x) {
    const sum = weightedSum(matrix(1, x.rows, new Float32Array(x.rows).fill(1)), x);
    const length = Math.sqrt(dot(sum.numbers, sum.numbers));
    return mapped(sum, (number) => number / length);
  }

  // ---- what models say

  /** What the next token is drawn from: a row of logits, over the temperature, the top k kept. */
  function nextTokenProbabilities(logits, { temperature = 1, topK = logits.length } = {}) {
    if (temperature === 0) [temperature, topK] = [1, 1]; // all that are as large share
    const kth = [...logits].sort((a, b) => b - a)[Math.min(topK, logits.length) - 1];
    const kept = logits.map((logit) => (logit >= kth ? logit / temperature : -Infinity));
    return softmax(matrix(1, kept.length, kept)).numbers;
  }

  /** How much a head looks at what followed the same token before; 0 where none came before. */
  function inductionScore(weights, tokens) {
    const looked = [];
    tokens.forEach((token, i) => {
      const after = [...Array(i).keys()].filter((j) => tokens[j] === token).map((j) => j + 1);
      if (after.length) looked.push(after.reduce((sum, j) => sum + row(weights, i)[j], 0));
    });
    return looked.length ? looked.reduce((a, b) => a + b) / looked.length : 0;
  }

  // ---- files

  function half(bits) {
    const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : fraction * 2 ** -24);
  }

  const readers = {
    F32: (bytes) => new Float32Array(bytes),
    F16: (bytes) => Float32Array.from(new Uint16Array(bytes), half),
    I8: (bytes) => Float32Array.from(new Int8Array(bytes)),
  };

  /** A safetensors file: its tensors as layers within layers, and what it says of itself. */
  function readSafetensors(buffer) {
    const length = Number(new DataView(buffer).getBigUint64(0, true));
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
    const { __metadata__: metadata = {}, ...entries } = header;
    const tensors = {};
    for (const [name, { dtype, shape, data_offsets: [start, end] }] of Object.entries(entries)) {
      const numbers = readers[dtype](buffer.slice(8 + length + start, 8 + length + end));
      const last = shape.at(-1) ?? 1;
      tensors[name] = matrix(numbers.length / last, last, numbers);
    }
    const layers = {};
    for (const [name, tensor] of Object.entries(tensors)) {
      if (name.endsWith(".scale")) continue;
      const scale = tensors[`${name}.scale`]?.numbers; // of whole numbers: each for as many
      const path = name.split(".");
      const within = path.slice(0, -1).reduce((place, part, i) => {
        const list = /^\d+$/.test(path[i + 1] ?? "");
        return (place[part] ??= list ? [] : {});
      }, layers);
      const { numbers } = tensor;
      for (let i = 0, many = numbers.length / scale?.length; i < numbers.length && scale; i++) {
        numbers[i] *= scale[Math.floor(i / many)];
      }
      within[path.at(-1)] = tensor;
    }
    return { layers, metadata };
  }

  // A script and not a file to fetch: that works in a copy on the reader's disk too. Each script
  // puts among `models` what is known of a model, and its file in base64; of a large file there are
  // `pieces`, in scripts of their own.
  const models = {};

  /** What the script of a model hands over, loaded when it is asked for. */
  async function handedOver(name) {
    if (!models[name]) {
      await new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = `${new URL(`models/${name}.js`, here)}`;
        script.onload = resolve;
        script.onerror = () => reject(new Error(`${name}.js did not load`));
        document.head.append(script);
      });
    }
    return models[name];
  }

  function decoded(base64) {
    const letters = atob(base64);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
    return bytes;
  }

  /**
   * One of the book's models, loaded when it is asked for.
   * @param {string} name
   * @param {(share: number) => void} progress hears what share is here
   */
  async function loadModel(name, progress = () => {}) {
    const { file, pieces = 0, ...about } = await handedOver(name);
    const parts = file ? [decoded(file)] : [];
    for (let piece = 1; piece <= pieces; piece++) {
      parts.push(decoded((await handedOver(`${name}-${piece}`)).file));
      delete models[`${name}-${piece}`]; // its letters take as much memory as its numbers
      progress(piece / pieces);
    }
    const bytes = await new Blob(parts).arrayBuffer();
    return { layers: readSafetensors(bytes).layers, ...about };
  }

  return {
    ...{ matrix, row, add, products, weightedSum, embedding, linear, layerNorm, activations },
    ...{ feedForward, softmax, causalMask, masked, scaled, attend, KeyValueCache },
    ...{ multiHeadAttention, sinusoidalPositions, rotatePositions, encoderBlock, languageModel },
    ...{ additiveAttention, gruCell, gru, encoder, decoderBlock, bidirectionalEncoder },
    ...{ attentionDecoder, transformerEncoder, transformerMemory, transformerDecoder, translation },
    ...{ patchify, patchEmbedding, visionTransformer, attentionRollout },
    ...{ sentenceEmbedding, sentenceEncoder, meanPool },
    ...{ nextTokenProbabilities, inductionScore, readSafetensors, models, handedOver, loadModel },
  };
})();
