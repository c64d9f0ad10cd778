// Real Chromium with the built extension in a private profile. A test gets a Session: how to open pages, the observer,
// and the problems that must be none at the end.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Observer } from './observer.mjs';
import { watchProblems } from './problems.mjs';
import { puppeteer } from './puppeteer.mjs';
import { BrowserSession } from './session.mjs';
import { BUILD, IDS } from './world.mjs';
import { startXvfb } from './xvfb.mjs';

export const EXTENSION = join(BUILD, 'extension/chrome');
export const ORIGIN = `chrome-extension://${IDS.chromium.development}/`;

const FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];

/** Puppeteer turns the throttling of hidden pages off by default: leaving these out is what a person's browser does. */
const THROTTLING = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
];

const POPUP = 'popup.html';
const isBackground = (target) =>
  target.type() === 'service_worker' && target.url().startsWith(ORIGIN);

export class ChromiumSession extends BrowserSession {
  static async launch(world, { headed = false, args = [] } = {}) {
    mkdirSync(world.profile, { recursive: true });
    const display = headed && process.env.DISPLAY === undefined ? await startXvfb() : null;
    const options = {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      headless: !headed,
      pipe: true,
      userDataDir: world.profile,
      enableExtensions: [world.extension ?? EXTENSION],
      networkEnabled: false,
      ignoreDefaultArgs: THROTTLING,
      args: [...FLAGS, ...args],
      env: display === null ? world.env : { ...world.env, DISPLAY: display.name },
      defaultViewport: null,
      downloadBehavior: { policy: 'allow', downloadPath: world.downloads },
    };
    const browser = await puppeteer.launch(options).catch((error) => {
      // A browser that dies before it has loaded anything of ours says nothing of it.
      if (error.name !== 'TargetCloseError') throw error;
      process.stderr.write(`Chromium died at its start, and is started again: ${error.message}\n`);
      return puppeteer.launch(options);
    });
    return new ChromiumSession(world, browser, display);
  }

  constructor(world, browser, display) {
    super(world, browser, display);
    this.kind = 'chromium';
    Object.assign(this, watchProblems(browser, ORIGIN));
  }

  async openPage(path) {
    const page = await this.browser.newPage();
    await this.goTo(page, path);
    return page;
  }

  /** For a moment after it was loaded the browser may still refuse pages of an extension. */
  async goTo(page, path) {
    const end = Date.now() + 10_000;
    for (;;) {
      try {
        await page.goto(ORIGIN + path);
        return;
      } catch (error) {
        if (Date.now() > end || !error.message.includes('ERR_BLOCKED_BY_CLIENT')) throw error;
      }
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  /** The popup's page in a tab: the same document, which stays open when another page is clicked. */
  openPopup() {
    return this.openPage(POPUP);
  }

  openDashboard() {
    return this.openPage('dashboard.html');
  }

  /** The popup as the toolbar's button opens it: over the page in front, and closed by the next click elsewhere. */
  async openRealPopup() {
    const pages = await this.browser.pages();
    await pages.at(-1)?.bringToFront();
    const isPopup = (target) => target.type() === 'page' && target.url().endsWith(POPUP);
    const known = new Set(this.browser.targets());
    const opened = this.browser.waitForTarget((target) => isPopup(target) && !known.has(target));
    const background = await this.#background();
    await background.evaluate(() => globalThis.chrome.action.openPopup());
    return (await opened).asPage();
  }

  /** Contexts of the type POPUP, as the browser itself counts them. */
  async openPopups() {
    const background = await this.#background();
    const list = () => globalThis.chrome.runtime.getContexts({ contextTypes: ['POPUP'] });
    return (await background.evaluate(list)) ?? [];
  }

  async closePopup(popup) {
    const closed = new Promise((done) => popup.once('close', done));
    await popup.evaluate(() => setTimeout(() => window.close(), 0));
    await closed;
  }

  /** A page in a window of its own. */
  async openWindow(path) {
    const url = ORIGIN + path;
    const known = new Set(this.browser.targets());
    const isNew = (target) => target.url() === url && !known.has(target);
    const opened = this.browser.waitForTarget(isNew);
    const background = await this.#background();
    await background.evaluate((one) => globalThis.chrome.windows.create({ url: one }), url);
    return (await opened).asPage();
  }

  async #background() {
    return (await this.browser.waitForTarget(isBackground)).worker();
  }

  /** The observer sits in a picture of the package: a document of the extension's origin without scripts. */
  async observe() {
    const page = await this.openPage('icons/16.png');
    return Observer.on(page);
  }

  /** Ends the service worker as the browser does after 30 idle seconds. */
  async stopBackground() {
    const target = this.browser.targets().find(isBackground);
    await this.letGo(target);
    await (await target.worker()).close();
  }
}
