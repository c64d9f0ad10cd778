// A private world for one browser: a home folder with its own granted data folder, checkpoint store and host
// registration, so that a test touches nothing of the person's and nothing of another test's.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
export const BUILD = join(ROOT, 'build');
export const HOST_PROGRAM = join(BUILD, 'native/native_host/shadegrad-host');
export const HOST_NAME = 'io.shadegrad.host';
export const IDS = JSON.parse(readFileSync(join(ROOT, 'packaging/ids.json'), 'utf8'));

/** What a picker calls itself. */
const PICKER = 'shadegrad-pick';
const PROXY = fileURLToPath(new URL('./host_proxy.mjs', import.meta.url));

/** Variables that would lead the browser or the host out of the private home are overwritten or taken away. */
function privateEnvironment(home) {
  const env = { ...process.env, HOME: home };
  for (const name of Object.keys(env)) {
    if (/^(XDG_|SHADEGRAD_|DBUS_)/.test(name)) delete env[name];
  }
  mkdirSync(join(home, '.runtime'), { recursive: true, mode: 0o700 });
  return Object.assign(env, {
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_RUNTIME_DIR: join(home, '.runtime'),
  });
}

export class World {
  /** The folder of `home` is kept when the caller names it, and removed by close() otherwise. */
  constructor(home) {
    mkdirSync(join(BUILD, 'e2e'), { recursive: true });
    this.temporary = home === undefined;
    this.home = home ?? mkdtempSync(join(BUILD, 'e2e/home-'));
    mkdirSync(this.home, { recursive: true });
    this.profile = join(this.home, 'profile');
    this.downloads = join(this.home, 'downloads');
    mkdirSync(this.downloads, { recursive: true });
    this.env = privateEnvironment(this.home);
  }

  runHost(...args) {
    return execFileSync(HOST_PROGRAM, args, { env: this.env, encoding: 'utf8', stdio: 'pipe' });
  }

  /** Registers the host for the browser's private profile, by the host's own installer. */
  installHost(browser = 'chromium') {
    const profile = browser === 'firefox' ? [] : ['--profile', this.profile];
    return this.runHost('install', '--browser', browser, ...profile);
  }

  manifestPath(browser = 'chromium') {
    return browser === 'firefox'
      ? join(this.home, '.mozilla/native-messaging-hosts', `${HOST_NAME}.json`)
      : join(this.profile, 'NativeMessagingHosts', `${HOST_NAME}.json`);
  }

  /** Puts a program of ours between browser and host; `lines` are shell and see the host's command as "$@". */
  wrapHost(lines, browser = 'chromium') {
    const path = this.manifestPath(browser);
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    const wrapper = join(this.home, 'wrapped-host');
    const script = ['#!/bin/bash', `set -- '${manifest.path}' "$@"`, ...lines, ''].join('\n');
    writeFileSync(wrapper, script);
    chmodSync(wrapper, 0o755);
    writeFileSync(path, JSON.stringify({ ...manifest, path: wrapper }));
  }

  /** As wrapHost, with host_proxy.mjs doing what `plan` says. */
  proxyHost(plan, browser = 'chromium') {
    const file = join(this.home, 'plan.json');
    writeFileSync(file, JSON.stringify(plan));
    this.wrapHost([`exec '${process.execPath}' '${PROXY}' '${file}' "$@"`], browser);
  }

  /** The folder that the installer granted, and where a test's data goes. */
  get granted() {
    return join(this.home, 'Shadegrad');
  }

  /** Processes of the host that this world's browser started, without the pickers that they forked. */
  hostProcesses() {
    const mine = (pid) => {
      try {
        if (readFileSync(`/proc/${pid}/comm`, 'utf8') === `${PICKER}\n`) return false;
        const home = readFileSync(`/proc/${pid}/environ`, 'utf8')
          .split('\0')
          .includes(`HOME=${this.home}`);
        return home && readlinkSync(`/proc/${pid}/exe`) === HOST_PROGRAM;
      } catch {
        return false; // it has ended meanwhile
      }
    };
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && mine(name))
      .map(Number);
  }

  get rootName() {
    return basename(this.granted);
  }

  write(name, content) {
    const path = join(this.granted, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  close() {
    if (this.temporary) rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}
