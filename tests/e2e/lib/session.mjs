// What a browser under test is, whichever it is: a process with a private profile that can die, come again and be closed.

/** How long a browser may take to close by itself. */
const PATIENCE = 8000;

export class BrowserSession {
  constructor(world, browser, display) {
    this.world = world;
    this.browser = browser;
    this.display = display;
  }

  /** The browser dies at once, as in a crash or a power cut of its own. */
  async kill() {
    const process = this.browser.process();
    const gone = new Promise((done) => process.once('exit', done));
    process.kill('SIGKILL');
    await gone;
    this.display?.stop();
  }

  /** The browser is started again with the same profile. */
  relaunch() {
    return this.constructor.launch(this.world);
  }

  async close() {
    const process = this.browser.process();
    const late = setTimeout(() => process?.kill('SIGKILL'), PATIENCE);
    await this.browser.close().catch(() => {});
    clearTimeout(late);
    this.display?.stop();
  }
}
