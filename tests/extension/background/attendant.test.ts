// The icon, notifications and the machine's power, as far as a run's marks lead to them.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Attendant } from '../../../extension/src/background/attendant.ts';
import { badgeOf, newsTextOf, titleOf } from '../../../extension/src/background/mark_texts.ts';
import type { MarkKind, RunMark } from '../../../extension/src/messages/run_mark.ts';

const mark = (change: Partial<RunMark> = {}): RunMark => ({
  kind: 'training',
  run: 'lstm-1',
  name: 'load.csv',
  percent: 42,
  loss: 0.123456,
  secondsLeft: 600,
  news: null,
  ...change,
});

let icon: Record<string, unknown>;
let created: unknown[][];
let power: string[];
let added: () => void;
let clicked: (id: string) => void;
let opened: string[];
const keep = (fields: object): Promise<void> => {
  Object.assign(icon, fields);
  return Promise.resolve();
};

/** Those of the tests' set-up (texts.ts). */
const TEXTS = (globalThis.chrome as unknown as { i18n: object }).i18n;

const POWER = {
  requestKeepAwake: (level: string) => power.push(level),
  releaseKeepAwake: () => power.push('released'),
};
const NOTIFICATIONS = {
  create: async (...given: unknown[]) => created.push(given),
  clear: async () => true,
  onClicked: {
    addListener: (listener: (id: string) => void) => {
      clicked = listener;
    },
  },
};

function attend(granted: object = {}): { attendant: Attendant; chrome: Record<string, unknown> } {
  const chrome = {
    action: {
      setBadgeText: keep,
      setBadgeBackgroundColor: keep,
      setBadgeTextColor: () => Promise.resolve(),
      setTitle: keep,
    },
    i18n: TEXTS,
    runtime: { getURL: (path: string) => `ext/${path}` },
    permissions: {
      onAdded: {
        addListener: (listener: () => void) => {
          added = listener;
        },
      },
    },
    ...granted,
  };
  vi.stubGlobal('chrome', chrome);
  const attendant = new Attendant(async (run) => {
    opened.push(run);
  });
  return { attendant, chrome };
}

beforeEach(() => {
  vi.useFakeTimers();
  [icon, created, power, opened] = [{}, [], [], []];
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the icon carries the percentage, and its title loss and time left', async () => {
  await attend().attendant.show(mark());
  expect(icon).toMatchObject({
    text: '42%',
    title: 'load.csv: training · 42% · loss 0.1235 · 10 min left',
  });
});

test.each<[MarkKind, string]>([
  ['none', ''],
  ['preparing', '…'],
  ['paused', 'II'],
  ['interrupted', 'II'],
  ['done', '✓'],
  ['stopped', ''],
  ['failed', '!'],
])('a run that is %s is marked by "%s"', (kind, text) => {
  attend();
  expect(badgeOf(mark({ kind })).text).toBe(text);
  expect(badgeOf(mark({ percent: 100 })).text.length).toBeLessThanOrEqual(4);
  expect(titleOf(mark({ kind }))).not.toMatch(/null|undefined|NaN/);
});

describe('the machine', () => {
  test('is kept awake while the run works and not while it rests or has ended', async () => {
    const { attendant } = attend({ power: POWER });
    for (const kind of ['preparing', 'training', 'paused', 'training', 'done'] as const)
      await attendant.show(mark({ kind }));
    expect(power).toEqual(['system', 'system', 'released', 'system', 'released']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(power.length).toBe(5);
  });

  test('may sleep again when a worker that works is not heard of any more', async () => {
    const { attendant } = attend({ power: POWER });
    await attendant.show(mark());
    await vi.advanceTimersByTimeAsync(10_000);
    await attendant.show(mark());
    await vi.advanceTimersByTimeAsync(24_000);
    expect(power).toEqual(['system', 'system']);
    await vi.advanceTimersByTimeAsync(2000);
    expect(power).toEqual(['system', 'system', 'released']);
  });

  test('is kept awake from the next mark on when the person allows it during a run', async () => {
    const { attendant, chrome } = attend();
    await attendant.show(mark());
    chrome['power'] = POWER;
    await attendant.show(mark());
    expect(power).toEqual(['system']);
  });
});

describe('notifications', () => {
  test('tell of the end and of trouble where they are allowed, and of nothing else', async () => {
    const { attendant } = attend({ notifications: NOTIFICATIONS });
    await attendant.show(mark());
    await attendant.show(
      mark({ kind: 'failed', news: { what: 'failed', code: 'x', message: 'NaN.' } }),
    );
    expect(created).toEqual([
      [
        'run:lstm-1',
        {
          type: 'basic',
          iconUrl: 'ext/icons/128.png',
          title: 'Training has failed',
          message: 'load.csv · 42% · loss 0.1235\nNaN.',
        },
      ],
    ]);
  });

  test('are not sent without permission', async () => {
    await attend().attendant.show(
      mark({ kind: 'done', news: { what: 'done', code: '', message: '' } }),
    );
    expect(created).toEqual([]);
  });

  test('lead to their run when clicked, also where they were allowed only now', () => {
    const { chrome } = attend();
    chrome['notifications'] = NOTIFICATIONS;
    added();
    clicked('other');
    clicked('run:lstm-1');
    expect(opened).toEqual(['lstm-1']);
  });

  test('of an interrupted run say what a click does', () => {
    attend();
    const news = { what: 'interrupted', code: '', message: '' } as const;
    expect(newsTextOf(mark({ kind: 'interrupted' }), news)).toEqual({
      title: 'Training was interrupted',
      message: 'load.csv · 42% · loss 0.1235\nClick to go on from where it was saved.',
    });
  });
});
