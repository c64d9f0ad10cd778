// A desktop for one world: a private session bus, and on it a portal that a test moves in a person's place. Chromium and
// the host that it starts find the bus by the usual variable.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { BUILD } from './world.mjs';

const PORTAL = join(BUILD, 'native/tests/fake_portal');

const config = (
  socket,
) => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=${socket}</listen><auth>EXTERNAL</auth><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`;

/** A program whose lines are awaited one by one. */
class Lines {
  constructor(program, args, env) {
    this.process = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  async next() {
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`${this.process.spawnfile} has ended`);
    return value;
  }

  say(line) {
    this.process.stdin.write(`${line}\n`);
  }

  close() {
    this.process.kill('SIGKILL');
  }
}

export class Desktop {
  /** Starts in `world`, and leads its browser there: to be called before the browser starts. */
  static async of(world) {
    const file = join(world.home, 'bus.conf');
    // A socket's path may have 107 bytes.
    const socket = join(world.env.XDG_RUNTIME_DIR, 'bus');
    writeFileSync(file, config(socket));
    const bus = new Lines(
      '/usr/bin/dbus-daemon',
      [`--config-file=${file}`, '--nofork', '--print-address=1'],
      world.env,
    );
    await bus.next();
    world.env.DBUS_SESSION_BUS_ADDRESS = `unix:path=${socket}`;
    const portal = new Lines(PORTAL, [], world.env);
    assert.equal(await portal.next(), 'ready');
    return new Desktop(bus, portal);
  }

  constructor(bus, portal) {
    this.bus = bus;
    this.portal = portal;
  }

  /** Waits until a dialog for a folder or a file is shown. */
  async shown(kind) {
    let line = await this.portal.next();
    while (!line.startsWith('open ')) line = await this.portal.next();
    assert.match(line, new RegExp(`directory=${kind === 'folder' ? 1 : 0}.*read a ${kind}$`));
  }

  /** Waits until the open dialog was taken off the screen. */
  async closed() {
    assert.equal(await this.portal.next(), 'close');
  }

  pick(path) {
    this.portal.say(`pick ${pathToFileURL(path)}`);
  }

  cancel() {
    this.portal.say('cancel');
  }

  close() {
    this.portal.close();
    this.bus.close();
  }
}
