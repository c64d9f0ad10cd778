import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const tests = fileURLToPath(new URL('../tests/extension', import.meta.url));
const texts = fileURLToPath(new URL('../tests/extension/texts.ts', import.meta.url));
const vitest = fileURLToPath(new URL('node_modules/vitest/dist/index.js', import.meta.url));

export default defineConfig({
  // The tests live beside those of the other parts; vitest itself is found here.
  resolve: { alias: [{ find: /^vitest$/, replacement: vitest }] },
  server: { fs: { strict: false } },
  test: {
    dir: tests,
    include: ['**/*.test.ts'],
    maxWorkers: 2,
    testTimeout: 10_000,
    setupFiles: [texts],
  },
});
