// The pages in another language: every text is of it, and there is room for its longer words. A browser without that
// language's own texts speaks English, so the package here has the German ones in English's place.
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXTENSION } from '../lib/chromium.mjs';
import { beyondTheEdge } from '../lib/edges.mjs';
import { SCENES, showScene } from '../lib/scenes.mjs';
import { scenario } from '../lib/scenario.mjs';
import { ROOT } from '../lib/world.mjs';

const messages = (language) =>
  JSON.parse(
    readFileSync(join(ROOT, `extension/public/_locales/${language}/messages.json`), 'utf8'),
  );
const [english, german] = [messages('en'), messages('de')];
/** English texts that stand as they are, and whose German is another. */
const ENGLISH = Object.keys(english)
  .filter((key) => english[key].message !== german[key].message)
  .map((key) => english[key].message)
  .filter((text) => !text.includes('$') && /[a-z]{3}/i.test(text));
/** An English word may be a German one too. */
const GERMAN = new Set(Object.values(german).map(({ message }) => message));

/** Runs in the page: texts, and what is read out in their place. */
const allTexts = () =>
  [...document.body.querySelectorAll('*')].flatMap((element) => [
    ...[...element.childNodes]
      .filter(({ nodeType }) => nodeType === 3)
      .map(({ data }) => data.trim()),
    ...['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
  ]);

/** A copy of the package that speaks German. */
function speakGerman(world) {
  world.extension = join(world.home, 'german');
  cpSync(EXTENSION, world.extension, { recursive: true });
  const texts = (language) => join(world.extension, `_locales/${language}/messages.json`);
  cpSync(texts('de'), texts('en'));
}

scenario(
  'in German every text is German and nothing lies beyond the edge',
  { host: false, seconds: 180, prepare: speakGerman },
  async ({ session, observer, page: first }) => {
    await first.close();
    for (const scene of SCENES) {
      const page = await showScene(session, observer, scene, (one) =>
        one.setViewport({ width: scene.width, height: 700 }),
      );
      const name = `${scene.page}-${scene.name}`;
      assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
      const shown = new Set(await page.evaluate(allTexts));
      const tables = [scene.state?.description, scene.state?.firstRows];
      const columns = tables.flatMap((table) => table?.columns ?? []).map((column) => column.name);
      const known = new Set([...GERMAN, ...columns]);
      const left = ENGLISH.filter((text) => shown.has(text) && !known.has(text));
      assert.deepEqual(left, [], `${name}: English is left`);
      assert.deepEqual(await page.evaluate(beyondTheEdge), [], `${name} at ${scene.width} px`);
      if (name === 'popup-finished')
        assert.match(
          await page.$eval('#verdict', (one) => one.textContent),
          /^15% besser als Wiederholen des letzten Jahres /,
        );
      if (name === 'dashboard-error') {
        const notice = await page.$eval('.notice', (one) => one.textContent);
        assert.match(notice, /^Der Datenträger ist voll.*Einzelheiten.*seattle-weather-180/);
      }
      await page.close();
    }
  },
);
