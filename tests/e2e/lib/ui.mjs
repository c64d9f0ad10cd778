// A page of the extension as a person works it: everything is found by its data-testid and done by mouse and keyboard.
import { basename } from 'node:path';

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const byId = (id) => `[data-testid="${id}"]`;

export class Ui {
  /** `tab` pages must come to the front to take input; a real popup would close if another page did. */
  constructor(page, { tab = true } = {}) {
    this.page = page;
    this.tab = tab;
  }

  async front() {
    if (this.tab) await this.page.bringToFront();
  }

  visible(id) {
    const isShown = (selector) => {
      const element = document.querySelector(selector);
      return element !== null && element.getClientRects().length > 0;
    };
    return this.page.evaluate(isShown, byId(id));
  }

  async wait(id, seconds = 20) {
    const end = Date.now() + seconds * 1000;
    while (Date.now() < end) {
      if (await this.visible(id)) return;
      await pause(50);
    }
    throw new Error(
      `'${id}' was not shown for ${seconds} s; the page says: ${(await this.allText()).slice(0, 3000)}`,
    );
  }

  /** The page's text as it is shown. */
  allText() {
    return this.page.evaluate(() => document.body.innerText.replace(/\s+/g, ' '));
  }

  text(id) {
    const read = (selector) => document.querySelector(selector)?.textContent?.trim() ?? null;
    return this.page.evaluate(read, byId(id));
  }

  texts(id) {
    const read = (selector) =>
      [...document.querySelectorAll(selector)].map((one) => one.textContent.trim());
    return this.page.evaluate(read, byId(id));
  }

  /** Values of a select's options that can be chosen. */
  enabledOptions(id) {
    const read = (selector) =>
      [...document.querySelector(selector).options]
        .filter((option) => !option.disabled)
        .map((option) => option.value);
    return this.page.evaluate(read, byId(id));
  }

  /** Waits until the element's text matches, and returns it. */
  async waitText(id, pattern, seconds = 20) {
    const end = Date.now() + seconds * 1000;
    let text = null;
    while (Date.now() < end) {
      text = await this.text(id);
      if (text !== null && pattern.test(text)) return text;
      await pause(50);
    }
    throw new Error(`'${id}' did not say ${pattern} within ${seconds} s, but '${text}'`);
  }

  /** "code: message" of every notice that the page shows. */
  notices() {
    const read = (selector) =>
      [...document.querySelectorAll(selector)].map(
        (one) => `${one.dataset.code}: ${one.querySelector('p').textContent}`,
      );
    return this.page.evaluate(read, byId('notice'));
  }

  async waitNotice(pattern, seconds = 20) {
    const end = Date.now() + seconds * 1000;
    let shown = [];
    while (Date.now() < end) {
      shown = await this.notices();
      const found = shown.find((text) => pattern.test(text));
      if (found !== undefined) return found;
      await pause(50);
    }
    throw new Error(
      `no notice matched ${pattern} within ${seconds} s, there were: ${shown.join(' | ')}`,
    );
  }

  /** Clicks once the element is shown and enabled; a screen that changes meanwhile is a reason to look again. */
  async click(id, seconds = 20) {
    await this.wait(id, seconds);
    await this.front();
    const end = Date.now() + seconds * 1000;
    for (;;) {
      try {
        const button = await this.page.waitForSelector(`${byId(id)}:enabled`, { timeout: 1000 });
        await button.click();
        return;
      } catch (error) {
        if (Date.now() > end) throw new Error(`'${id}' cannot be clicked`, { cause: error });
      }
    }
  }

  /** Clicks the one of many elements whose text contains `text`. */
  async clickNamed(id, text, seconds = 20) {
    await this.front();
    const end = Date.now() + seconds * 1000;
    while (Date.now() < end) {
      for (const element of await this.page.$$(byId(id))) {
        const content = await element.evaluate((one) => one.textContent);
        if (!content.includes(text)) continue;
        await element.click();
        return;
      }
      await pause(50);
    }
    throw new Error(`no '${id}' says '${text}'; there are: ${(await this.texts(id)).join(' | ')}`);
  }

  async fill(id, value) {
    await this.page.evaluate((selector) => {
      document.querySelector(selector)?.closest('details')?.setAttribute('open', '');
    }, byId(id));
    await this.wait(id);
    await this.front();
    await this.page.locator(byId(id)).fill(String(value));
  }

  /** By click and keys, as a person does: while a page's parts are still arriving, a locator's fill may wait for ever. */
  async type(id, value) {
    await this.front();
    const field = await this.page.waitForSelector(byId(id), { visible: true, timeout: 20_000 });
    await field.click({ count: 3 });
    await field.type(String(value));
  }

  async select(id, value) {
    await this.page.evaluate((selector) => {
      document.querySelector(selector)?.closest('details')?.setAttribute('open', '');
    }, byId(id));
    await this.wait(id);
    await this.page.select(byId(id), value);
  }

  /** Hands a file to the page's file input, as the file chooser would. */
  async pickFile(path) {
    await this.page.waitForSelector(byId('file-input'), { timeout: 20_000 });
    const input = await this.page.$(byId('file-input'));
    await input.uploadFile(path);
    return basename(path);
  }

  /** Opens the list of the host's granted folders and picks a file in it; folders on the way are opened. */
  async pickFromHost(path) {
    await this.click('host-open');
    const parts = path.split('/');
    for (const [i, part] of parts.entries()) {
      await this.clickNamed('host-entry', i < parts.length - 1 ? `${part}/` : part);
    }
  }

  /** Sets what differs from the first choices, and presses Train. */
  async train({
    target,
    task,
    epochs,
    lookBack,
    horizon,
    device,
    hidden,
    seed,
    learningRate,
  } = {}) {
    await this.wait('train', 30);
    if (target !== undefined) await this.select('target', target);
    // Without dates a page takes rows for a table's.
    if (task ?? lookBack ?? horizon) await this.select('task', task ?? 'forecast');
    if (lookBack !== undefined) await this.fill('look-back', lookBack);
    if (horizon !== undefined) await this.fill('horizon', horizon);
    if (epochs !== undefined) await this.fill('epochs', epochs);
    if (learningRate !== undefined) await this.fill('learning-rate', learningRate);
    if (seed !== undefined) await this.fill('seed', seed);
    if (device !== undefined) await this.select('device-choice', device);
    if (hidden !== undefined) await this.fillModelField('hidden', hidden);
    await this.click('train');
  }

  async fillModelField(name, value) {
    const selector = `${byId('model-field')}[data-field="${name}"]`;
    await this.page.locator(selector).fill(String(value));
  }
}
