// The workloads on which libraries are compared, W1 to W7 (and an LSTM(64) over 30 steps, whose draws are a known
// yardstick), with weights and batches of our own: for the measurements that need no other library. Sizes and layouts are
// those that the comparison gives to every library; the numbers are not, so losses compare within a run only. Sizes can
// be overridden, for scaling curves.
const adam = (lr) => ({ lr, beta1: 0.9, beta2: 0.999, eps: 1e-7 });
const mlp = (depth, width) => ({
  ...{ kind: 'mlp', batch: 64, inputs: 784, depth, width, classes: 10 },
  optimizer: { lr: 0.05 },
});
const lstm = (batch, seq, features, units, lr) => ({
  ...{ kind: 'lstm', batch, seq, features, units },
  optimizer: adam(lr),
});

const ROWS = {
  W1: lstm(32, 5, 1, [8], 0.01),
  W2: lstm(32, 64, 8, [128], 0.001),
  W3: lstm(64, 32, 16, [256, 256], 0.001),
  W4: {
    ...{ kind: 'encoder', batch: 32, seq: 64, features: 16, d: 64, heads: 4, blocks: 2, ffn: 256 },
    optimizer: adam(0.001),
  },
  W5: {
    ...{ kind: 'gpt', batch: 16, seq: 128, vocab: 96, d: 128, heads: 4, blocks: 4, ffn: 512 },
    optimizer: adam(0.001),
  },
  'W6-1x64': mlp(1, 64),
  'W6-8x256': mlp(8, 256),
  W7: {
    ...{ kind: 'cnn', batch: 64, height: 28, kernel: 3, channels: [1, 32, 64], dense: 128 },
    classes: 10,
    optimizer: adam(0.001),
  },
  LSTM64: lstm(32, 30, 1, [64], 0.001),
};

export const WORKLOADS = Object.fromEntries(
  Object.entries(ROWS).map(([id, row]) => [id, { id, batches: 4, ...row }]),
);

/** Numbers in [0, 1): Marsaglia's xorshift. */
function uniforms(seed) {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const sizeOf = (shape) => shape.reduce((product, size) => product * size, 1);

/** Shapes of the weights in the order in which the nets take them: kernels are [in, out] or [kh, kw, in, out]. */
function shapesOf(w) {
  const shapes = [];
  const dense = (from, to) => shapes.push([from, to], [to]);
  const norm = () => shapes.push([w.d], [w.d]);
  if (w.kind === 'lstm') {
    let from = w.features;
    for (const hidden of w.units) {
      shapes.push([from, 4 * hidden], [hidden, 4 * hidden], [4 * hidden]);
      from = hidden;
    }
    dense(from, 1);
  } else if (w.kind === 'mlp') {
    for (let l = 0; l < w.depth; l += 1) dense(l === 0 ? w.inputs : w.width, w.width);
    dense(w.width, w.classes);
  } else if (w.kind === 'cnn') {
    for (let l = 1; l < w.channels.length; l += 1) {
      shapes.push([w.kernel, w.kernel, w.channels[l - 1], w.channels[l]], [w.channels[l]]);
    }
    const side = w.height / 2 ** (w.channels.length - 1);
    dense(side * side * w.channels.at(-1), w.dense);
    dense(w.dense, w.classes);
  } else {
    if (w.kind === 'gpt') shapes.push([w.vocab, w.d]);
    else dense(w.features, w.d);
    shapes.push([w.seq, w.d]);
    for (let b = 0; b < w.blocks; b += 1) {
      norm();
      dense(w.d, 3 * w.d);
      dense(w.d, w.d);
      norm();
      dense(w.d, w.ffn);
      dense(w.ffn, w.d);
    }
    norm();
    dense(w.d, w.kind === 'gpt' ? w.vocab : 1);
  }
  return shapes;
}

/** [{shape, data}]: matrices uniform in ±sqrt(6 / (in + out)), vectors small. */
export function params(w) {
  const random = uniforms(7919);
  return shapesOf(w).map((shape) => {
    const [out, inputs] = [shape.at(-1), sizeOf(shape.slice(0, -1))];
    const limit = shape.length === 1 ? 0.1 : Math.sqrt(6 / (inputs + out));
    const values = { length: sizeOf(shape) };
    return { shape, data: Float32Array.from(values, () => (2 * random() - 1) * limit) };
  });
}

/** {x, y} of batch k: numbers, or tokens and classes. */
export function batch(w, k) {
  const random = uniforms(104729 + 31 * k);
  const numbers = (count) => Float32Array.from({ length: count }, () => 2 * random() - 1);
  const below = (count, limit) =>
    Int32Array.from({ length: count }, () => Math.floor(limit * random()));
  const tokens = w.batch * w.seq;
  if (w.kind === 'gpt') return { x: below(tokens, w.vocab), y: below(tokens, w.vocab) };
  if (w.seq !== undefined) return { x: numbers(tokens * w.features), y: numbers(w.batch) };
  const pixels = w.inputs ?? w.height * w.height * w.channels[0];
  return { x: numbers(w.batch * pixels), y: below(w.batch, w.classes) };
}

/** Multiply-adds of the forward products of one step. */
function products(w) {
  const tokens = w.batch * w.seq;
  if (w.kind === 'lstm') {
    const inputs = [w.features, ...w.units];
    return w.units.reduce((sum, hidden, l) => sum + tokens * (inputs[l] + hidden) * 4 * hidden, 0);
  }
  if (w.kind === 'mlp') {
    const hidden = w.batch * w.width * (w.inputs + (w.depth - 1) * w.width);
    return hidden + w.batch * w.width * w.classes;
  }
  if (w.kind === 'cnn') {
    let [side, sum] = [w.height, 0];
    for (let l = 1; l < w.channels.length; l += 1) {
      sum += side * side * w.kernel ** 2 * w.channels[l - 1] * w.channels[l];
      side /= 2;
    }
    return w.batch * (sum + (side * side * w.channels.at(-1) + w.classes) * w.dense);
  }
  const block = w.d * (4 * w.d + 2 * w.ffn) + 2 * w.seq * w.d;
  return tokens * (w.blocks * block + w.d * (w.vocab ?? w.features));
}

/** Floating point operations of one training step: of the products alone, forward and twice that for the gradients. */
export const flops = (w) => 6 * products(w);
