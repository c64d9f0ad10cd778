// A workload's sizes as the numbers that bench_create takes, in its order.
export const KINDS = ['lstm', 'mlp', 'encoder', 'gpt', 'cnn'];

export function numbersOf(w) {
  const units = w.units ?? w.channels ?? Array.from({ length: w.depth ?? 0 }, () => w.width);
  const features = w.features ?? w.inputs ?? 0;
  const outputs = w.vocab ?? w.classes ?? 1;
  const sizes = [w.d ?? 0, w.heads ?? 0, w.blocks ?? 0, w.ffn ?? 0];
  const image = [w.height ?? 0, w.kernel ?? 0, w.dense ?? 0];
  const kind = KINDS.indexOf(w.kind);
  return [kind, w.batch, w.seq ?? 0, features, outputs, ...sizes, ...image, units.length, ...units];
}
