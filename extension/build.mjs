// Builds the extension for one browser or all: bundles the sources, copies pages, icons and the core module, writes the
// manifest and the notices of what is bundled, and fails when a file that the manifest or a page names is missing.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { BROWSERS, filesOf, manifestFor } from './manifest.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);

const { values: options } = parseArgs({
  options: {
    browser: { type: 'string', default: 'all' },
    core: { type: 'string', default: join(root, 'build/wasm/wasm') },
    out: { type: 'string', default: join(root, 'build/extension') },
  },
});

/** What each browser's build contains beside the pages. */
const ENTRIES = {
  chrome: {
    service_worker: 'src/background/service_worker.ts',
    offscreen: 'src/background/offscreen.ts',
  },
  firefox: { event_page: 'src/background/event_page.ts' },
};
const COMMON = {
  training: 'src/training/worker.ts',
  popup: 'src/popup/popup.ts',
  dashboard: 'src/dashboard/dashboard.ts',
};
/** Pages that only one browser has. */
const PAGES_OF = { 'offscreen.html': 'chrome' };
const TARGETS = { chrome: 'chrome116', firefox: 'firefox142' };
/** The core modules that a browser can run (src/training/core_choice.ts): the best, and one that always runs. */
const CORES = { chrome: ['core_threads', 'core'], firefox: ['core_relaxed', 'core'] };

/**
 * The core modules stay out of the bundle, since each finds its .wasm beside itself; examples come from a package.
 * @param {string[]} cores
 */
const ownImports = (cores) => ({
  name: 'own-imports',
  /** @param {import('esbuild').PluginBuild} bundler */
  setup(bundler) {
    bundler.onResolve({ filter: /^#core$/ }, () => ({ path: 'cores', namespace: 'cores' }));
    bundler.onLoad({ filter: /^cores$/, namespace: 'cores' }, () => ({
      contents: `export default {${cores.map((name) => `${name}: () => import('./${name}.mjs')`).join(', ')}};`,
    }));
    bundler.onResolve({ filter: /^\.\/core\w*\.mjs$/, namespace: 'cores' }, ({ path }) => ({
      path,
      external: true,
    }));
    bundler.onResolve({ filter: /^#example\// }, ({ path }) => ({
      path: join(here, 'node_modules/vega-datasets/data', path.slice('#example/'.length)),
    }));
  },
});

/**
 * Parts of libraries that are never reached here and that the policy or the store's linter would refuse: zip.js's own
 * workers (our worker unpacks by itself) and Arrow's checks of values to be written, which it makes from text.
 */
const LEFT_OUT = [
  { file: /zip\.js\/lib\/core\/codec-worker-web\.js$/, contents: '' },
  {
    file: /apache-arrow\/builder\/valid\.mjs$/,
    contents: `export function createIsValidFunction() { throw new Error('Arrow is only read here.'); }`,
  },
];
/** And what zip.js would load by an address that a caller gives: here none does. */
const LOADED = {
  file: /zip\.js\/lib\/core\/codec-registry\.js$/,
  call: /await import\([^)]*codecURI\)/,
};

const leaveOut = {
  name: 'leave-out',
  /** @param {import('esbuild').PluginBuild} bundler */
  setup(bundler) {
    for (const { file, contents } of LEFT_OUT) {
      bundler.onLoad({ filter: file }, () => ({ contents, loader: 'js' }));
    }
    bundler.onLoad({ filter: LOADED.file }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!LOADED.call.test(source))
        throw new Error(`${path} is not what it was: look at its imports.`);
      return { contents: source.replace(LOADED.call, '{}'), loader: 'js' };
    });
  },
};

/** @param {'chrome' | 'firefox'} browser */
async function buildFor(browser) {
  const out = join(resolve(options.out), browser);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await build({
    absWorkingDir: here,
    entryPoints: { ...COMMON, ...ENTRIES[browser] },
    outdir: out,
    bundle: true,
    format: 'esm',
    target: TARGETS[browser],
    charset: 'utf8',
    legalComments: 'eof',
    loader: { '.csv': 'text' },
    plugins: [ownImports(CORES[browser]), leaveOut],
    logLevel: 'warning',
  });
  copyPages(browser, out);
  for (const name of CORES[browser]) copyCore(name, out);
  const manifest = manifestFor(browser);
  writeFileSync(join(out, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(out, 'notices.txt'), notices());
  checkFiles(out, manifest);
  process.stdout.write(`built ${out}\n`);
}

/** @param {string} browser @param {string} out */
function copyPages(browser, out) {
  for (const name of readdirSync(join(here, 'public'))) {
    const only = /** @type {Record<string, string>} */ (PAGES_OF)[name];
    if (only !== undefined && only !== browser) continue;
    cpSync(join(here, 'public', name), join(out, name), { recursive: true });
  }
  // uPlot's style sheet is linked by the pages: the policy allows style sheets of the package only.
  cpSync(join(here, 'node_modules/uplot/dist/uPlot.min.css'), join(out, 'uplot.css'));
}

/** A module's files; only one with threads has a worker's. @param {string} core @param {string} out */
function copyCore(core, out) {
  const worker = core === 'core_threads' ? ['.worker.js'] : [];
  for (const ending of ['.mjs', '.wasm', ...worker]) {
    const from = join(resolve(options.core), core + ending);
    if (!existsSync(from)) {
      throw new Error(`${from} does not exist: build the core first (packaging/build.sh core).`);
    }
    cpSync(from, join(out, core + ending));
  }
}

/** Licences of what is bundled, which are all dependencies: their text where the package has it, else their name. */
function notices() {
  const { dependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  return [...bundled(Object.keys(dependencies)), 'vega-datasets']
    .map((name) => {
      const folder = join(here, 'node_modules', name);
      const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const text = readdirSync(folder).find((file) => /^licen[sc]e/i.test(file));
      const terms =
        text === undefined
          ? `License: ${license}`
          : readFileSync(join(folder, text), 'utf8').trim();
      return `${name} ${version}\n\n${terms}\n`;
    })
    .join('\n\n');
}

/** With what they depend on themselves; packages of types alone come into no bundle. @param {string[]} names */
function bundled(names) {
  const all = new Set();
  for (const waiting = [...names]; waiting.length > 0;) {
    const name = waiting.pop();
    if (name === undefined || name.startsWith('@types/') || all.has(name)) continue;
    all.add(name);
    const file = join(here, 'node_modules', name, 'package.json');
    waiting.push(...Object.keys(JSON.parse(readFileSync(file, 'utf8')).dependencies ?? {}));
  }
  return [...all].sort();
}

/** @param {string} out @param {Record<string, any>} manifest */
function checkFiles(out, manifest) {
  const named = [...filesOf(manifest)];
  for (const page of readdirSync(out).filter((name) => name.endsWith('.html'))) {
    const markup = readFileSync(join(out, page), 'utf8');
    for (const [, file] of markup.matchAll(/(?:src|href)="([^"#:]+)"/g)) named.push(file);
  }
  const missing = [...new Set(named)].filter((file) => !existsSync(join(out, file)));
  if (missing.length > 0) {
    throw new Error(`${out} lacks files that its manifest or pages name: ${missing.join(', ')}`);
  }
}

const chosen = options.browser === 'all' ? BROWSERS : [options.browser];
for (const browser of chosen) {
  manifestFor(browser);
  await buildFor(/** @type {'chrome' | 'firefox'} */ (browser));
}
