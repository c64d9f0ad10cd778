// @vitest-environment happy-dom
// The dashboard's cards: checkpoints, data, machine; and the notices of both pages.
import { beforeEach, describe, expect, it } from 'vitest';
import { Checkpoints } from '../../../extension/src/ui/checkpoints.ts';
import { DataCard } from '../../../extension/src/ui/data_card.ts';
import { MachineCard } from '../../../extension/src/ui/machine_card.ts';
import { Notices } from '../../../extension/src/ui/notices.ts';
import { all, input, one, Recorder, settle, type } from './recorder.ts';
import { column, description, stateOf } from './states.ts';

let actions: Recorder;

beforeEach(() => {
  document.body.replaceChildren();
  actions = new Recorder();
});

describe('checkpoints', () => {
  function open(phase: Parameters<typeof stateOf>[0] = 'finished'): Checkpoints {
    const card = new Checkpoints(actions);
    document.body.append(card.element);
    card.update(stateOf(phase), new Set());
    return card;
  }

  it('resumes one for its planned epochs or for so many more', () => {
    open();
    all('checkpoint-resume')[0]!.click();
    type(input('resume-epochs'), '5');
    all('checkpoint-resume')[1]!.click();
    expect(actions.of('checkpoint.resume').map(({ store, epochs }) => [store, epochs])).toEqual([
      ['host', undefined],
      ['browser', 5],
    ]);
  });

  it('removes one only after a second word', () => {
    open();
    const [row] = all('checkpoint-row');
    row!.querySelector<HTMLElement>('[data-testid=checkpoint-remove]')!.click();
    expect(actions.commands).toEqual([]);
    row!.querySelector<HTMLElement>('[data-testid=checkpoint-confirm]')!.click();
    expect(actions.of('checkpoint.remove')[0]).toMatchObject({
      store: 'host',
      id: row!.dataset['id'],
    });
  });

  it('shows a broken one with its reason and without Resume', () => {
    open();
    const broken = all('checkpoint-row').find(({ dataset }) => dataset['ok'] === 'false');
    expect(broken?.textContent).toContain('Cannot be used: the file ends at byte 20480');
    expect(broken?.querySelector<HTMLElement>('[data-testid=checkpoint-resume]')?.hidden).toBe(
      true,
    );
  });

  it('holds Resume back while a run is under way', () => {
    open('training');
    expect(all<HTMLButtonElement>('checkpoint-resume').every(({ disabled }) => disabled)).toBe(
      true,
    );
  });

  it('changes a run’s name and note, and keeps what is being written while the list changes', async () => {
    const card = open();
    all('run-edit')[0]!.click();
    const name = all<HTMLInputElement>('run-name')[0]!;
    expect([name.value, all<HTMLTextAreaElement>('run-note-text')[0]!.value]).toEqual([
      'Rain in Seattle',
      'with the wind',
    ]);
    name.value = ' Rain ';
    const { checkpoints } = stateOf('finished');
    card.update(
      stateOf('finished', {
        checkpoints: checkpoints.map((c) => ({ ...c, time: c.time + 1 })),
      }),
      new Set(),
    );
    expect(all<HTMLInputElement>('run-name')[0]).toBe(name);
    actions.answers['run.describe'] = {};
    all('run-save')[0]!.click();
    await settle();
    expect(actions.of('run.describe')).toEqual([
      {
        ...{
          type: 'run.describe',
          store: 'host',
          run: 'lstm-20260514-094100-1a2b3c4d',
        },
        ...{ name: 'Rain', note: 'with the wind' },
      },
    ]);
    expect(name.closest('form')!.hidden).toBe(true);
  });

  it('removes a run only after a second word', () => {
    open();
    const [group] = all('run-group');
    group!.querySelector<HTMLElement>('[data-testid=run-remove]')!.click();
    expect(actions.commands).toEqual([]);
    group!.querySelector<HTMLElement>('[data-testid=run-confirm]')!.click();
    expect(actions.of('run.remove')).toEqual([
      {
        type: 'run.remove',
        store: 'host',
        run: 'lstm-20260514-094100-1a2b3c4d',
      },
    ]);
  });

  it('follows the list', () => {
    const card = open();
    card.update(stateOf('finished', { checkpoints: [], runs: [] }), new Set());
    expect(all('checkpoint-row')).toHaveLength(0);
    expect(all('run-group')).toHaveLength(0);
    expect(document.body.textContent).toContain('None saved yet');
  });
});

describe('data', () => {
  it('shows 50 rows, every column with its statistics, and the repairs', () => {
    const card = new DataCard();
    document.body.append(card.element);
    card.update(stateOf('ready'));
    expect(one('preview-table').querySelectorAll('tbody tr')).toHaveLength(50);
    const wind = one('column-table').querySelectorAll('tbody tr')[4];
    expect([...wind!.children].map((cell) => cell.textContent)).toEqual([
      'wind',
      'number',
      '1,461',
      '0',
      '0.4',
      '9.5',
      '3.2411',
      '1.4378',
      '79',
    ]);
    expect(one('repairs').textContent).toContain('Line 212, column 4');
  });

  it('shows names and cells from a file as text', () => {
    const name = '<script>alert(1)</script>';
    const hostile = description({
      columns: [column(name)],
      preview: [['<b>x</b>']],
    });
    const card = new DataCard();
    document.body.append(card.element);
    card.update(stateOf('ready', { description: hostile }));
    expect(document.querySelector('script, b')).toBeNull();
    expect(one('preview-table').textContent).toContain('<b>x</b>');
  });
});

describe('machine', () => {
  it('shows device counters and what the host delivered', async () => {
    actions.answers['counters.get'] = {
      device: 'webgl',
      kernels: 4000,
      draws: 3900,
      allocations: 10,
      liveBuffers: 61,
      liveBytes: 1_500_000,
      dataBytes: 4096,
      threads: 2,
      fused: true,
    };
    const card = new MachineCard(actions);
    document.body.append(card.element);
    card.update(stateOf('training'));
    await settle();
    expect(one('draws').textContent).toBe('3,900');
    expect(one('processor').textContent).toBe('2 threads, fused multiply-add');
    expect(one('host-frames').textContent).toBe('3');
    expect(one('host-bytes').textContent).toBe('48 kB');
    expect(one('windows').textContent).toContain('12 left out');
    card.update(stateOf('training'));
    expect(actions.of('counters.get')).toHaveLength(1);
  });

  it('asks for no counters without a run, and bears a refusal', async () => {
    const card = new MachineCard(actions);
    document.body.append(card.element);
    card.update(stateOf('ready'));
    expect(actions.commands).toEqual([]);
    card.update(stateOf('finished'));
    await settle();
    expect(one('draws').hidden).toBe(true);
  });

  it('tells only what is known', () => {
    const card = new MachineCard(actions);
    document.body.append(card.element);
    const labels = (): (string | null)[] =>
      [...card.element.querySelectorAll('dt')]
        .filter(({ hidden }) => !hidden)
        .map(({ textContent }) => textContent);
    const host = {
      ...stateOf('empty').host,
      state: 'missing',
      version: null,
      roots: [],
      frames: 0,
    };
    card.update(stateOf('empty', { host } as never));
    expect(labels()).toEqual(['Graphics', 'Native host']);
    expect(card.element.textContent).not.toContain('–');
    card.update(stateOf('training'));
    expect(labels()).toEqual(expect.arrayContaining(['Parameters', 'Windows', 'Folders']));
  });
});

describe('notices', () => {
  it('announces errors, keeps the newest first and puts one away', () => {
    const list = new Notices(actions);
    document.body.append(list.element);
    const older = {
      level: 'info' as const,
      code: 'a',
      message: 'Older.',
      time: 1,
    };
    const newer = {
      level: 'error' as const,
      code: 'store.disk_full',
      message: 'Newer.',
      time: 2,
    };
    list.update([older, newer]);
    expect(all('notice').map(({ dataset }) => dataset['code'])).toEqual(['store.disk_full', 'a']);
    expect(all('notice').map((notice) => notice.getAttribute('role'))).toEqual(['alert', 'status']);
    all('notice-dismiss')[0]!.click();
    expect(actions.dismissed).toEqual([newer]);
    list.update([older]);
    expect(all('notice')).toHaveLength(1);
  });

  it("calls the configuration's fields as the form does, and leaves a file's name alone", () => {
    const list = new Notices(actions);
    document.body.append(list.element);
    const told = (message: string): string => {
      list.update([{ level: 'error', code: 'a', message, time: 1 }], stateOf('ready'));
      return all('notice')[0]?.querySelector('p')?.textContent ?? '';
    };
    expect(told('data.lookBack is 8, shorter than model.layers, now 16')).toBe(
      '"Look back, rows" is 8, shorter than "Layers", now 16',
    );
    expect(told('training.learningRate is 11')).toBe('"Learning rate" is 11');
    expect(told('data.csv and model.csv are empty')).toBe('data.csv and model.csv are empty');
  });
});
