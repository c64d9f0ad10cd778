// @vitest-environment happy-dom
// Picking the data: a file, the host's folder, the example, the last run.
import { beforeEach, describe, expect, it } from 'vitest';
import { Bench } from './bench.ts';
import { all, input, one, settle, snapshotOf } from './recorder.ts';
import { stateOf } from './states.ts';

let bench: Bench;

beforeEach(() => {
  localStorage.clear();
  bench = new Bench();
});

describe('picking', () => {
  it('opens the example, a chosen file and a file of the host', async () => {
    bench.show(stateOf('empty'));
    one('example-open').click();
    const chooser = input('file-input');
    const file = new File(['a,b\n1,2\n'], 'mine.csv');
    Object.defineProperty(chooser, 'files', { value: [file] });
    chooser.dispatchEvent(new Event('change'));
    bench.actions.answers['host.list'] = {
      path: '',
      entries: [
        {
          name: 'waves.csv',
          path: 'Data/waves.csv',
          kind: 'file',
          size: 10,
          modified: null,
        },
      ],
    };
    one('host-open').click();
    await settle();
    one('host-entry').click();
    expect(bench.actions.of('dataset.open').map(({ source }) => source)).toEqual([
      { kind: 'example', name: 'seattle-weather.csv' },
      { kind: 'file', file },
      { kind: 'host', path: 'Data/waves.csv' },
    ]);
  });

  it("opens a folder of pictures with each one's place in it, and files that were chosen together", () => {
    bench.show(stateOf('empty'));
    const choose = (chooser: HTMLInputElement, files: File[]) => {
      Object.defineProperty(chooser, 'files', { value: files, configurable: true });
      chooser.dispatchEvent(new Event('change'));
    };
    const placed = (path: string) =>
      Object.defineProperty(new File(['x'], path.split('/').at(-1)!), 'webkitRelativePath', {
        value: path,
      });
    const pictures = [
      placed('pets/cats/1.png'),
      placed('pets/.hidden/2.png'),
      placed('pets/dogs/1.png'),
    ];
    choose(input('folder-input'), pictures);
    const arrays = [new File(['x'], 'images.idx'), new File(['y'], 'labels.idx')];
    choose(input('file-input'), arrays);
    expect(bench.actions.of('dataset.open').map(({ source }) => source)).toEqual([
      {
        kind: 'files',
        name: 'pets',
        files: [
          { path: 'pets/cats/1.png', file: pictures[0] },
          { path: 'pets/dogs/1.png', file: pictures[2] },
        ],
      },
      {
        kind: 'files',
        name: 'images.idx and 1 more',
        files: arrays.map((file) => ({ path: file.name, file })),
      },
    ]);
  });

  it('goes down into folders and back', async () => {
    bench.show(stateOf('empty'));
    const folder = {
      name: 'daily',
      path: 'Data/daily',
      kind: 'folder' as const,
      size: null,
      modified: null,
    };
    bench.actions.answers['host.list'] = { path: '', entries: [folder] };
    one('host-open').click();
    await settle();
    expect(one('host-entry').textContent).toContain('daily/');
    one('host-entry').click();
    await settle();
    one('host-up').click();
    await settle();
    expect(bench.actions.of('host.list').map(({ path }) => path)).toEqual([
      undefined,
      'Data/daily',
      undefined,
    ]);
  });

  it('says in one line what the host would add, and looks again when asked', () => {
    const message = 'Install the host to read files of a folder.';
    const host = {
      ...stateOf('empty').host,
      state: 'missing' as const,
      message,
    };
    bench.show(stateOf('empty', { host }));
    expect(one('host-state').textContent).toBe(message);
    expect(one('host-open').hidden).toBe(true);
    one('host-connect').click();
    expect(bench.actions.of('host.connect')).toHaveLength(1);
  });

  it('sends people to the dashboard where a file chooser would close the page', () => {
    let went = 0;
    bench.open(() => {
      went += 1;
    });
    bench.show(stateOf('empty'));
    expect(all('file-input')).toHaveLength(0);
    one('pick-in-dashboard').click();
    expect(went).toBe(1);
  });

  it('offers the last run, for more epochs when it had reached its end', () => {
    const { source } = stateOf('ready');
    const checkpoint = {
      store: 'browser' as const,
      id: 'run/auto-720.safetensors',
    };
    const lastRun = {
      source: source!,
      checkpoint,
      step: 180,
      epoch: 5,
      epochs: 20,
      loss: 0.1,
      device: 'webgl' as const,
      interrupted: false,
      time: 1,
    };
    bench.show(stateOf('empty', { lastRun }));
    expect(document.body.textContent).toContain('Epoch 5 of 20 · Graphics card');
    one('last-run-resume').click();
    bench.show(stateOf('empty', { lastRun: { ...lastRun, epoch: 20 } }));
    one('last-run-resume').click();
    const asked = bench.actions.of('checkpoint.resume');
    expect(asked.map(({ id, epochs }) => [id, epochs])).toEqual([
      ['run/auto-720.safetensors', undefined],
      ['run/auto-720.safetensors', 10],
    ]);
  });

  it('can call off a long reading', () => {
    bench.show(stateOf('reading'));
    expect(one('reading').textContent).toContain(
      '31 kB of 48 kB · 940 rows · 24 kB/s · under 1s left',
    );
    one('cancel-reading').click();
    expect(bench.actions.of('dataset.close')).toHaveLength(1);
  });
});

describe('without the worker', () => {
  it('waits, and offers to try again when it does not come', () => {
    bench.show(null);
    expect(one('retry-connection').hidden).toBe(true);
    bench.stage.update({ ...snapshotOf(null), connection: 'failed' });
    one('retry-connection').click();
    expect(bench.actions.reconnects).toBe(1);
  });
});
