import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const build = fileURLToPath(new URL('../../extension/build.mjs', import.meta.url));
const run = (...options: string[]): Promise<unknown> =>
  promisify(execFile)(process.execPath, [build, ...options]);

let folder: string;
const read = (...path: string[]): string => readFileSync(join(folder, 'out', ...path), 'utf8');

const files = (core: string): string[] => [`${core}.mjs`, `${core}.wasm`];
const THREADS = [...files('core_threads'), 'core_threads.worker.js'];
const CORES = [files('core'), files('core_relaxed'), THREADS];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'extension-'));
  // The modules are copied as they are.
  for (const name of CORES.flat()) writeFileSync(join(folder, name), name);
  await run('--core', folder, '--out', join(folder, 'out'));
}, 120_000);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('the build', () => {
  test.each(['chrome', 'firefox'])('makes a whole package for %s', (browser) => {
    const manifest = JSON.parse(read(browser, 'manifest.json')) as { manifest_version: number };
    expect(manifest.manifest_version).toBe(3);
    expect(read(browser, 'core.wasm')).toBe('core.wasm');
    expect(read(browser, 'training.js')).toContain('import("./core.mjs")');
    expect(read(browser, 'training.js')).toContain('2012-01-01,0.0,12.8,5.0,4.7,drizzle');
    expect(read(browser, 'notices.txt')).toMatch(/uplot[^]*MIT[^]*vega-datasets[^]*BSD-3-Clause/);
  });

  test('gives each browser its own background and no more', () => {
    const there = (browser: string, name: string): boolean =>
      existsSync(join(folder, 'out', browser, name));
    expect(there('chrome', 'service_worker.js') && there('chrome', 'offscreen.html')).toBe(true);
    expect(there('firefox', 'event_page.js')).toBe(true);
    expect(there('firefox', 'offscreen.html') || there('firefox', 'service_worker.js')).toBe(false);
    expect(there('chrome', 'event_page.js')).toBe(false);
  });

  test('gives each browser the core modules that it can run and no more', () => {
    const cores = (browser: string): string[] =>
      readdirSync(join(folder, 'out', browser)).filter((name) => name.startsWith('core'));
    expect(cores('chrome').sort()).toEqual([...files('core'), ...THREADS].sort());
    expect(cores('firefox').sort()).toEqual([...files('core'), ...files('core_relaxed')].sort());
    expect(read('chrome', 'training.js')).toContain('import("./core_threads.mjs")');
    expect(read('chrome', 'training.js')).not.toContain('import("./core_relaxed.mjs")');
    expect(read('firefox', 'training.js')).toContain('import("./core_relaxed.mjs")');
    expect(read('firefox', 'training.js')).not.toContain('import("./core_threads.mjs")');
  });

  test('is the same every time', async () => {
    const first = read('chrome', 'training.js') + read('chrome', 'manifest.json');
    await run('--browser', 'chrome', '--core', folder, '--out', join(folder, 'out'));
    expect(read('chrome', 'training.js') + read('chrome', 'manifest.json')).toBe(first);
  }, 60_000);

  test('says what to do when the core is not built', async () => {
    const nowhere = join(folder, 'nowhere');
    const failing = run('--core', nowhere, '--out', join(folder, 'other'));
    await expect(failing).rejects.toMatchObject({
      stderr: expect.stringMatching(/core_\w+\.mjs does not exist: build the core first/),
    });
  }, 60_000);

  test('names an unknown browser', async () => {
    await expect(run('--browser', 'netscape')).rejects.toMatchObject({
      stderr: expect.stringMatching(/There is no browser 'netscape'/),
    });
  }, 60_000);
});
