// Files that are more than a table of text, picked in a real browser: packed, columnar, arrays, pictures. What the worker
// says of them is what their writers put in; a packed table is trained on.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { series } from './data.mjs';
import { scenario } from './scenario.mjs';
import { Ui } from './ui.mjs';

const golden = join(dirname(fileURLToPath(import.meta.url)), '../../golden/reading');

/** In a page: pictures of one colour each, as a canvas writes them. */
async function paint(colours) {
  const made = [];
  for (const colour of colours) {
    const canvas = new OffscreenCanvas(20, 10);
    const context = canvas.getContext('2d');
    context.fillStyle = colour;
    context.fillRect(0, 0, 20, 10);
    const blob = await canvas.convertToBlob({ type: 'image/png' });
    made.push(Array.from(new Uint8Array(await blob.arrayBuffer())));
  }
  return made;
}

const FOLDER_INPUT = '[data-testid="folder-input"]';

/** Chooses the folder "pets". Firefox's driver can't: there the page is given files as that chooser makes them. */
const chooseFolder = {
  async chromium(page, world, files) {
    for (const [path, bytes] of files) world.write(`pets/${path}`, Buffer.from(bytes));
    await (await page.$(FOLDER_INPUT)).uploadFile(join(world.granted, 'pets'));
  },
  firefox: (page, _world, files) =>
    page.evaluate(
      (selector, chosen) => {
        const input = document.querySelector(selector);
        const made = chosen.map(([path, bytes]) => {
          const file = new File([new Uint8Array(bytes)], path.split('/').at(-1));
          return Object.defineProperty(file, 'webkitRelativePath', { value: `pets/${path}` });
        });
        Object.defineProperty(input, 'files', { value: made, configurable: true });
        input.dispatchEvent(new Event('change'));
      },
      FOLDER_INPUT,
      files,
    ),
};

const typesOf = ({ description }) =>
  Object.fromEntries(description.columns.map(({ name, type }) => [name, type]));

export function packedJourneys(name, title) {
  scenario(
    `${title}: packed, columnar and array files say what is in them, and a packed table is trained on`,
    {
      browser: name,
      host: false,
      seconds: 120,
      prepare: (world) => world.write('waves.csv.gz', gzipSync(series(400))),
    },
    async ({ world, session, observer }) => {
      const ui = new Ui(await session.openDashboard());
      const ready = async (file) => {
        await ui.pickFile(file);
        const state = await observer.until(({ phase }) => phase === 'ready', file, 30);
        await observer.call({ type: 'dataset.close' });
        await observer.until(({ phase }) => phase === 'empty', 'the page to be empty');
        return state;
      };
      for (const file of ['snappy.parquet', 'zstd.feather', 'lz4.feather']) {
        const { description } = await ready(join(golden, file));
        assert.equal(description.rows, file === 'lz4.feather' ? 3000 : 40, file);
        const { float, word, when } = typesOf({ description });
        assert.deepEqual([float, word, when], ['number', 'category', 'datetime'], file);
      }
      const arrays = await ready(join(golden, 'arrays.npz'));
      assert.equal(arrays.description.rows, 4);
      const names = arrays.description.columns.map(({ name }) => name);
      assert.deepEqual(names, ['x_0', 'x_1', 'x_2', 'y']);

      await ui.pickFile(join(golden, 'arrays.npz'));
      await ui.wait('arrays');
      await ui.page.click('[data-testid="arrays"] summary');
      const [x] = await ui.page.$$('[data-testid="array"]');
      await x.click();
      await ui.click('arrays-read');
      const chosen = await observer.until(
        ({ phase, description }) => phase === 'ready' && description.columns.length === 1,
        'the other array alone',
      );
      assert.deepEqual(
        chosen.arrays.map(({ name, read }) => [name, read]),
        [
          ['x', false],
          ['y', true],
        ],
      );
      await observer.call({ type: 'dataset.close' });

      await ui.pickFile(join(world.granted, 'waves.csv.gz'));
      await observer.until(({ phase }) => phase === 'ready', 'the packed table', 30);
      await ui.train({ target: 'value', lookBack: 14, horizon: 1, epochs: 2, device: 'cpu' });
      const end = await observer.until(({ phase }) => phase === 'finished', 'the run', 60);
      assert.equal(end.progress.epoch, 2);
    },
  );

  scenario(
    `${title}: a folder of pictures becomes pixels and classes, and what is none is told`,
    { browser: name, host: false, seconds: 60 },
    async ({ world, session, observer }) => {
      const page = await session.openDashboard();
      const pictures = await page.evaluate(paint, ['#ff0000', '#00ff00', '#0000ff']);
      const files = ['warm/1.png', 'cold/1.png', 'cold/2.png'].map((path, i) => [
        path,
        pictures[i],
      ]);
      files.push(['cold/3.png', [1, 2, 3]]);
      await page.waitForSelector(FOLDER_INPUT);
      await chooseFolder[name](page, world, files);
      const { description, source } = await observer.until(
        ({ phase }) => phase === 'ready',
        'pictures',
        30,
      );
      assert.equal(source.name, 'pets');
      assert.equal(description.rows, 3);
      const [image, kind] = description.columns;
      assert.equal(image.type, 'elements');
      assert.deepEqual([image.min, image.max], [0, 255]);
      assert.equal(kind.name, 'class');
      assert.equal(description.repairCount, 1);
      assert.match(description.repairs[0].message, /pets\/cold\/3\.png/);
    },
  );
}
