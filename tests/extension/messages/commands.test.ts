import { describe, expect, test } from 'vitest';
import { checkCommand, checkReply, requestId } from '../../../extension/src/messages/commands.ts';
import { checkEvent } from '../../../extension/src/messages/events.ts';

const config = {
  model: { name: 'lstm', hidden: 8 },
  data: { features: ['a'], target: 'a' },
  training: {},
};

describe('a command is taken as it is meant', () => {
  test('run.start keeps the fields it knows and drops others', () => {
    const command = checkCommand({
      type: 'run.start',
      config: { ...config, extra: 1 },
      more: 2,
    });
    expect(command).toEqual({ type: 'run.start', config });
  });

  test('dataset.open carries the File itself', () => {
    const file = new File(['a,b\n'], 'x.csv');
    const command = checkCommand({
      type: 'dataset.open',
      source: { kind: 'file', file },
    });
    expect(command).toEqual({
      type: 'dataset.open',
      source: { kind: 'file', file },
    });
  });
});

describe('hostile commands are refused with the path of what is wrong', () => {
  const start = (change: object): object => ({
    type: 'run.start',
    config: { ...config, ...change },
  });
  const cases: [string, unknown, RegExp][] = [
    ['nothing', undefined, /command must be an object/],
    ['a list', [], /command must be an object, but is a list of 0/],
    ['no type', {}, /command\.type must be one of state\.get/],
    ['a type of the prototype', { type: 'constructor' }, /command\.type must be one of/],
    ['a type that is an object', { type: { toString: () => 'state.get' } }, /command\.type/],
    ['an inherited field', Object.create({ type: 'state.get' }), /command\.type/],
    ['no config', { type: 'run.start' }, /command\.config must be an object, but is missing/],
    ['no features', start({ data: { features: [], target: 'a' } }), /features must be a list of 1/],
    [
      'a feature that is a number',
      start({ data: { features: [1], target: 'a' } }),
      /features\[0\]/,
    ],
    [
      'an endless list',
      start({ data: { features: Array(20_000).fill('a'), target: 'a' } }),
      /features/,
    ],
    ['NaN epochs', start({ training: { epochs: NaN } }), /training\.epochs must be a finite/],
    [
      'infinite rate',
      start({ training: { learningRate: Infinity } }),
      /learningRate must be a finite/,
    ],
    ['no epochs', start({ training: { epochs: null } }), /training\.epochs must be/],
    [
      'a list of rows',
      start({ data: { ...config.data, lookBack: [3] } }),
      /data\.lookBack must be/,
    ],
    [
      'an unknown device',
      {
        type: 'checkpoint.resume',
        store: 'host',
        id: 'run/a.safetensors',
        device: 'tpu',
      },
      /device must be one of auto, cpu, webgl/,
    ],
    [
      'a model field that is a text',
      start({ model: { name: 'lstm', hidden: [8] } }),
      /model\.hidden/,
    ],
    [
      'a path for a file',
      { type: 'dataset.open', source: { kind: 'file', file: '/etc/passwd' } },
      /a File/,
    ],
    [
      'a long path',
      {
        type: 'dataset.open',
        source: { kind: 'host', path: 'x'.repeat(5000) },
      },
      /path/,
    ],
    [
      'a checkpoint outside',
      { type: 'checkpoint.remove', store: 'host', id: '../a.safetensors' },
      /id must/,
    ],
    [
      'a hidden checkpoint',
      { type: 'checkpoint.remove', store: 'host', id: 'run/.a.safetensors' },
      /id must/,
    ],
    [
      'another kind of file',
      { type: 'checkpoint.remove', store: 'host', id: 'run/a.exe' },
      /id must/,
    ],
    [
      'an unknown store',
      { type: 'checkpoint.remove', store: 'cloud', id: 'run/a.safetensors' },
      /store/,
    ],
    ['too many predictions', { type: 'predictions.get', first: 0, count: 1e9 }, /count/],
    ['negative predictions', { type: 'predictions.get', first: -1, count: 1 }, /first/],
  ];
  test.each(cases)('%s', (_, value, message) => {
    expect(() => checkCommand(value)).toThrow(message);
  });
});

describe('only what is a request is answered', () => {
  test.each([
    null,
    1,
    'request',
    {},
    { kind: 'reply', id: 'a' },
    { kind: 'request' },
    { kind: 'request', id: 7 },
  ])('%j is none', (value) => {
    expect(requestId(value)).toBeNull();
  });

  test('an id of any length would let a page fill the memory', () => {
    expect(requestId({ kind: 'request', id: 'x'.repeat(101) })).toBeNull();
    expect(requestId({ kind: 'request', id: 'x' })).toBe('x');
  });
});

describe('replies and events with holes come out whole or not at all', () => {
  test('a refusal without reason gets one', () => {
    const reply = checkReply({ kind: 'reply', id: 'a', ok: false });
    expect(reply).toMatchObject({ ok: false, code: 'reply.invalid' });
  });

  test.each([null, {}, { kind: 'event' }, { kind: 'event', revision: 1, type: 'state' }])(
    '%j',
    (value) => {
      expect(checkEvent(value)).toBeNull();
      expect(checkReply(value)).toBeNull();
    },
  );
});
