// Small file systems of their own, as root: one that fills up, and one on a file that can lose its power.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Home } from './host.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const build = join(here, '../../../build/faults');

/** Runs a command as root: directly, or with sudo that asks for nothing. */
export function asRoot(...command) {
  const [program, ...args] = process.getuid() === 0 ? command : ['sudo', '-n', ...command];
  return execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
}

function own(path) {
  asRoot('chown', `${process.getuid()}:${process.getgid()}`, path);
}

/** A home on a file system of so many bytes. */
export class SmallHome extends Home {
  constructor(bytes) {
    super(mkdtempSync(join(tmpdir(), 'shadegrad-small-')));
    asRoot('mount', '-t', 'tmpfs', '-o', `size=${bytes},mode=0700`, 'tmpfs', this.path);
    own(this.path);
  }

  resize(bytes) {
    asRoot('mount', '-o', `remount,size=${bytes}`, this.path);
  }

  remove() {
    asRoot('umount', '-l', this.path);
    super.remove();
  }
}

/** A home on ext4 in a file, whose power can be cut: what was not synced is gone, as after a crash of the machine. */
export class FragileHome extends Home {
  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'shadegrad-power-'));
    const path = join(folder, 'home');
    super(path);
    this.folder = folder;
    this.image = join(folder, 'disk');
    writeFileSync(this.image, '');
    truncateSync(this.image, 128 * 1024 * 1024);
    asRoot('mkfs.ext4', '-q', '-F', this.image);
    this.mount();
    own(path);
  }

  mount() {
    asRoot('mount', '-o', 'loop', this.image, this.path);
  }

  /** From here on nothing reaches the disk, not even the journal's last words. */
  cutPower() {
    asRoot(cutter(), this.path);
  }

  /** Starts again, as after a reboot: the journal is played back. The killed host's picker may take a moment to go. */
  async reboot() {
    for (let tries = 1; ; tries += 1) {
      try {
        asRoot('umount', this.path);
        break;
      } catch (error) {
        if (tries === 100) throw error;
        await sleep(20);
      }
    }
    this.mount();
  }

  remove() {
    asRoot('umount', '-l', this.path);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

let program = null;

/** The program that calls FS_IOC_SHUTDOWN, built once. */
function cutter() {
  if (program !== null) return program;
  mkdirSync(build, { recursive: true });
  program = join(build, 'cut_power');
  execFileSync('g++', [
    '-std=c++20',
    '-Wall',
    '-Werror',
    '-o',
    program,
    join(here, 'cut_power.cpp'),
  ]);
  return program;
}
