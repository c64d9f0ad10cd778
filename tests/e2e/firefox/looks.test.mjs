// The states of popup and dashboard in Firefox: no rule of accessibility is broken there either. Its driver cannot keep a
// page from its worker, so those without one are seen in Chromium only.
import assert from 'node:assert/strict';
import { violations } from '../lib/axe.mjs';
import { SCENES, showScene } from '../lib/scenes.mjs';
import { scenario } from '../lib/scenario.mjs';

scenario(
  'every state breaks no rule of accessibility',
  { browser: 'firefox', host: false, seconds: 240 },
  async ({ session, observer, page: first }) => {
    await first.close();
    const broken = [];
    for (const scene of SCENES.filter(({ connection }) => connection === 'connected')) {
      const page = await showScene(session, observer, scene, (one) =>
        one.setViewport({ width: scene.width, height: 800 }),
      );
      for (const one of await violations(page)) broken.push(`${scene.page}-${scene.name}: ${one}`);
      await page.close();
    }
    assert.deepEqual(broken, []);
  },
);
