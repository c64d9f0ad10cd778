// A checkpoint decays on the disk: a bit flips anywhere, its end is missing, something follows it. The host's `inspect`,
// which reads as everything does that opens a checkpoint, tells of every one.
//   FAULTS=full: 2,700 damages, else 60
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkpoint, FULL, Home, numbersFrom, PROGRAM } from './host.mjs';

const [FLIPS, CUTS, TAILS] = FULL ? [2000, 500, 200] : [40, 12, 8];

function inspect(file) {
  return new Promise((done) => {
    const child = spawn(PROGRAM, ['inspect', file], { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.stderr.on('data', (chunk) => (text += chunk));
    child.on('exit', (status) => done({ status, text }));
  });
}

test(`${FLIPS + CUTS + TAILS} damages of a checkpoint are told`, async () => {
  const home = new Home();
  const whole = checkpoint(3, 6000);
  const file = `${home.path}/file.safetensors`;
  writeFileSync(file, whole);
  const sound = await inspect(file);
  assert.equal(sound.status, 0, sound.text);
  const random = numbersFrom(11);
  const at = () => Math.floor(random() * whole.length);
  const damages = [
    ...Array.from({ length: FLIPS }, () => {
      const bytes = Buffer.from(whole);
      bytes[at()] ^= 1 << Math.floor(random() * 8);
      return bytes;
    }),
    ...Array.from({ length: CUTS }, () => whole.subarray(0, at())),
    ...Array.from({ length: TAILS }, (_, i) => Buffer.concat([whole, Buffer.alloc(i + 1, i % 2)])),
  ];
  for (const [index, bytes] of damages.entries()) {
    writeFileSync(file, bytes);
    const { status, text } = await inspect(file);
    assert.notEqual(status, 0, `damage ${index} was not seen`);
    assert.match(text, /byte|bytes|header|hash|tensor/i, `damage ${index}: ${text}`);
  }
  home.remove();
});
