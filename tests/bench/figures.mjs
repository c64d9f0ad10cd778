// What the measurements share: the median, and a way to print that the linter knows to be meant.
export const say = (line) => process.stdout.write(`${line}\n`);

export function median(values) {
  const sorted = values.filter((value) => Number.isFinite(value)).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return NaN;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Rounds of several measurements, each round in another order: {name: [values]}. */
export async function interleave(rounds, measurements) {
  const names = Object.keys(measurements);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (let i = 0; i < names.length; i += 1) {
      const name = names[(i + round) % names.length];
      results[name].push(await measurements[name]());
    }
  }
  return results;
}
