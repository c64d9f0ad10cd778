import { describe, expect, test } from 'vitest';
import {
  configIn,
  configLink,
  differences,
  hasConfig,
} from '../../../extension/src/messages/config_link.ts';

const config = {
  model: { name: 'lstm', hidden: 8, dropout: 0.5 },
  data: { features: ['a', 'Größe 雨'], target: 'a', lookBack: 30 },
  training: { epochs: 3, optimizer: 'adam', nesterov: false },
};
const PAGE = 'chrome-extension://x/dashboard.html';

test('a configuration comes back from its link and from its JSON as it was', () => {
  const link = configLink(PAGE, config);
  expect(link).toMatch(/^chrome-extension:\/\/x\/dashboard\.html#config=[\w-]+$/);
  expect(configIn(link)).toEqual(config);
  expect(configIn(new URL(link).hash)).toEqual(config);
  expect(configIn(JSON.stringify(config))).toEqual(config);
  expect(hasConfig(new URL(link).hash)).toBe(true);
  expect(hasConfig('#run=x')).toBe(false);
});

describe('what is no configuration is refused with a reason', () => {
  // btoa takes no other letters.
  const plain = { ...config, data: { features: ['a'], target: 'a' } };
  const packed = (value: unknown): string => `#config=${btoa(JSON.stringify(value))}`;
  test.each<[string, string, RegExp]>([
    ['nothing', '', /neither a link/],
    ['an address', 'hello', /neither a link/],
    ['a cut link', configLink(PAGE, config).slice(0, -7), /neither a link|cut short/],
    ['a link of other characters', '#config=%%%', /cut short or changed/],
    ['bytes that are no text', `#config=${btoa('\xff\xfe')}`, /cut short or changed/],
    ['a list', packed([1]), /configuration must be an object/],
    ['no model', packed({ ...plain, model: {} }), /configuration\.model\.name/],
    ['a field that is an object', packed({ ...plain, training: { epochs: {} } }), /epochs/],
    ['no columns', packed({ ...plain, data: { features: [], target: 'a' } }), /features/],
    ['more than could be', ' '.repeat(200_001), /longer than any/],
  ])('%s', (_, text, why) => {
    expect(() => configIn(text)).toThrow(why);
  });

  test('what it knows nothing of is left out, also where it would change what an object is', () => {
    const text = `{"model":{"name":"lstm","__proto__":{"x":1}},"data":{"features":["a"],"target":"a"},"training":{"__proto__":5},"rows":[1,2]}`;
    let got: unknown;
    try {
      got = configIn(text);
    } catch (error) {
      expect(String(error)).toMatch(/__proto__/);
      return;
    }
    expect(Object.keys(got as object)).toEqual(['model', 'data', 'training']);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

test('configurations differ in the fields that are not the same in all', () => {
  const other = {
    model: { name: 'lstm', hidden: 16, dropout: 0.5 },
    data: { ...config.data, features: ['a'] },
    training: { epochs: 3, optimizer: 'adam', clipNorm: 1, nesterov: false },
  };
  expect(differences([config, config])).toEqual([]);
  expect(differences([config, other, config])).toEqual([
    { group: 'model', field: 'hidden', values: [8, 16, 8] },
    { group: 'data', field: 'features', values: ['a, Größe 雨', 'a', 'a, Größe 雨'] },
    { group: 'training', field: 'clipNorm', values: [null, 1, null] },
  ]);
});
