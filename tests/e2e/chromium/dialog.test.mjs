// Adding a folder by the desktop's own dialog, from the click to the file that is read: the page, the background, the host
// that ends and the next one, the picker, a real session bus, and a portal in the person's hands.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { series } from '../lib/data.mjs';
import { Desktop } from '../lib/desktop.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';

const desktops = new WeakMap();

/** A folder outside of what is granted, with a file in it, and a desktop to pick it on. */
async function prepare(world) {
  mkdirSync(join(world.home, 'elsewhere/mine'), { recursive: true });
  writeFileSync(join(world.home, 'elsewhere/mine/waves.csv'), series(200));
  writeFileSync(join(world.home, 'elsewhere/beside.csv'), series(200));
  desktops.set(world, await Desktop.of(world));
}

/** No bus is in a world's own home; a display may be, outside of it. */
function withoutDisplay(world) {
  delete world.env.DISPLAY;
  delete world.env.WAYLAND_DISPLAY;
}

const withDesktop = (body) => async (session) => {
  const desktop = desktops.get(session.world);
  try {
    await body({ ...session, desktop, ui: new Ui(session.page) });
  } finally {
    desktop.close();
  }
};

scenario(
  'a folder that the person picks in the desktop’s dialog is listed, and the file in it is read',
  { prepare },
  withDesktop(async ({ world, observer, desktop, ui }) => {
    await ui.wait('dialog-folder');
    const [before] = world.hostProcesses();
    await ui.click('dialog-folder');
    await desktop.shown('folder');
    await ui.waitText('dialog-state', /pick the folder there/);
    await observer.until((state) => state.host.dialog === 'folder', 'every page to know');
    desktop.pick(join(world.home, 'elsewhere/mine'));
    await ui.waitText('dialog-state', /may now read the folder “mine”/);
    const state = await observer.until((one) => one.host.roots.includes('mine'), 'the next host');
    assert.equal(state.host.state, 'connected');
    assert.deepEqual(
      state.notices.filter(({ code }) => code.startsWith('host.')),
      [],
      'nothing is said of the host that ended',
    );
    assert.notEqual(world.hostProcesses()[0], before);
    await ui.clickNamed('host-entry', 'mine/');
    await ui.clickNamed('host-entry', 'waves.csv');
    const ready = await observer.until((one) => one.phase === 'ready', 'the file');
    assert.equal(ready.description.rows, 200);
    assert.equal(ready.source.path, 'mine/waves.csv');
  }),
);

scenario(
  'a dialog is closed by the page or cancelled by the person, and then a file alone is granted',
  { prepare },
  withDesktop(async ({ world, observer, desktop, ui }) => {
    await ui.wait('dialog-file');
    const [before] = world.hostProcesses();
    await ui.click('dialog-file');
    await desktop.shown('file');
    await ui.click('dialog-cancel');
    await desktop.closed();
    await ui.waitText('dialog-state', /Nothing was added/);
    await ui.click('dialog-file');
    await desktop.shown('file');
    desktop.cancel();
    await ui.waitText('dialog-state', /Nothing was added/);
    assert.equal(world.hostProcesses()[0], before, 'the host went on');
    await ui.click('dialog-file');
    await desktop.shown('file');
    desktop.pick(join(world.home, 'elsewhere/beside.csv'));
    await ui.waitText('dialog-state', /may now read the file “beside.csv”/);
    await ui.clickNamed('host-entry', 'beside.csv');
    const ready = await observer.until((one) => one.phase === 'ready', 'the file');
    assert.equal(ready.source.path, 'beside.csv');
  }),
);

scenario(
  'without a desktop the page names the command to type',
  { prepare: withoutDisplay },
  async ({ page }) => {
    const ui = new Ui(page);
    await ui.wait('dialog-folder');
    await ui.click('dialog-folder');
    await ui.waitText(
      'dialog-state',
      /No file chooser can be shown here.*shadegrad-host grant DIR$/,
    );
  },
);
