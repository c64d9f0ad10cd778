// The smallest and largest value of each number in a run's configuration. The core declares and enforces them
// (wasm/train/config.cpp); a test compares, so that a form never offers what the core refuses.
export const LIMITS = {
  lookBack: [1, 4096],
  horizon: [1, 1024],
  validationFraction: [0.01, 0.9],
  season: [0, 1e6],
  epochs: [1, 100_000],
  batchSize: [1, 4096],
  learningRate: [1e-8, 10],
  weightDecay: [0, 10],
  momentum: [0, 0.9999],
  clipNorm: [0, 1e6],
  seed: [0, Number.MAX_SAFE_INTEGER],
} as const;
