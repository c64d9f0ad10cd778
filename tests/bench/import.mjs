// Bytes of a CSV file a second, in the same run: read by `cat`, sent by the bare echo host through two pipes, imported by
// the native host, and imported by `shadegrad-host convert` (the importer without messages). Medians of interleaved runs.
// Usage: node import.mjs SHADEGRAD_HOST ECHO_HOST [MEGABYTES]
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeCsv } from './csv_file.mjs';
import { startHost, streamRate } from './host_process.mjs';

const [hostProgram, echoProgram, megabytes = '200', repeats = '5'] = process.argv.slice(2);
if (!echoProgram) throw new Error('usage: import.mjs SHADEGRAD_HOST ECHO_HOST [MEGABYTES [RUNS]]');
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

async function seconds(work) {
  const began = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - began) / 1e9;
}

const home = mkdtempSync(path.join(tmpdir(), 'shadegrad-bench-'));
try {
  mkdirSync(path.join(home, 'Shadegrad'));
  const file = path.join(home, 'Shadegrad/readings.csv');
  const into = path.join(home, 'converted');
  const { size, rows } = writeCsv(file, Number(megabytes) * 1e6);
  const rates = { cat: [], echo: [], import: [], convert: [] };
  let made;
  for (let i = 0; i < Number(repeats); i += 1) {
    rates.cat.push(
      size / (await seconds(() => execFileSync('sh', ['-c', 'cat "$1" >/dev/null', 'sh', file]))),
    );
    rates.echo.push(await streamRate(echoProgram, [], `echo/${size}`, home, size));
    const host = await startHost(hostProgram, home);
    rates.import.push(
      size /
        (await seconds(async () => {
          made = await host.ask('dataset.import', { path: 'Shadegrad/readings.csv' });
        })),
    );
    if (made.rows !== rows) throw new Error(`${made.rows} rows came of ${rows}`);
    await host.ask('dataset.forget', { dataset: made.dataset });
    await host.end();
    rates.convert.push(
      size /
        (await seconds(() =>
          execFileSync(hostProgram, ['convert', file, '--into', into], {
            env: { HOME: home },
            stdio: 'ignore',
          }),
        )),
    );
    rmSync(into, { recursive: true });
  }
  const figure = (name) => `${name} ${(median(rates[name]) / 1e6).toFixed(0)} MB/s`;
  process.stdout.write(
    `${Object.keys(rates).map(figure).join(', ')}; ${(made.bytes / size).toFixed(2)} bytes of shards a byte, ` +
      `import/echo ${(median(rates.import) / median(rates.echo)).toFixed(2)}\n`,
  );
} finally {
  rmSync(home, { recursive: true });
}
