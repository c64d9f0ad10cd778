// What pages show of a state: figures, buttons, screens, columns, checkpoints, notices.
import { describe, expect, it } from 'vitest';
import { totalText, viewRuns } from '../../../extension/src/ui/checkpoint_view.ts';
import {
  calendarOf,
  repairLine,
  repairsLeftOut,
  repairSummary,
  shapeOf,
  statisticOf,
  viewColumn,
} from '../../../extension/src/ui/columns.ts';
import type {
  DeviceChoice,
  DeviceName,
  DeviceTiming,
} from '../../../extension/src/messages/state.ts';
import { raceDetails, reasonText } from '../../../extension/src/ui/device_view.ts';
import { mergeNotices } from '../../../extension/src/ui/page.ts';
import {
  announcement,
  phaseOf,
  screenOf,
  viewResult,
  viewRun,
} from '../../../extension/src/ui/run_view.ts';
import { column, description, history, stateOf } from './states.ts';

describe('screenOf', () => {
  it('follows the phase', () => {
    expect(screenOf(null)).toBe('waiting');
    expect(screenOf(stateOf('empty'))).toBe('pick');
    expect(screenOf(stateOf('reading'))).toBe('reading');
    expect(screenOf(stateOf('ready'))).toBe('setup');
    for (const phase of ['preparing', 'training', 'paused', 'validating'] as const) {
      expect(screenOf(stateOf(phase))).toBe('run');
    }
    expect(screenOf(stateOf('finished'))).toBe('result');
  });

  it('leads a failure back to where it can be mended', () => {
    const before = { progress: null, config: null };
    expect(screenOf(stateOf('failed', { ...before, description: null }))).toBe('pick');
    expect(screenOf(stateOf('failed', before))).toBe('setup');
    expect(screenOf(stateOf('failed'))).toBe('result');
  });
});

describe('viewRun', () => {
  it('gives the figures of a run under way', () => {
    const view = viewRun(stateOf('training'));
    expect(view).toMatchObject({
      epoch: '6 of 20',
      step: '194',
      loss: '0.1523',
      stepsPerSecond: '112',
      timeLeft: '1m 23s',
      device: 'Processor',
      deviceReason: 'the graphics card here is emulated, which is slower (ANGLE (SwiftShader))',
      preparing: '',
      memory: '12 MB',
      parameters: '5,127',
      windows: '1,132 to train, 280 held out, 12 left out for gaps',
      task: 'temp_max, 7 rows ahead from the last 30 rows of 4 columns',
    });
    expect(view.validationLoss).toMatch(/^0\.1/);
    expect(view.fraction).toBeCloseTo((5 + 14 / 36) / 20);
  });

  it('offers what the phase allows and nothing else', () => {
    const can = (phase: Parameters<typeof stateOf>[0]): string =>
      Object.entries(viewRun(stateOf(phase)).can)
        .filter(([, allowed]) => allowed)
        .map(([name]) => name)
        .join(' ');
    expect(can('training')).toBe('pause stop save');
    expect(can('validating')).toBe('pause stop save');
    expect(can('paused')).toBe('resume stop save');
    expect(can('preparing')).toBe('');
    expect(can('finished')).toBe('save');
    expect(can('ready')).toBe('');
    expect(can('failed')).toBe('');
  });

  it('has no figures before the first step, and says so without words like NaN', () => {
    const view = viewRun(stateOf('preparing'));
    expect([view.epoch, view.step, view.loss, view.timeLeft]).toEqual(['–', '–', '–', '–']);
    expect(view.fraction).toBeNull();
  });

  it('shows no time left after the end', () => {
    expect(viewRun(stateOf('finished')).timeLeft).toBe('–');
    expect(viewRun(stateOf('finished')).epoch).toBe('20 of 20');
  });

  it('keeps the last known validation loss while the newest epoch is being validated', () => {
    const before = history(3);
    const third = before.epochs[2]!;
    const known = third.validationLoss;
    before.epochs.push({ ...third, epoch: 4, validationLoss: null, mae: null, rmse: null });
    const view = viewRun(stateOf('validating', { history: before }));
    expect(Number(view.validationLoss)).toBeCloseTo(known ?? NaN, 3);
  });

  it('marks a software renderer', () => {
    expect(viewRun(stateOf('training', { device: 'webgl' })).device).toBe(
      'Graphics card (emulated)',
    );
  });
});

describe('the choice of the device', () => {
  const timing = (ms: number, steps = 40, preparingMs = 0): DeviceTiming => ({
    ms,
    steps,
    preparingMs,
  });
  const raced = (
    device: DeviceName,
    cpu: DeviceTiming,
    webgl: DeviceTiming,
    change: Partial<DeviceChoice> = {},
  ): string =>
    reasonText({
      device,
      how: 'raced',
      detail: 'A real card',
      cpu,
      webgl,
      ...change,
    });

  it.each([
    ['webgl', timing(13), timing(3.1), '3.1 ms a step, 4.2 times as fast as the processor'],
    [
      'webgl',
      timing(130),
      timing(3, 40, 420),
      '3.0 ms a step, 43 times as fast as the processor, prepared in 420 ms',
    ],
    ['cpu', timing(0.42), timing(0.43), '0.42 ms a step, about as fast as the graphics card'],
    [
      'cpu',
      timing(100),
      timing(0, 0, 2100),
      '100 ms a step, while the graphics card was still preparing in its time',
    ],
    [
      'webgl',
      timing(4000, 0),
      timing(50),
      '50 ms a step, while the processor did not finish two steps in its time',
    ],
    [
      'webgl',
      timing(4000, 0),
      timing(600, 0),
      'about 600 ms a step, too long for a race: the processor did no better',
    ],
  ] as const)('of a race that %s won is said in words', (device, cpu, webgl, text) => {
    expect(raced(device, cpu, webgl)).toBe(text);
  });

  it('says why there was no race', () => {
    const not = (how: DeviceChoice['how'], detail: string): string =>
      reasonText({ device: 'cpu', how, detail, cpu: null, webgl: null });
    expect(not('forced', '')).toBe('as you chose');
    expect(not('no_gpu', 'WebGL2 is off')).toBe('there is no graphics card to use (WebGL2 is off)');
    expect(not('software', 'SwiftShader')).toContain('emulated');
    expect(not('resumed', '')).toBe('as before');
    expect(not('moved', 'WebGL2 is off')).toContain('there is none to use here (WebGL2 is off)');
    expect(not('lost', '')).toBe('the graphics card was taken away');
    expect(raced('webgl', timing(13), timing(3.1), { how: 'resumed' })).toBe(
      'as at the start: 3.1 ms a step, 4.2 times as fast as the processor',
    );
  });

  it('has the figures of both for who wants them', () => {
    const choice: DeviceChoice = {
      device: 'cpu',
      how: 'raced',
      detail: '',
      cpu: timing(2, 64),
      webgl: timing(0, 0, 1400),
    };
    expect(raceDetails(choice)).toBe(
      'Processor 2.0 ms a step (64 timed); graphics card no step in its time, prepared in 1.4 sec',
    );
    expect(raceDetails({ ...choice, webgl: null })).toBeNull();
  });
});

describe('phaseOf and announcement', () => {
  it('tells a stopped run from a finished one', () => {
    expect(phaseOf(stateOf('finished')).text).toBe('Finished');
    expect(phaseOf(stateOf('finished', { outcome: 'stopped' })).text).toBe('Stopped');
  });

  it('changes once an epoch, not with each step', () => {
    const state = stateOf('training');
    const later = {
      ...state,
      progress: state.progress && {
        ...state.progress,
        step: 205,
        stepInEpoch: 25,
      },
    };
    expect(announcement(later)).toBe(announcement(state));
    expect(announcement(state)).toMatch(/Epoch 5 done, 25%\. Validation loss 0\./);
    expect(announcement(stateOf('validating'))).toBe(announcement(state));
  });

  it('ends with the verdict', () => {
    expect(announcement(stateOf('finished'))).toMatch(
      /^Finished\. 15% better than repeating last year/,
    );
  });
});

describe('viewResult', () => {
  it('shows the loss beside both simple forecasts, on one scale', () => {
    const { bars, verdict, errors } = viewResult(stateOf('finished'));
    expect(bars.map(({ label }) => label)).toEqual([
      'This model',
      'Repeating the last value',
      'Repeating last year',
    ]);
    expect(bars[1]?.share).toBe(1);
    expect(verdict.kind).toBe('better');
    expect(errors).toBe('Off by 2.31 on average (RMSE 3.02), in the units of temp_max.');
  });

  it('leaves the seasonal forecast out when there is no season', () => {
    const baselines = { naive: 0.183, seasonalNaive: 0.5, season: 0 };
    expect(viewResult(stateOf('finished', { baselines })).bars).toHaveLength(2);
  });

  it('judges a completed run by the epoch whose weights it kept', () => {
    const worse = history(20);
    worse.epochs[11]!.validationLoss = 0.1;
    worse.epochs[19]!.validationLoss = 0.15;
    const kept = { history: worse, best: { epoch: 12, loss: 0.1 } };
    const { bars, verdict } = viewResult(stateOf('finished', kept));
    expect(bars[0]?.value).toBe(0.1);
    expect(verdict.sentence).not.toContain('It was best');
    expect(viewResult(stateOf('finished', { ...kept, outcome: 'stopped' })).bars[0]?.value).toBe(
      0.15,
    );
  });

  it('notices that the newest epoch is worse than an earlier one', () => {
    const worse = history(20);
    const newest = worse.epochs[19]!;
    newest.validationLoss = 0.15;
    const { sentence } = viewResult(stateOf('finished', { history: worse })).verdict;
    expect(sentence).toMatch(/It was best after epoch \d+, \d+% better: train for fewer epochs/);
  });

  it('has no verdict before the first validation', () => {
    const { verdict, bars } = viewResult(
      stateOf('finished', { history: history(0), baselines: null }),
    );
    expect(verdict.kind).toBe('unknown');
    expect(bars).toEqual([]);
  });
});

describe('columns', () => {
  it('gives each column one statistic', () => {
    expect(description().columns.map((one) => viewColumn(one).statistic)).toEqual([
      '01/01/2012 – 12/31/2015',
      '0 to 55.9',
      '-1.6 to 35.6',
      '-7.1 to 18.3, 3 missing',
      '0.4 to 9.5',
      '5 values',
    ]);
  });

  it('names constant and empty columns', () => {
    expect(statisticOf(column('a', { type: 'elements', shape: [28, 28, 1] }))).toBe('28 × 28 × 1');
    expect(statisticOf(column('a', { min: 4, max: 4 }))).toBe('always 4');
    expect(statisticOf(column('a', { count: 0, missing: 10 }))).toBe('empty');
  });

  it('describes the file and its repairs with line and column', () => {
    const data = description();
    expect(shapeOf(data, stateOf('ready').source)).toBe('1,461 rows · 6 columns · 48 kB');
    expect(repairSummary(data)).toBe('3 repairs made while reading');
    expect(repairSummary(description({ repairCount: 0 }))).toBeNull();
    expect(data.repairs.map(repairLine)[0]).toBe(
      'Line 212, column 4: "n/a" was read as a missing value.',
    );
    expect(repairsLeftOut(description({ repairCount: 103 }))).toBe(100);
    const array = { line: 0, column: 0, code: 'left_out', message: '"names" was left out' };
    expect(repairLine(array)).toBe('"names" was left out');
  });

  it('knows the rows dates only where no row is missing', () => {
    expect(calendarOf(description())).toEqual({
      first: Date.UTC(2012, 0, 1),
      stepSeconds: 86_400,
      regular: true,
    });
    const [dates] = description().columns;
    const gappy = description({ columns: [{ ...dates!, gaps: 2 }] });
    expect(calendarOf(gappy)?.regular).toBe(false);
    expect(calendarOf(description({ columns: [column('a')] }))).toBeNull();
    expect(calendarOf(description({ columns: [{ ...dates!, first: '01/02/2012' }] }))).toBeNull();
  });
});

describe('viewRuns', () => {
  it('lists the runs of both stores, the newest first, with name, note, size and data', () => {
    const views = viewRuns(stateOf('finished'));
    expect(views.map(({ storeLabel }) => storeLabel)).toEqual([
      'Shadegrad folder',
      'This browser',
      'Shadegrad folder',
    ]);
    expect(views[0]).toMatchObject({
      title: 'Rain in Seattle',
      note: 'with the wind',
      detail: '1 checkpoint · 61 kB · seattle-weather.csv',
    });
    expect(views[1]?.title).toBe('lstm-20260513-120700-5e6f7g8h');
    expect(totalText(stateOf('finished'))).toBe('3 checkpoints, 143 kB');
  });

  it('shows of a checkpoint its step, epoch, loss, device and size', () => {
    const [checkpoint] = viewRuns(stateOf('finished'))[0]!.checkpoints;
    expect(checkpoint?.name).toBe('auto-180');
    expect(checkpoint?.detail).toBe('step 180 · epoch 5 · loss 0.1431 · processor · 61 kB');
    expect(checkpoint?.canResume).toBe(true);
    expect(checkpoint?.marks).toEqual([]);
  });

  it('marks the best and the last of several, whatever their order', () => {
    const [first] = stateOf('finished').checkpoints;
    const at = (step: number, loss: number | null) => ({
      ...first!,
      id: `lstm-20260514-094100-1a2b3c4d/auto-${String(step)}.safetensors`,
      ...{ step, loss },
    });
    const checkpoints = [at(20, 0.3), at(40, 0.1), at(30, 0.1), at(10, null)];
    const [group] = viewRuns(stateOf('finished', { checkpoints }));
    expect(group?.checkpoints.map(({ name, marks }) => [name, ...marks])).toEqual([
      ['auto-40', 'last'],
      ['auto-30', 'best'],
      ['auto-20'],
      ['auto-10'],
    ]);
    expect(group?.detail).toMatch(/^4 checkpoints · 245 kB/);
  });

  it('shows a broken one with its reason and offers no resuming of it', () => {
    const broken = viewRuns(stateOf('finished'))[2]!.checkpoints[0];
    expect(broken?.problem).toMatch(/the file ends at byte 20480/);
    expect(broken?.canResume).toBe(false);
  });

  it('offers no resuming while a run is under way', () => {
    const all = viewRuns(stateOf('training')).flatMap(({ checkpoints }) => checkpoints);
    expect(all.some(({ canResume }) => canResume)).toBe(false);
  });
});

describe('mergeNotices', () => {
  const notice = {
    level: 'warning' as const,
    code: 'host.lost',
    message: 'The host is gone.',
    time: 1,
  };
  const failure = { code: 'csv.empty', message: 'a.csv is empty.' };

  it('shows each message once', () => {
    const state = stateOf('failed', { notices: [notice], failure });
    const own = [{ level: 'error' as const, time: 2, ...failure }];
    expect(mergeNotices(state, own).map(({ code }) => code)).toEqual(['host.lost', 'csv.empty']);
  });

  it('keeps a failure away that was put away, and reading that was called off', () => {
    const state = stateOf('failed', { failure });
    expect(mergeNotices(state, [], failure.message)).toEqual([]);
    const cancelled = {
      code: 'dataset.cancelled',
      message: 'Reading was cancelled.',
    };
    expect(mergeNotices(stateOf('empty', { failure: cancelled }), [])).toEqual([]);
  });
});
