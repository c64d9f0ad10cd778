// The manifest: one base for both browsers, and beside it each browser's own keys with the reason for them.
// Permissions are exactly what the sources use; a test compares the two.
import { readFileSync } from 'node:fs';

const ids = JSON.parse(readFileSync(new URL('../packaging/ids.json', import.meta.url), 'utf8'));
const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** The one Trusted Types policy; src/browser.ts creates it. */
export const TRUSTED_TYPES_POLICY = 'shadegrad';

/** What pages may load and reach: this package and nothing else. */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  `trusted-types ${TRUSTED_TYPES_POLICY}`,
].join('; ');

const icons = Object.fromEntries([16, 32, 48, 128].map((size) => [size, `icons/${size}.png`]));

const base = {
  manifest_version: 3,
  name: '__MSG_name__',
  description: '__MSG_description__',
  default_locale: 'en',
  version,
  icons,
  action: { default_popup: 'popup.html', default_title: '__MSG_name__', default_icon: icons },
  content_security_policy: { extension_pages: POLICY },
};

const perBrowser = {
  chrome: {
    // The id that the native host allows while the extension is loaded unpacked.
    key: ids.chromiumKey,
    // runtime.getContexts, which tells whether the offscreen document is there already: Chrome 116.
    minimum_chrome_version: '116',
    permissions: [
      'nativeMessaging', // the native host: granted folders and checkpoints on disk
      'offscreen', // the document whose worker trains, since a service worker has none and ends when idle
      'unlimitedStorage', // data and checkpoints in the browser's own storage: no quota but the disk, no eviction
    ],
    // Each is asked for by a click of its own, and granting it is what switches it on (src/ui/while_away.ts).
    optional_permissions: [
      'notifications', // tells of a run's end, or of trouble with it
      'power', // keeps the machine awake while it trains
      'background', // goes on training when the last window is closed
    ],
    background: { service_worker: 'service_worker.js', type: 'module' },
    // Without the key any other extension may send us messages.
    externally_connectable: { ids: [] },
    // Shared memory for the training core's threads, and timers of 5 us instead of 100 us.
    cross_origin_embedder_policy: { value: 'require-corp' },
    cross_origin_opener_policy: { value: 'same-origin' },
  },
  firefox: {
    permissions: [
      'nativeMessaging',
      'unlimitedStorage', // grants what navigator.storage.persist() asks for (src/background/persistence.ts)
    ],
    // Firefox has no API that keeps a machine awake without a visible page, and ends with its last window.
    optional_permissions: ['notifications'],
    // An event page owns the worker itself: Firefox has neither offscreen documents nor service workers here.
    background: { scripts: ['event_page.js'], type: 'module' },
    browser_specific_settings: {
      gecko: {
        id: ids.firefox,
        // data_collection_permissions, the statement that nothing leaves the machine: Firefox 140, on Android 142.
        strict_min_version: '142.0',
        data_collection_permissions: { required: ['none'] },
      },
    },
  },
};

export const BROWSERS = Object.keys(perBrowser);

/** @param {string} browser */
export function manifestFor(browser) {
  if (!(browser in perBrowser)) {
    throw new Error(`There is no browser '${browser}': there are ${BROWSERS.join(', ')}.`);
  }
  return { ...base, ...perBrowser[/** @type {keyof typeof perBrowser} */ (browser)] };
}

/** Every file of the package that the manifest names. @param {Record<string, any>} manifest */
export function filesOf(manifest) {
  const { icons: iconFiles, action, background } = manifest;
  return [
    ...Object.values(iconFiles),
    action.default_popup,
    ...(background.service_worker === undefined ? [] : [background.service_worker]),
    ...(background.scripts ?? []),
  ];
}
