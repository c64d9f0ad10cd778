// The house rules that a tool can check: which folder may import which, which browser calls are forbidden where, and
// that nothing here opens a way out to the network.
import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * Imports of these sibling folders are refused, with the reason.
 * @param {string[]} folders
 * @param {string} message
 * @returns {Partial<import('eslint').Linter.RulesRecord>}
 */
const forbidImports = (folders, message) => ({
  'no-restricted-imports': [
    'error',
    { patterns: [{ group: folders.map((folder) => `**/${folder}/**`), message }] },
  ],
});

const noNetwork = [
  'fetch',
  'XMLHttpRequest',
  'WebSocket',
  'EventSource',
  'WebTransport',
  'RTCPeerConnection',
  'open',
  'importScripts',
].map((name) => ({ name, message: 'Nothing leaves this machine: no network, no new windows.' }));

const noNetworkMembers = [
  { object: 'window', property: 'open', message: 'Use openDashboard of browser.ts.' },
  { object: 'navigator', property: 'sendBeacon', message: 'Nothing leaves this machine.' },
];

const browserSeam = ['chrome', 'browser'].map((name) => ({
  name,
  message: 'Only browser.ts and background/ talk to the browser.',
}));

const noFrames = {
  name: 'requestAnimationFrame',
  message: 'It never fires in an offscreen document: drive loops by MessageChannel.',
};

export default defineConfig(
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'no-console': 'error',
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'max-lines': ['error', 400],
      'no-restricted-globals': ['error', ...noNetwork, ...browserSeam],
      'no-restricted-properties': ['error', ...noNetworkMembers],
      'no-restricted-syntax': [
        'error',
        { selector: 'Literal[value=/^(https?|wss?):/]', message: 'No addresses of the network.' },
      ],
      // Checks with no optional fields make such a type.
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  {
    files: ['**/src/messages/**', '**/src/browser.ts'],
    rules: forbidImports(
      ['background', 'training', 'storage', 'reading', 'popup', 'dashboard', 'ui'],
      'messages and browser.ts import no other folder.',
    ),
  },
  {
    files: ['**/src/popup/**', '**/src/dashboard/**', '**/src/ui/**'],
    rules: forbidImports(
      ['background', 'training', 'storage', 'reading'],
      'Pages and training share messages only.',
    ),
  },
  {
    files: ['**/src/training/**'],
    rules: {
      ...forbidImports(
        ['background', 'popup', 'dashboard', 'ui'],
        'Training knows messages, browser.ts and storage.',
      ),
      'no-restricted-globals': ['error', ...noNetwork, ...browserSeam, noFrames],
    },
  },
  {
    files: ['**/src/storage/**'],
    rules: forbidImports(
      ['background', 'training', 'reading', 'popup', 'dashboard', 'ui'],
      'Storage knows messages and browser.ts only.',
    ),
  },
  {
    files: ['**/src/reading/**'],
    rules: forbidImports(
      ['background', 'training', 'storage', 'messages', 'popup', 'dashboard', 'ui'],
      'Reading turns files into parts and knows nothing else.',
    ),
  },
  {
    files: ['**/src/background/**'],
    rules: {
      ...forbidImports(
        ['training', 'reading', 'popup', 'dashboard', 'ui'],
        'The background relays and attends: it knows messages, browser.ts and what is stored.',
      ),
      'no-restricted-globals': ['error', ...noNetwork, noFrames],
    },
  },
  {
    files: ['**/src/browser.ts'],
    rules: { 'no-restricted-globals': ['error', ...noNetwork] },
  },
  {
    files: ['**/*.mjs', '*.config.*'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: { process: 'readonly', URL: 'readonly' } },
  },
  {
    files: ['**/tests/extension/**'],
    rules: {
      'no-restricted-globals': 'off',
      'no-restricted-syntax': 'off',
      // Matchers such as expect.stringMatching are of type any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
);
