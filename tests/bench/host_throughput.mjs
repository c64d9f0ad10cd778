// Raw bytes a second from a host program through two pipes, with 16 frames of credit, without a browser: the native host
// reading a file beside the bare echo host. Usage: node host_throughput.mjs SHADEGRAD_HOST ECHO_HOST [MEGABYTES]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ORIGIN, streamRate } from './host_process.mjs';

const [hostProgram, echoProgram, megabytes = '256'] = process.argv.slice(2);
if (!echoProgram)
  throw new Error('usage: host_throughput.mjs SHADEGRAD_HOST ECHO_HOST [MEGABYTES]');
const size = Number(megabytes) * 2 ** 20;

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const home = mkdtempSync(path.join(tmpdir(), 'shadegrad-bench-'));
try {
  mkdirSync(path.join(home, 'Shadegrad'));
  writeFileSync(path.join(home, 'Shadegrad/data.bin'), Buffer.alloc(size, 'shadegrad'));
  const rates = { host: [], echo: [] };
  for (let i = 0; i < 5; i += 1) {
    rates.host.push(await streamRate(hostProgram, [ORIGIN], 'Shadegrad/data.bin', home, size));
    rates.echo.push(await streamRate(echoProgram, [], `echo/${size}`, home, size));
  }
  const host = median(rates.host) / 2 ** 20;
  const echo = median(rates.echo) / 2 ** 20;
  process.stdout.write(
    `host ${host.toFixed(0)} MB/s, echo ${echo.toFixed(0)} MB/s, ratio ${(host / echo).toFixed(2)}\n`,
  );
} finally {
  rmSync(home, { recursive: true });
}
