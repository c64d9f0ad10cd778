// Every state of popup and dashboard in both colour schemes: no rule of accessibility is broken, nothing is cut or wider
// than its window, of the dashboard in narrow ones too, and a picture of each lies in build/screens afterwards, to be
// looked at.
import assert from 'node:assert/strict';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { violations } from '../lib/axe.mjs';
import { beyondTheEdge, cutTexts } from '../lib/edges.mjs';
import { SCENES, showScene } from '../lib/scenes.mjs';
import { scenario } from '../lib/scenario.mjs';
import { BUILD } from '../lib/world.mjs';

const SCREENS = join(BUILD, 'screens');
/** Only colours differ between the schemes. */
const RULES = { light: null, dark: ['color-contrast'] };

/** Of a dashboard that shares the screen, or is on a small one. */
const NARROW = [800, 600, 360];

/** What cannot be read or reached at this width. */
async function missed(page) {
  const wide = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? [`the page is ${scrollWidth} px wide`] : [];
  });
  const outside = (await page.evaluate(beyondTheEdge)).map((what) => `beyond the edge: ${what}`);
  const cut = (await page.evaluate(cutTexts)).map((what) => `cut: ${what}`);
  return [...wide, ...outside, ...cut];
}

/** Charts take a frame to follow. */
async function narrowed(page, width) {
  await page.setViewport({ width, height: 900 });
  await page.evaluate(
    () =>
      new Promise((done) =>
        globalThis.requestAnimationFrame(() => globalThis.requestAnimationFrame(done)),
      ),
  );
}

/** The media features of a person with this scheme, and nothing that still moves in a picture. */
const features = (scheme) => [
  { name: 'prefers-color-scheme', value: scheme },
  { name: 'prefers-reduced-motion', value: 'reduce' },
];

scenario(
  'every state breaks no rule of accessibility, fits its window, and is pictured in light and dark',
  { host: false, seconds: 300 },
  async ({ session, observer, page: first }) => {
    await first.close();
    mkdirSync(SCREENS, { recursive: true });
    const broken = [];
    for (const scene of SCENES) {
      const page = await showScene(session, observer, scene, (one) =>
        one.setViewport({ width: scene.width, height: scene.page === 'popup' ? 600 : 900 }),
      );
      const name = `${scene.page}-${scene.name}`;
      for (const [scheme, rules] of Object.entries(RULES)) {
        await page.emulateMediaFeatures(features(scheme));
        for (const one of await violations(page, rules)) broken.push(`${name} ${scheme}: ${one}`);
        const path = join(SCREENS, `${name}-${scheme}.png`);
        await page.screenshot({ path, fullPage: scene.page === 'dashboard' });
        assert.ok(statSync(path).size > 1000, `${path} is a picture`);
      }
      const said = (width) => (what) => broken.push(`${name} at ${width} px: ${what}`);
      (await missed(page)).forEach(said(scene.width));
      await page.emulateMediaFeatures(features('light'));
      for (const width of scene.page === 'dashboard' ? NARROW : []) {
        await narrowed(page, width);
        (await missed(page)).forEach(said(width));
      }
      if (scene.page === 'dashboard')
        await page.screenshot({ path: join(SCREENS, `${name}-narrow.png`), fullPage: true });
      await page.close();
    }
    assert.deepEqual(broken, []);
  },
);
