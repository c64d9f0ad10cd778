// nanoGPT's setting for a processor on a text, in Chromium: the validation loss after 2,000 steps, for each seed.
//   node tests/accuracy/char_gpt.run.mjs TEXT [--seeds 1,2,3] [--device cpu] [--steps 2000]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PlainBrowser } from '../e2e/lib/plain_page.mjs';
import { BUILD } from '../e2e/lib/world.mjs';

const PUBLISHED = 1.88;
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '1,2,3' },
    device: { type: 'string', default: 'cpu' },
    steps: { type: 'string', default: '2000' },
  },
});
const say = (text) => process.stdout.write(`${text}\n`);

const text = readFileSync(positionals[0], 'utf8');
const folders = [join(BUILD, 'wasm/tests'), new URL('.', import.meta.url).pathname];
const told = ({ step, loss, ms }) => {
  if (step % 100 === 0) say(`  step ${step}  loss ${loss.toFixed(4)}  ${ms.toFixed(0)} ms a step`);
};

let worst = 0;
for (const seed of options.seeds.split(',').map(Number)) {
  const browser = await PlainBrowser.launch('chromium', folders, { timeout: 7_200_000 });
  try {
    say(`seed ${seed}`);
    const message = { text, seed, device: options.device, steps: Number(options.steps) };
    const end = (await browser.run('char_gpt_worker.mjs', message, told)).at(-1);
    worst = Math.max(worst, end.loss);
    say(
      `seed ${seed}: validation loss ${end.loss.toFixed(4)} over ${end.characters} characters, ` +
        `${end.parameters} parameters, trained in ${end.seconds.toFixed(0)} s`,
    );
  } finally {
    await browser.close();
  }
}
say(`the worst validation loss is ${worst.toFixed(4)}; nanoGPT's published one is ${PUBLISHED}`);
process.exitCode = worst <= PUBLISHED ? 0 : 1;
