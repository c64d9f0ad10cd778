// Real Firefox with the built extension, driven by WebDriver BiDi. Its background page and popup are no contexts there,
// so the popup's page is opened in a tab, and errors of the background are read from the browser's own console output.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Observer } from './observer.mjs';
import { puppeteer } from './puppeteer.mjs';
import { BrowserSession } from './session.mjs';
import { BUILD, IDS } from './world.mjs';
import { startXvfb } from './xvfb.mjs';

export const EXTENSION = join(BUILD, 'extension/firefox');
const UUID = '5b0d6f0e-52a4-4c1c-9d0a-7e1f3b2a9c01';
const ORIGIN = `moz-extension://${UUID}/`;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class FirefoxSession extends BrowserSession {
  /** Without a display Firefox has no WebGL, so an Xvfb is started where there is none. */
  static async launch(world) {
    mkdirSync(world.profile, { recursive: true });
    const display = process.env.DISPLAY === undefined ? await startXvfb() : null;
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
      headless: true,
      userDataDir: world.profile,
      args: ['-remote-allow-system-access'],
      env: display === null ? world.env : { ...world.env, DISPLAY: display.name },
      extraPrefsFirefox: {
        'extensions.webextensions.uuids': JSON.stringify({ [IDS.firefox]: UUID }),
        // An add-on installed for a test is gone after a restart: what it has stored must not be.
        'extensions.webextensions.keepStorageOnUninstall': true,
        'extensions.webextensions.keepUuidOnUninstall': true,
        // The question for an optional permission stands outside of pages, where no driver could answer it.
        'extensions.webextOptionalPermissionPrompts': false,
        'devtools.console.stdout.content': true,
        'browser.download.folderList': 2,
        'browser.download.dir': world.downloads,
      },
      defaultViewport: null,
    });
    const session = new FirefoxSession(world, browser, display);
    await browser.installExtension(EXTENSION);
    return session;
  }

  constructor(world, browser, display) {
    super(world, browser, display);
    this.kind = 'firefox';
    this.problems = [];
    // Firefox writes its own troubles there too: what pages log is quoted, what they throw names their address.
    const isOurs = (line) =>
      /^console\.(error|assert): "/.test(line) ||
      (line.startsWith('JavaScript error') && line.includes(ORIGIN));
    const read = (data) => this.problems.push(...String(data).split('\n').filter(isOurs));
    browser.process()?.stdout?.on('data', read);
    browser.process()?.stderr?.on('data', read);
  }

  /** goto() never sees a 'load' of a moz-extension page, but the page is there: wait for its document instead. */
  async openPage(path) {
    const page = await this.browser.newPage();
    page.on('pageerror', (error) => this.problems.push(`${path}: uncaught ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error')
        this.problems.push(`${path}: console.error: ${message.text()}`);
    });
    await this.goTo(page, path);
    return page;
  }

  async goTo(page, path) {
    await page.goto(ORIGIN + path, { timeout: 500 }).catch(() => {});
    for (let tries = 0; tries < 100; tries += 1) {
      const ready = await page
        .evaluate(() => `${document.readyState} ${document.URL}`)
        .catch(() => '');
      if (ready === `complete ${ORIGIN}${path}`) return;
      await pause(50);
    }
    throw new Error(`Firefox did not open ${path}`);
  }

  openPopup() {
    return this.openPage('popup.html');
  }

  openDashboard() {
    return this.openPage('dashboard.html');
  }

  async observe() {
    return Observer.on(await this.openPage('icons/16.png'));
  }
}
