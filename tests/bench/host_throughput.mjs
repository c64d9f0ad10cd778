// Raw bytes a second from a host program through two pipes, with 16 frames of credit, without a browser: the native host
// reading a file beside the bare echo host. Usage: node host_throughput.mjs SHADEGRAD_HOST ECHO_HOST [MEGABYTES]
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const CREDITS = 16;
const [hostProgram, echoProgram, megabytes = '256'] = process.argv.slice(2);
if (!echoProgram)
  throw new Error('usage: host_throughput.mjs SHADEGRAD_HOST ECHO_HOST [MEGABYTES]');
const size = Number(megabytes) * 2 ** 20;
const ids = JSON.parse(readFileSync(new URL('../../packaging/ids.json', import.meta.url), 'utf8'));

function frame(message) {
  const text = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(text.length);
  return Buffer.concat([head, text]);
}

/** Calls `message` with the text of each frame. */
function decode(stream, message) {
  let parts = [];
  let have = 0;
  let need = 4;
  let inBody = false;
  stream.on('data', (chunk) => {
    parts.push(chunk);
    have += chunk.length;
    while (have >= need) {
      const all = parts.length === 1 ? parts[0] : Buffer.concat(parts);
      const piece = all.subarray(0, need);
      parts = [all.subarray(need)];
      have -= need;
      need = inBody ? 4 : piece.readUInt32LE();
      if (inBody) message(piece.toString('latin1'));
      inBody = !inBody;
    }
  });
}

function measure(program, args, dataset, home) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { HOME: home }, stdio: ['pipe', 'pipe', 'inherit'] });
    const began = process.hrtime.bigint();
    let frames = 0;
    child.on('error', reject);
    decode(child.stdout, (text) => {
      if (text.includes('"ok":false')) reject(new Error(text));
      if (text.includes('"dataset.data"')) {
        frames += 1;
        if (frames % 8 === 0) child.stdin.write(frame({ type: 'flow.credit', id: 2, frames: 8 }));
      } else if (text.includes('"dataset.end"')) {
        child.stdin.end();
        resolve({ frames, rate: size / 2 ** 20 / (Number(process.hrtime.bigint() - began) / 1e9) });
      }
    });
    child.stdin.write(
      frame({ id: 1, type: 'hello', protocol: { min: 1, max: 1 }, extension: '0.1.0' }),
    );
    child.stdin.write(frame({ id: 2, type: 'dataset.read', path: dataset, credits: CREDITS }));
  });
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const home = mkdtempSync(path.join(tmpdir(), 'shadegrad-bench-'));
try {
  mkdirSync(path.join(home, 'Shadegrad'));
  writeFileSync(path.join(home, 'Shadegrad/data.bin'), Buffer.alloc(size, 'shadegrad'));
  const rates = { host: [], echo: [] };
  for (let i = 0; i < 5; i += 1) {
    const origin = `chrome-extension://${ids.chromium.development}/`;
    rates.host.push((await measure(hostProgram, [origin], 'Shadegrad/data.bin', home)).rate);
    rates.echo.push((await measure(echoProgram, [], `echo/${size}`, home)).rate);
  }
  const host = median(rates.host);
  const echo = median(rates.echo);
  process.stdout.write(
    `host ${host.toFixed(0)} MB/s, echo ${echo.toFixed(0)} MB/s, ratio ${(host / echo).toFixed(2)}\n`,
  );
} finally {
  rmSync(home, { recursive: true });
}
