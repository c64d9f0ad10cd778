// A table of sensor readings as CSV, of any size: a date, five numbers of different kinds, a category and a text.
import { closeSync, openSync, writeSync } from 'node:fs';

const HEADER = 'time,load,temperature,pressure,count,flag,station,note\n';

/** Rows from `first` on, about a megabyte of them; the dates go on for ever in steps of a minute. */
function rows(first) {
  const lines = [];
  for (let i = first; i < first + 15_000; i += 1) {
    const time = new Date(1.5e12 + i * 60_000).toISOString().slice(0, 19).replace('T', ' ');
    const noise = Math.sin(i * 12.9898) * 43758.5453;
    const fraction = noise - Math.floor(noise);
    lines.push(
      `${time},${(50 + 20 * Math.sin(i / 229) + fraction).toFixed(3)},${(15 + 10 * fraction).toFixed(1)},` +
        `${(1013 + fraction * 8).toFixed(2)},${i % 1000},${i % 2},s${i % 40},reading ${i}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Writes at least `bytes` bytes; gives how many rows and bytes there are. */
export function writeCsv(file, bytes) {
  const out = openSync(file, 'w');
  let size = writeSync(out, HEADER);
  let count = 0;
  // Blocks are made anew for the first 64 MB and repeated after that: making them takes longer than reading them.
  const blocks = [];
  while (size < bytes) {
    const at = blocks.length;
    if (at < 64) blocks.push(Buffer.from(rows(count)));
    size += writeSync(out, at < 64 ? blocks[at] : blocks[(count / 15_000) % 64]);
    count += 15_000;
  }
  closeSync(out);
  return { rows: count, size };
}
