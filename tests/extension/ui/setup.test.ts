// @vitest-environment happy-dom
// Setting up a run: columns, target, fields, problems, and the configuration that is sent.
import { beforeEach, describe, expect, it } from 'vitest';
import { Bench } from './bench.ts';
import { all, button, choose, input, one, select, type } from './recorder.ts';
import { runConfig } from '../../../extension/src/messages/run_config.ts';
import type { RunState } from '../../../extension/src/messages/state.ts';
import { SelectField } from '../../../extension/src/ui/fields.ts';
import { settingId } from '../../../extension/src/ui/testids.ts';
import { settings } from '../settings.ts';
import { column, description, stateOf } from './states.ts';

const card = { renderer: 'A real card', software: false };
let bench: Bench;

beforeEach(() => {
  localStorage.clear();
  bench = new Bench();
});

describe('set-up', () => {
  it('shows columns with types and statistics, and why some cannot be predicted', () => {
    bench.show(stateOf('ready'));
    expect(all('column-row').map((row) => row.textContent)).toContain('weathercategory5 values');
    const target = select('target');
    expect([...target.options].filter(({ disabled }) => disabled).map(({ text }) => text)).toEqual([
      'date (dates, not numbers)',
    ]);
    const boxes = all<HTMLInputElement>('feature');
    expect(boxes.map(({ disabled }) => disabled)).toEqual([true, false, false, false, false, true]);
    expect(boxes.map(({ checked }) => checked)).toEqual([false, true, true, true, true, false]);
  });

  it('gives a choice the whole width where one of its names needs it, in any script', () => {
    const isWide = (element: Element): boolean => element.classList.contains('wide');
    bench.show(stateOf('ready'));
    expect(isWide(select('device-choice').parentElement!)).toBe(false);
    choose(select('task'), 'regression');
    expect(isWide(select('split').parentElement!)).toBe(true);
    const field = new SelectField({ label: 'a', change: () => undefined });
    const isWideWith = (label: string, disabled = false): boolean => {
      field.show([{ value: 'a', label, disabled }], 'a');
      return isWide(field.element);
    };
    expect([isWideWith('温度'.repeat(6)), isWideWith('温度'.repeat(4))]).toEqual([true, false]);
    expect(isWideWith('temperature'.repeat(6), true)).toBe(false);
  });

  it('finds a column of a wide table by its name, and keeps what was chosen among the others', () => {
    const state = stateOf('ready');
    const columns = Array.from({ length: 1500 }, (_, i) => column(`c${String(i)}`));
    bench.show({ ...state, description: description({ columns }) });
    choose(select('task'), 'forecast');
    expect(all('feature')).toHaveLength(100);
    expect(one('columns-left').textContent).toContain('1,400 more columns');
    type(input('column-filter'), 'C149');
    expect(all('column-row').map(({ dataset }) => dataset['column'])).toEqual([
      'c149',
      ...Array.from({ length: 10 }, (_, i) => `c149${String(i)}`),
    ]);
    expect(one('columns-left').hidden).toBe(true);
    all<HTMLInputElement>('feature')[10]!.click();
    type(input('column-filter'), 'nothing');
    expect(one('columns-left').textContent).toContain('No column');
    type(input('column-filter'), 'c1499');
    expect(all<HTMLInputElement>('feature')[0]!.checked).toBe(false);
    choose(select('target'), 'c1200');
    one('train').click();
    const { features, target } = bench.actions.of('run.start')[0]!.config.data;
    expect(target).toBe('c1200');
    expect(features).toHaveLength(1499);
    expect(features).not.toContain('c1499');
    expect(runConfig(bench.actions.of('run.start')[0]!.config, 'config').data.target).toBe('c1200');
  });

  it('lists repairs with line and column', () => {
    bench.show(stateOf('ready'));
    expect(one('repairs').textContent).toContain('Line 640, column 2:');
  });

  it('offers the arrays of an archive, and asks for others of equally many rows', () => {
    const array = (
      name: string,
      rows: number | null,
      read = false,
    ): RunState['arrays'][number] => ({
      name,
      rows,
      read,
    });
    bench.show(stateOf('ready'));
    expect(document.querySelector('[data-testid="arrays"]')).toBeNull();
    const arrays = [
      array('x', 60, true),
      array('y', 60, true),
      array('test', 10),
      array('k', null),
    ];
    bench.show({ ...stateOf('ready'), source: null, arrays });
    expect(one('arrays').textContent).toContain('2 of the 4 arrays');
    const boxes = all<HTMLInputElement>('array');
    expect(boxes.map(({ checked }) => checked)).toEqual([true, true, false, false]);
    expect(boxes.map(({ disabled }) => disabled)).toEqual([false, false, false, true]);
    expect(button('arrays-read').disabled).toBe(true);
    boxes[2]!.click();
    expect(button('arrays-read').disabled).toBe(true);
    expect(one('arrays').textContent).toContain('equally many rows');
    boxes[0]!.click();
    boxes[1]!.click();
    expect(one('arrays').querySelector<HTMLElement>('.problem')!.hidden).toBe(true);
    button('arrays-read').click();
    expect(bench.actions.of('dataset.arrays')).toEqual([
      { type: 'dataset.arrays', arrays: ['test'] },
    ]);
  });

  it('starts a run with what was chosen', () => {
    bench.show(stateOf('ready'));
    choose(select('target'), 'wind');
    const [, precipitation] = all<HTMLInputElement>('feature');
    precipitation!.click();
    type(input('look-back'), '14');
    type(input('epochs'), '3');
    choose(select('device-choice'), 'webgl');
    all<HTMLInputElement>('model-size')[2]!.click();
    one('train').click();
    const [start] = bench.actions.of('run.start');
    expect(start?.config.data).toMatchObject({
      target: 'wind',
      lookBack: 14,
      features: ['temp_max', 'temp_min', 'wind'],
    });
    expect(start?.config.training).toMatchObject({
      epochs: 3,
      device: 'webgl',
    });
    expect(start?.config.model).toEqual({
      name: 'lstm',
      hidden: 64,
      layers: 1,
      dropout: 0,
    });
  });

  it('makes the advanced fields from the model registry, tied to the size', () => {
    bench.show(stateOf('ready'));
    const fields = all<HTMLInputElement>('model-field');
    expect(fields.map(({ dataset }) => dataset['field'])).toEqual(['hidden', 'layers', 'dropout']);
    expect(fields[2]).toMatchObject({ min: '0', max: '0.9' });
    type(fields[0]!, '48');
    expect(all<HTMLInputElement>('model-size').some(({ checked }) => checked)).toBe(false);
    one('train').click();
    expect(bench.actions.of('run.start')[0]?.config.model['hidden']).toBe(48);
  });

  it('offers only models that forecast, with a field of every type', () => {
    const field = { min: 0, max: 1, choices: [], help: '' };
    const state = stateOf('ready');
    bench.show({
      ...state,
      models: [
        ...state.models,
        {
          name: 'patchtst',
          label: 'PatchTST',
          task: 'forecast',
          help: 'Patches.',
          fields: [
            { ...field, name: 'width', type: 'int', default: 64, max: 1024 },
            { ...field, name: 'revin', type: 'bool', default: true },
            {
              ...field,
              name: 'activation',
              type: 'choice',
              default: 'gelu',
              choices: ['gelu', 'relu'],
            },
          ],
        },
        {
          name: 'convnet',
          label: 'ConvNet',
          task: 'image',
          help: 'Pictures.',
          fields: [],
        },
      ],
    });
    const model = select('model');
    expect([...model.options].map(({ value }) => value)).toEqual(['lstm', 'patchtst']);
    expect([...model.options].map(({ text }) => text)).toEqual(['LSTM', 'PatchTST']);
    expect(one('model-help').textContent).toMatch(/^Reads the series/);
    choose(model, 'patchtst');
    expect(one('model-help').textContent).toBe('Patches.');
    const [, revin, activation] = all('model-field') as [
      HTMLInputElement,
      HTMLInputElement,
      HTMLSelectElement,
    ];
    const size = all<HTMLInputElement>('model-size');
    expect(size.map(({ checked }) => checked)).toEqual([false, true, false]);
    size[2]!.click();
    expect(revin.checked).toBe(true);
    expect([...activation.options].map(({ text }) => text)).toEqual(['Gelu', 'Relu']);
    revin.click();
    choose(activation, 'relu');
    one('train').click();
    expect(bench.actions.of('run.start')[0]?.config.model).toEqual({
      name: 'patchtst',
      width: 128,
      revin: false,
      activation: 'relu',
    });
  });

  it('makes a control for every field that the core describes, at once or under "More settings"', () => {
    bench.show(stateOf('ready', { webgl: card }));
    const more = one('advanced').closest('details');
    expect(more?.open).toBe(false);
    expect(one('advanced').textContent).toBe('More settings');
    for (const { name, place, type: kind, label, help } of settings) {
      if (place === 'elsewhere') continue;
      const control = one(settingId(name)) as HTMLInputElement;
      expect([name, more?.contains(control)]).toEqual([name, place === 'more']);
      const types = {
        int: 'number',
        float: 'number',
        bool: 'checkbox',
        choice: 'select-one',
      };
      expect([name, control.type]).toEqual([name, types[kind as keyof typeof types]]);
      expect(control.labels?.[0]?.textContent).toBe(label);
      const told = document.getElementById(control.getAttribute('aria-describedby') ?? '');
      expect([name, told?.textContent]).toEqual([name, help]);
    }
  });

  it('offers a graphics card only where there is one, and says what is known of it', () => {
    const hint = (): string => document.getElementById('device-choice-hint')?.textContent ?? '';
    const offered = (): string[] =>
      [...select('device-choice').options]
        .filter(({ disabled }) => !disabled)
        .map(({ text }) => text);
    bench.show(stateOf('ready', { webgl: card }));
    expect(offered()).toEqual(['Choose for me', 'Processor', 'Graphics card']);
    expect(hint()).toContain('tries both');
    bench.open();
    bench.show(stateOf('ready'));
    expect(offered()).toHaveLength(3);
    expect(hint()).toContain('emulated on the processor (ANGLE (SwiftShader))');
    bench.open();
    bench.show(stateOf('ready', { webgl: null, webglReason: 'WebGL2 is switched off' }));
    expect(offered()).toEqual(['Choose for me', 'Processor']);
    expect(hint()).toContain('WebGL2 is switched off');
  });

  it('does not keep a graphics card that an earlier run had and this machine has not', () => {
    const before = stateOf('ready').config ?? stateOf('finished').config!;
    const config = {
      ...before,
      training: { ...before.training, device: 'webgl' },
    };
    bench.show(stateOf('ready', { config, webgl: card }));
    expect(select('device-choice').value).toBe('webgl');
    localStorage.clear();
    bench.open();
    bench.show(stateOf('ready', { config, webgl: null, webglReason: 'None.' }));
    expect(select('device-choice').value).toBe('auto');
    one('train').click();
    expect(bench.actions.of('run.start')[0]?.config.training['device']).not.toBe('webgl');
  });

  it('finds the task from the target and shows its fields, columns and models alone', () => {
    bench.show(stateOf('ready'));
    const shown = (): string[] =>
      settings
        .filter(({ when }) => when?.field === 'task')
        .map(({ name }) => name)
        .filter((name) => !one(settingId(name)).closest<HTMLElement>('.field')?.hidden);
    const boxes = (): (boolean | null)[] =>
      all<HTMLInputElement>('feature').map(({ disabled, checked }) => (disabled ? null : checked));
    expect(select('task').value).toBe('forecast');
    expect(shown()).toEqual(['lookBack', 'horizon', 'loss']);
    choose(select('target'), 'weather');
    expect(select('task').value).toBe('classification');
    const able = [...select('task').options].filter(({ disabled }) => !disabled);
    expect(able.map(({ value }) => value)).toEqual(['classification']);
    expect(shown()).toEqual(['split', 'scaling', 'classWeights']);
    expect(boxes()).toEqual([null, true, true, true, true, null]);
    choose(select('target'), 'wind');
    choose(select('task'), 'regression');
    expect(shown()).toEqual(['split', 'scaling', 'loss']);
    expect(boxes()).toEqual([null, true, true, true, null, true]);
    expect(all('model-field').map(({ dataset }) => dataset['field'])).toEqual(['width']);
    choose(select('split'), 'order');
    one('train').click();
    expect(bench.actions.of('run.start')[0]?.config).toEqual({
      model: { name: 'residual_mlp', width: 64 },
      data: {
        task: 'regression',
        split: 'order',
        target: 'wind',
        features: ['precipitation', 'temp_max', 'temp_min', 'weather'],
      },
      training: { epochs: 135, patience: 20, schedule: 'cosine' },
    });
  });

  it('shows the fields of the chosen optimiser and schedule alone, with their own defaults', () => {
    bench.show(stateOf('ready'));
    const shown = (): string[] =>
      settings
        .filter(({ when }) => when !== null && when.field !== 'task')
        .map(({ name }) => name)
        .filter((name) => !one(settingId(name)).closest<HTMLElement>('.field')?.hidden);
    expect(shown()).toEqual(['weightDecay', 'beta1', 'beta2', 'eps']);
    choose(select('optimizer'), 'muon');
    expect(shown()).toEqual(['weightDecay', 'momentum', 'nesterov', 'beta1', 'beta2', 'eps']);
    expect(input('momentum').value).toBe('0.95');
    expect(input('nesterov').checked).toBe(true);
    choose(select('optimizer'), 'sgd');
    expect(input('momentum').value).toBe('0');
    expect(input('nesterov').checked).toBe(false);
    choose(select('schedule'), 'step');
    expect(shown()).toEqual(['weightDecay', 'momentum', 'nesterov', 'stepSize', 'gamma']);
    type(input('momentum'), '2');
    expect(button('train').disabled).toBe(true);
    type(input('momentum'), '0.8');
    input('nesterov').click();
    one('train').click();
    expect(bench.actions.of('run.start')[0]?.config.training).toEqual({
      optimizer: 'sgd',
      momentum: 0.8,
      nesterov: true,
      schedule: 'step',
    });
  });

  it('forgets a problem of a field that matters no more', () => {
    bench.show(stateOf('ready'));
    choose(select('optimizer'), 'sgd');
    type(input('momentum'), '');
    expect(button('train').disabled).toBe(true);
    choose(select('optimizer'), 'adam');
    expect(button('train').disabled).toBe(false);
  });

  it('refuses to train on a bad field and says why beside it', () => {
    bench.show(stateOf('ready'));
    const horizon = input('horizon');
    type(horizon, '0');
    expect(button('train').disabled).toBe(true);
    expect(horizon.getAttribute('aria-invalid')).toBe('true');
    const problem = document.getElementById(horizon.getAttribute('aria-errormessage') ?? '');
    expect(problem?.textContent).toMatch(/whole number from 1/);
    type(horizon, '2');
    expect(button('train').disabled).toBe(false);
    expect(horizon.hasAttribute('aria-invalid')).toBe(false);
  });

  it('says that a file without numbers cannot be trained on', () => {
    const texts = description({
      columns: description().columns.filter(({ type: kind }) => kind !== 'number'),
    });
    bench.show(stateOf('ready', { description: texts }));
    expect(button('train').disabled).toBe(true);
    expect(document.body.textContent).toContain('no column of numbers');
  });

  it('keeps the choices when the page is closed and opened again, for the same file only', () => {
    bench.show(stateOf('ready'));
    type(input('epochs'), '7');
    bench.open();
    bench.show(stateOf('ready'));
    expect(input('epochs').value).toBe('7');
    bench.open();
    bench.show(stateOf('ready', { description: description({ rows: 900 }) }));
    expect(input('epochs').value).toBe('20');
  });

  it('ignores a draft that somebody spoiled', () => {
    localStorage.setItem('shadegrad.draft', '{"identity":');
    bench.show(stateOf('ready'));
    expect(input('epochs').value).toBe('20');
  });

  it('cannot be sent twice', () => {
    bench.show(stateOf('ready'), ['run.start']);
    expect(button('train').disabled).toBe(true);
  });
});
