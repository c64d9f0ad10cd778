// Imports a CSV file of many gigabytes with the native host and fails when that takes 256 MiB of memory or loses a row.
// Usage: node import_large.mjs SHADEGRAD_HOST [GIGABYTES]
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { writeCsv } from './csv_file.mjs';
import { startHost } from './host_process.mjs';

const MOST = 256 * 2 ** 20;
const [program, gigabytes = '10'] = process.argv.slice(2);
if (!program) throw new Error('usage: import_large.mjs SHADEGRAD_HOST [GIGABYTES]');
const wanted = Number(gigabytes) * 1e9;
// Not /tmp: that may be memory.
const home = mkdtempSync(path.join(process.env.SHADEGRAD_SPACE ?? '/var/tmp', 'shadegrad-import-'));
const seconds = (since) => Number(process.hrtime.bigint() - since) / 1e9;
try {
  const disk = statfsSync(home);
  const needed = wanted * 1.6;
  if (disk.bavail * disk.bsize < needed)
    throw new Error(
      `${home} has ${((disk.bavail * disk.bsize) / 1e9).toFixed(1)} GB free, and ${(needed / 1e9).toFixed(1)} are needed: ` +
        'give a smaller size, or a folder with room in SHADEGRAD_SPACE',
    );
  mkdirSync(path.join(home, 'Shadegrad'));
  const { size, rows } = writeCsv(path.join(home, 'Shadegrad/large.csv'), wanted);
  const host = await startHost(program, home);
  const began = process.hrtime.bigint();
  let firstRow;
  let shown = 0;
  const made = await host.ask('dataset.import', { path: 'Shadegrad/large.csv' }, (progress) => {
    if (progress.rows > 0) firstRow ??= seconds(began);
    if (seconds(began) - shown < 10) return;
    shown = seconds(began);
    const peak = (host.peak() / 2 ** 20).toFixed(0);
    process.stdout.write(
      `${((100 * progress.bytes) / progress.size).toFixed(0)} %  ${(progress.bytes / shown / 1e6).toFixed(0)} MB/s  ` +
        `${progress.rows} rows  ${peak} MiB at most\n`,
    );
  });
  const took = seconds(began);
  const peak = host.peak();
  await host.end();
  process.stdout.write(
    `${(size / 1e9).toFixed(2)} GB, ${made.rows} rows: ${(size / took / 1e6).toFixed(0)} MB/s, ` +
      `${(made.bytes / 1e9).toFixed(2)} GB of shards, first rows after ${(firstRow * 1000).toFixed(0)} ms, ` +
      `at most ${(peak / 2 ** 20).toFixed(0)} MiB of memory\n`,
  );
  if (made.rows !== rows) throw new Error(`${made.rows} rows came of ${rows}`);
  if (peak >= MOST) throw new Error('the host took 256 MiB of memory or more');
} finally {
  rmSync(home, { recursive: true });
}
