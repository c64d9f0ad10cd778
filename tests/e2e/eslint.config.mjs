// The rules for the plain modules of packaging and of all tests but the extension's. They run in Node; functions given to
// evaluate() run in a page.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('../../extension/package.json', import.meta.url));
const { default: js } = await import(pathToFileURL(require.resolve('@eslint/js')).href);

const names = [
  ...['process', 'Buffer', 'URL', 'setTimeout', 'clearTimeout', 'console', 'performance'],
  ...[
    'document',
    'window',
    'BroadcastChannel',
    'MessageChannel',
    'MessageEvent',
    'crypto',
    'fetch',
    'Worker',
  ],
  'WebAssembly',
  ...[
    'Event',
    'File',
    'OffscreenCanvas',
    'TextDecoder',
    'TextEncoder',
    'navigator',
    'WebAssembly',
    'location',
    'HTMLInputElement',
    'DataTransfer',
    'AbortController',
    'setInterval',
    'clearInterval',
    'self',
    'getComputedStyle',
    'MutationObserver',
  ],
];

export default [
  js.configs.recommended,
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: Object.fromEntries(names.map((name) => [name, 'readonly'])) },
    rules: {
      'no-console': 'error',
      eqeqeq: 'error',
      'prefer-const': 'error',
      'max-lines': ['error', 400],
      'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
];
