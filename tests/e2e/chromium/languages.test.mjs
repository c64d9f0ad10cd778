// The pages in another language: every text is of it, and there is room for its longer words. A browser without that
// language's own texts speaks English, so the package here has the other ones in English's place.
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXTENSION } from '../lib/chromium.mjs';
import { beyondTheEdge, cutTexts } from '../lib/edges.mjs';
import { SCENES, showScene } from '../lib/scenes.mjs';
import { scenario } from '../lib/scenario.mjs';
import { ROOT } from '../lib/world.mjs';

const messages = (language) =>
  JSON.parse(
    readFileSync(join(ROOT, `extension/public/_locales/${language}/messages.json`), 'utf8'),
  );
const english = messages('en');
const isPopup = ({ page }) => page === 'popup';
/** German has the longest words: where they have room, the others' have it too, but for the narrow popup's. */
const LANGUAGES = {
  de: { name: 'German', scenes: SCENES },
  es: { name: 'Spanish', scenes: SCENES.filter(isPopup) },
  zh_CN: { name: 'Chinese', scenes: SCENES.filter(isPopup) },
};

/** Runs in the page: texts, and what is read out in their place. */
const allTexts = () =>
  [...document.body.querySelectorAll('*')].flatMap((element) => [
    ...[...element.childNodes]
      .filter(({ nodeType }) => nodeType === 3)
      .map(({ data }) => data.trim()),
    ...['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
  ]);

/** English texts that stand in the page as they are, and are others in this language. */
function englishIn(shown, own, names) {
  // An English word may be one of this language too.
  const known = new Set([...Object.values(own).map(({ message }) => message), ...names]);
  return Object.keys(english)
    .filter((key) => english[key].message !== own[key]?.message)
    .map((key) => english[key].message)
    .filter((text) => !text.includes('$') && /[a-z]{3}/i.test(text))
    .filter((text) => shown.has(text) && !known.has(text));
}

/** A copy of the package that speaks this language. */
const speak = (language) => (world) => {
  world.extension = join(world.home, language);
  cpSync(EXTENSION, world.extension, { recursive: true });
  const texts = (of) => join(world.extension, `_locales/${of}/messages.json`);
  cpSync(texts(language), texts('en'));
};

/** What German makes of sentences that are put together from parts. */
const GERMAN = {
  'popup-finished': ['#verdict', /^15% besser als Wiederholen des letzten Jahres /],
  'dashboard-error': ['.notice', /^Der Datenträger ist voll.*Einzelheiten.*seattle-weather-180/],
};

for (const [language, { name: title, scenes }] of Object.entries(LANGUAGES))
  scenario(
    `in ${title} every text is ${title}, none is cut and nothing lies beyond the edge`,
    { host: false, seconds: 180, prepare: speak(language) },
    async ({ session, observer, page: first }) => {
      await first.close();
      const own = messages(language);
      const wrong = [];
      for (const scene of scenes) {
        const page = await showScene(session, observer, scene, (one) =>
          one.setViewport({ width: scene.width, height: 700 }),
        );
        const name = `${scene.page}-${scene.name}`;
        const lang = await page.evaluate(() => document.documentElement.lang);
        assert.equal(lang, own.language.message);
        const shown = new Set(await page.evaluate(allTexts));
        const tables = [scene.state?.description, scene.state?.firstRows];
        const names = tables.flatMap((table) => table?.columns ?? []).map((column) => column.name);
        const say = (what) => (text) => wrong.push(`${name}: ${what}: ${text}`);
        englishIn(shown, own, names).forEach(say('English is left'));
        (await page.evaluate(beyondTheEdge)).forEach(say(`beyond ${scene.width} px`));
        (await page.evaluate(cutTexts)).forEach(say('cut'));
        const [place, sentence] = (language === 'de' && GERMAN[name]) || [];
        if (place !== undefined)
          assert.match(await page.$eval(place, (one) => one.textContent), sentence);
        await page.close();
      }
      assert.deepEqual(wrong, []);
    },
  );
