// @vitest-environment happy-dom
// A run and its result as buttons and figures: what each phase offers and what it asks for.
import { beforeEach, describe, expect, it } from 'vitest';
import { Bench } from './bench.ts';
import { all, button, choose, input, one, select, settle } from './recorder.ts';
import { stateOf } from './states.ts';

let bench: Bench;

beforeEach(() => {
  localStorage.clear();
  bench = new Bench();
});

describe('a run', () => {
  it('offers no second run to a page that comes later', () => {
    bench.show(stateOf('training'));
    expect(all('train')).toHaveLength(0);
    expect(one('step').textContent).toBe('194');
    expect(one('device').textContent).toBe('Processor');
  });

  it('pauses, resumes, saves and stops', async () => {
    bench.show(stateOf('training'));
    expect(one('resume').hidden).toBe(true);
    one('pause').click();
    bench.show(stateOf('paused'));
    expect(one('pause').hidden).toBe(true);
    one('resume').click();
    const [entry] = stateOf('training').checkpoints;
    bench.actions.answers['checkpoint.save'] = entry!;
    one('save').click();
    await settle();
    one('stop').click();
    expect(bench.actions.commands.map((command) => command.type)).toEqual([
      'run.pause',
      'run.resume',
      'checkpoint.save',
      'run.stop',
    ]);
    expect(bench.actions.told[0]?.message).toContain(
      'lstm-20260514-094100-1a2b3c4d/auto-180.safetensors (Shadegrad folder)',
    );
  });

  it('hands the keyboard from Pause to Resume', () => {
    bench.show(stateOf('training'));
    one('pause').focus();
    bench.show(stateOf('paused'));
    expect(document.activeElement).toBe(one('resume'));
  });

  it('shows the result of a run that ended before this page saw it begin', () => {
    const state = stateOf('finished');
    bench.show(state);
    one('new-run').click();
    bench.show({ ...state, revision: state.revision + 1 });
    expect(all('train')).toHaveLength(1);
    bench.show({
      ...state,
      progress: state.progress && { ...state.progress, step: 7 },
    });
    expect(all('train')).toHaveLength(0);
    expect(one('verdict').textContent).not.toBe('');
  });

  it('shows the result of the same run made again, however short', async () => {
    const state = stateOf('finished');
    bench.show(state);
    one('new-run').click();
    bench.actions.answers['run.start'] = {
      config: state.config!,
      device: 'cpu',
      choice: state.choice!,
      parameters: 1,
    } as never;
    one('train').click();
    await settle();
    bench.show(state);
    expect(all('train')).toHaveLength(0);
  });

  it('tells of the race while it lasts, and then who has won and by how much', () => {
    const bar = one.bind(null, 'progress') as () => HTMLProgressElement;
    bench.show(stateOf('preparing'));
    expect(one('preparing').textContent).toBe('Preparing…');
    expect(bar().hasAttribute('value')).toBe(false);
    expect(one('device').parentElement?.hidden).toBe(true);
    bench.show(
      stateOf('preparing', {
        preparing: { what: 'race', done: 0.25, total: 1 },
      }),
    );
    expect(one('preparing').textContent).toBe('Trying the processor and the graphics card…');
    expect(bar().value).toBe(0.25);
    const webgl = { ms: 3.1, steps: 64, preparingMs: 20 };
    const cpu = { ms: 13, steps: 40, preparingMs: 1 };
    bench.show(
      stateOf('training', {
        device: 'webgl',
        webgl: { renderer: 'A real card', software: false },
        choice: {
          device: 'webgl',
          how: 'raced',
          detail: 'A real card',
          cpu,
          webgl,
        },
      }),
    );
    expect(one('preparing').hidden).toBe(true);
    expect(one('device').parentElement?.textContent).toBe(
      'Graphics card: 3.1 ms a step, 4.2 times as fast as the processor',
    );
    expect(one('memory').textContent).toBe('Memory: 12 MB');
  });

  it('shows how many programs are prepared before the first step, and can be stopped meanwhile', () => {
    bench.show(
      stateOf('training', {
        preparing: { what: 'programs', done: 6, total: 24 },
      }),
    );
    expect(one('preparing').textContent).toBe('Preparing the graphics card: 6 of 24 programs');
    expect((one('progress') as HTMLProgressElement).value).toBe(0.25);
    expect(button('stop').hidden).toBe(false);
    expect(button('stop').disabled).toBe(false);
  });

  it('lets a person say how hard it works while it runs', () => {
    const state = stateOf('training');
    bench.show(state);
    const effort = select('run-effort');
    expect([...effort.options].map(({ text }) => text)).toEqual([
      'At full speed',
      'Leave room for other work',
      'In the background',
    ]);
    expect(effort.value).toBe('full');
    choose(effort, 'background');
    expect(bench.actions.of('run.effort')).toEqual([{ type: 'run.effort', effort: 'background' }]);
    const training = { ...state.config!.training, effort: 'background' };
    bench.show({ ...state, config: { ...state.config!, training } });
    expect(effort.value).toBe('background');
    bench.show(stateOf('finished'));
    expect(effort.closest<HTMLElement>('.field')?.hidden).toBe(true);
  });

  it('changes figures in place', () => {
    bench.show(stateOf('training'));
    const step = one('step');
    const state = stateOf('training');
    bench.show({
      ...state,
      progress: state.progress && { ...state.progress, step: 195 },
    });
    expect(one('step')).toBe(step);
    expect(step.textContent).toBe('195');
  });
});

describe('the result', () => {
  it('shows the verdict beside both simple forecasts', () => {
    bench.show(stateOf('finished'));
    expect(one('verdict').dataset['kind']).toBe('better');
    expect(one('naive-loss').textContent).toBe('0.1830');
    expect(one('seasonal-loss').textContent).toBe('0.1610');
  });

  it('trains more from its own end: saves, then resumes for so many epochs more', async () => {
    bench.show(stateOf('finished'));
    const [entry] = stateOf('finished').checkpoints;
    bench.actions.answers['checkpoint.save'] = entry!;
    input('more-epochs').value = '4';
    one('train-more').click();
    await settle();
    expect(bench.actions.of('checkpoint.resume')[0]).toMatchObject({
      store: 'host',
      id: entry!.id,
      epochs: 4,
    });
  });

  it('does not resume when saving failed', async () => {
    bench.show(stateOf('finished'));
    one('train-more').click();
    await settle();
    expect(bench.actions.of('checkpoint.resume')).toHaveLength(0);
  });

  it('leads to a new run on the same file, and back to the run once it starts', () => {
    bench.show(stateOf('finished'));
    one('new-run').click();
    bench.show(stateOf('finished'));
    one('train').click();
    expect(bench.actions.of('run.start')).toHaveLength(1);
    bench.show(stateOf('training'));
    expect(all('train')).toHaveLength(0);
    bench.show(stateOf('finished'));
    expect(all('verdict')).toHaveLength(1);
  });

  it('offers no saving of a run that failed', () => {
    bench.show(stateOf('failed'));
    expect(button('save').disabled).toBe(true);
    expect(button('train-more').disabled).toBe(true);
  });
});
