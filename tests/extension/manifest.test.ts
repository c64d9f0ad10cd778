import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { filesOf, manifestFor, POLICY } from '../../extension/manifest.mjs';

const sourceFolder = new URL('../../extension/src/', import.meta.url);
const sources = readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({
    path,
    text: readFileSync(new URL(path, sourceFolder), 'utf8'),
  }));

const uses = (pattern: RegExp): boolean => sources.some(({ text }) => pattern.test(text));

/** Each API that is called, and the permission it needs; null for those that need none. */
const PERMISSION_OF: Record<string, string | null> = {
  'runtime.connectNative': 'nativeMessaging',
  'runtime.sendMessage': null,
  'runtime.onMessage': null,
  'runtime.getURL': null,
  'runtime.getManifest': null,
  'runtime.getContexts': null,
  'runtime.getPlatformInfo': null,
  'runtime.lastError': null,
  'runtime.id': null,
  'runtime.ContextType': null,
  'runtime.MessageSender': null,
  'offscreen.createDocument': 'offscreen',
  'offscreen.Reason': 'offscreen',
  'runtime.onStartup': null,
  'tabs.create': null,
  // Only an address that is ours: tabs are found by runtime.getContexts.
  'tabs.update': null,
  'windows.update': null,
  'permissions.contains': null,
  'permissions.request': null,
  'permissions.remove': null,
  'permissions.onAdded': null,
  'action.setBadgeText': null,
  'action.setBadgeBackgroundColor': null,
  'action.setBadgeTextColor': null,
  'action.setTitle': null,
  'i18n.getMessage': null,
  'i18n.getUILanguage': null,
};

/** What a person may grant or not; `background` has no API, and Firefox has neither of the last two. */
const OPTIONAL: Record<string, string[]> = {
  chrome: ['notifications', 'power', 'background'],
  firefox: ['notifications'],
};

const calls = new Set(
  sources.flatMap(({ text }) => {
    const code = text.replace(/^\s*\/\/.*$/gm, '');
    return [...code.matchAll(/\bchrome\s*\.(\w+)\s*\.(\w+)/g)].map(
      ([, space, name]) => `${space!}.${name!}`,
    );
  }),
);

describe('permissions are exactly what is used', () => {
  test('every call of the browser is known to this test', () => {
    expect([...calls].filter((call) => !(call in PERMISSION_OF))).toEqual([]);
  });

  test.each(['chrome', 'firefox'])('%s', (browser) => {
    const needed = new Set(
      [...calls].map((call) => PERMISSION_OF[call]).filter((name) => name != null),
    );
    if (browser === 'firefox') needed.delete('offscreen');
    if (uses(/navigator\.storage\.getDirectory/)) needed.add('unlimitedStorage');
    for (const optional of OPTIONAL['chrome']!) needed.delete(optional);
    const { permissions, optional_permissions } = manifestFor(browser);
    expect(new Set(permissions)).toEqual(needed);
    expect(optional_permissions).toEqual(OPTIONAL[browser]);
  });

  test.each(['chrome', 'firefox'])(
    '%s reaches no page, opens nothing to others and has no update address',
    (browser) => {
      const manifest: Record<string, unknown> = manifestFor(browser);
      for (const key of [
        'host_permissions',
        'content_scripts',
        'web_accessible_resources',
        'update_url',
      ]) {
        expect(manifest).not.toHaveProperty(key);
      }
      if (browser === 'chrome') expect(manifest['externally_connectable']).toEqual({ ids: [] });
    },
  );

  test('nobody listens to other extensions', () => {
    expect(uses(/onMessageExternal|onConnectExternal/)).toBe(false);
  });
});

describe('the policy', () => {
  const directives = new Map(
    POLICY.split('; ').map((line) => [line.split(' ')[0], line.split(' ').slice(1)]),
  );

  test('lets nothing in or out but the package', () => {
    expect(directives.get('default-src')).toEqual(["'none'"]);
    expect(directives.get('connect-src')).toEqual(["'none'"]);
    expect(directives.get('script-src')).toEqual(["'self'", "'wasm-unsafe-eval'"]);
    expect(POLICY).not.toMatch(/unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')|https?:|\*|blob:/);
  });

  test('names exactly the Trusted Types policies that are created', () => {
    const created = sources.flatMap(({ text }) =>
      [...text.matchAll(/createPolicy\('([^']+)'/g)].map(([, name]) => name),
    );
    expect(directives.get('trusted-types')).toEqual(created);
    expect(directives.get('require-trusted-types-for')).toEqual(["'script'"]);
  });
});

test('the id that the host allows is that of the key', async () => {
  const { key } = manifestFor('chrome') as { key: string };
  const ids = JSON.parse(
    readFileSync(new URL('../../packaging/ids.json', import.meta.url), 'utf8'),
  ) as {
    chromium: { development: string };
  };
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', Buffer.from(key, 'base64')));
  const hex = Buffer.from(digest).toString('hex').slice(0, 32);
  const letter = (digit: string): string => String.fromCharCode(97 + parseInt(digit, 16));
  const id = Array.from(hex, letter).join('');
  expect(id).toBe(ids.chromium.development);
});

test('an unknown browser is named', () => {
  expect(() => manifestFor('netscape')).toThrow(
    /There is no browser 'netscape': there are chrome, firefox/,
  );
});

test('the files of the manifest are found by the build’s check', () => {
  expect(filesOf(manifestFor('chrome'))).toEqual(
    expect.arrayContaining(['popup.html', 'service_worker.js']),
  );
  expect(filesOf(manifestFor('firefox'))).toEqual(
    expect.arrayContaining(['popup.html', 'event_page.js']),
  );
});
