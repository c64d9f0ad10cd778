// First choices from the columns, the check of each field, and the configuration made from them.
import { describe, expect, it } from 'vitest';
import { runConfig } from '../../../extension/src/messages/run_config.ts';
import {
  checkChoices,
  choicesFromConfig,
  defaultChoices,
  taskOf,
  toRunConfig,
  withTarget,
  withTask,
} from '../../../extension/src/ui/choices.ts';
import type { Choices } from '../../../extension/src/ui/choices.ts';
import { whyNotTarget } from '../../../extension/src/ui/tasks.ts';
import { Settings } from '../../../extension/src/ui/settings.ts';
import type { Given } from '../../../extension/src/ui/settings.ts';
import { settings as described } from '../settings.ts';
import type { ColumnDescription } from '../../../extension/src/messages/state.ts';
import { column, config, description, stateOf } from './states.ts';

const { models } = stateOf('ready');
const model = models[0];
const data = description();
const field = { type: 'choice' as const, min: null, max: null, choices: [], help: '' };

const settings = new Settings(described);
const [date] = data.columns as [ColumnDescription];
const kind = column('kind', { type: 'category', distinct: 3 });
const flowers = description({
  rows: 150,
  columns: [
    column('length'),
    column('width'),
    column('kind_of_leaf', { ...kind, name: 'leaf' }),
    kind,
  ],
});

function choices(change: Partial<Choices> = {}): Choices {
  return { ...defaultChoices(data, models), ...change };
}

const giving = (given: Given): Choices =>
  choices({ given: { ...defaultChoices(data, models).given, ...given } });

describe('defaultChoices', () => {
  it('learns from every number column and forecasts a likely one, a week from a month of days', () => {
    const made = choices();
    expect(made.features).toEqual(['precipitation', 'temp_max', 'temp_min', 'wind']);
    expect(made.target).toBe('temp_max');
    expect(made.given).toEqual({ task: 'forecast', lookBack: 30, horizon: 7 });
    expect(made.fields).toEqual({ hidden: 32, layers: 1, dropout: 0 });
    expect(settings.value('device', made.given)).toBe('auto');
  });

  it('forecasts the last number column when no name stands out', () => {
    const plain = description({
      columns: [date, column('a'), column('b'), column('c', { type: 'text' })],
    });
    expect(defaultChoices(plain, models).target).toBe('b');
  });

  it('leaves out a column that has no value', () => {
    const trailing = description({
      columns: [date, column('a'), column('b'), column('column_3', { count: 0, missing: 100 })],
    });
    const made = defaultChoices(trailing, models);
    expect(made.features).toEqual(['a', 'b']);
    expect(made.target).toBe('b');
  });

  it('keeps the window small in a short file', () => {
    const short = description({ rows: 40 });
    const made = defaultChoices(short, models);
    expect(made.given['lookBack']).toBeLessThanOrEqual(2);
    expect(checkChoices(made, short, model, settings)).toEqual({});
  });

  it('gives choices that the worker takes', () => {
    expect(() => runConfig(toRunConfig(choices(), settings), 'config')).not.toThrow();
  });
});

describe('checkChoices', () => {
  it('finds nothing against the first choices', () => {
    expect(checkChoices(choices(), data, model, settings)).toEqual({});
  });

  it.each<[string, Choices, RegExp]>([
    ['setting:lookBack', giving({ lookBack: 0 }), /whole number from 1/],
    ['setting:lookBack', giving({ lookBack: 1.5 }), /whole number/],
    ['setting:lookBack', giving({ lookBack: NaN }), /whole number/],
    ['setting:horizon', giving({ horizon: -1 }), /whole number/],
    ['setting:epochs', giving({ epochs: 0 }), /whole number/],
    ['setting:learningRate', giving({ learningRate: 0 }), /number from/],
    ['setting:validationFraction', giving({ validationFraction: 1 }), /number from/],
    ['setting:seed', giving({ seed: -1 }), /whole number/],
    ['setting:ema', giving({ ema: 1 }), /number from 0/],
    ['setting:optimizer', giving({ optimizer: 'adamax' }), /Choose one/],
    ['features', choices({ features: [] }), /at least one column/],
    ['target', choices({ target: 'date' }), /holds dates; only numbers and categories/],
    ['target', choices({ target: 'gone' }), /no column of numbers or categories/],
  ])('refuses a bad %s', (key, made, problem) => {
    expect(checkChoices(made, data, model, settings)[key]).toMatch(problem);
  });

  it('refuses a window that the rows cannot hold, naming both parts', () => {
    const made = giving({ lookBack: 1400, horizon: 7 });
    expect(checkChoices(made, data, model, settings)['setting:lookBack']).toMatch(
      /1,169 training rows and 292 held-out rows/,
    );
  });

  it('asks nothing of a field that does not matter', () => {
    const bad = { momentum: 2 };
    expect(checkChoices(giving(bad), data, model, settings)).toEqual({});
    const sgd = giving({ ...bad, optimizer: 'sgd' });
    expect(checkChoices(sgd, data, model, settings)).toHaveProperty('setting:momentum');
  });

  it("checks the model's own fields by the registry's limits", () => {
    const problems = checkChoices(
      choices({ fields: { hidden: 0, layers: 1.5, dropout: 0.95 } }),
      data,
      model,
      settings,
    );
    expect(problems['field:hidden']).toMatch(/from 1 to 1024/);
    expect(problems['field:layers']).toMatch(/whole number/);
    expect(problems['field:dropout']).toMatch(/from 0 to 0.9/);
  });

  it('says why a column cannot be predicted', () => {
    expect(whyNotTarget(column('note', { type: 'text' }))).toBe(
      '"note" holds text; only numbers and categories can be predicted.',
    );
    expect(whyNotTarget(column('date', { type: 'datetime' }))).toMatch(/holds dates/);
    expect(whyNotTarget(column('wind'))).toBeNull();
    expect(whyNotTarget(kind)).toBeNull();
    expect(whyNotTarget({ ...kind, distinct: 1 })).toMatch(/the same value in every row/);
    expect(whyNotTarget({ ...kind, distinct: 101 })).toMatch(/too many different values/);
    expect(whyNotTarget(column('none', { count: 0 }))).toMatch(/has no value/);
  });
});

describe('choicesFromConfig', () => {
  it('takes over an earlier run', () => {
    const made = choicesFromConfig(
      { ...config, model: { name: 'lstm', hidden: 64 } },
      data,
      models,
      settings,
    );
    expect(made.fields).toEqual({ hidden: 64, layers: 1, dropout: 0 });
    expect(settings.value('epochs', made.given)).toBe(20);
    expect(made.given['lookBack']).toBe(30);
  });

  it('drops columns that this file lacks', () => {
    const other = {
      ...config,
      data: { ...config.data, features: ['wind', 'gone'], target: 'gone' },
    };
    const made = choicesFromConfig(other, data, models, settings);
    expect(made.features).toEqual(['wind']);
    expect(made.target).toBe('temp_max');
  });

  it("keeps the values that are still of their field's kind, and a choice that is still offered", () => {
    const richer = {
      ...model!,
      fields: [
        ...model!.fields,
        { ...field, name: 'revin', type: 'bool' as const, default: true },
        { ...field, name: 'activation', default: 'gelu', choices: ['gelu', 'relu'] },
      ],
    };
    const made = (own: Record<string, number | boolean | string>) =>
      choicesFromConfig({ ...config, model: { name: 'lstm', ...own } }, data, [richer], settings)
        .fields;
    expect(made({ hidden: '9', revin: false, activation: 'relu', gone: 1 })).toEqual({
      hidden: 32,
      layers: 1,
      dropout: 0,
      revin: false,
      activation: 'relu',
    });
    expect(made({ revin: 1, activation: 'swish' })).toMatchObject({
      revin: true,
      activation: 'gelu',
    });
  });

  it('is the inverse of toRunConfig', () => {
    const made = giving({ epochs: 3, loss: 'mae', device: 'webgl', horizon: 2 });
    expect(choicesFromConfig(toRunConfig(made, settings), data, models, settings)).toEqual(made);
  });

  it('keeps only what an earlier run had other than the defaults that go with its choices', () => {
    const training = { optimizer: 'muon', momentum: 0.95, nesterov: true, beta1: 0.9, epochs: 20 };
    const made = choicesFromConfig({ ...config, training }, data, models, settings);
    expect(made.given).toEqual({ task: 'forecast', lookBack: 30, horizon: 7, optimizer: 'muon' });
  });
});

describe('toRunConfig', () => {
  it('sends what was given and matters; the core knows the rest', () => {
    const given = { optimizer: 'adamw', momentum: 0.5, beta2: 0.95, gamma: 0.3 };
    const { training, data: rows } = toRunConfig(giving(given), settings);
    expect(training).toEqual({ optimizer: 'adamw', beta2: 0.95 });
    expect(rows).toMatchObject({ lookBack: 30, horizon: 7, target: 'temp_max' });
  });
});

describe('the task', () => {
  const columnsOf = (...columns: ColumnDescription[]) => description({ columns });
  const found = (...columns: ColumnDescription[]) => {
    const made = defaultChoices(columnsOf(...columns), models);
    return [made.target, taskOf(made)];
  };

  it('is found from the data and the target', () => {
    expect(found(date, column('a'), kind)).toEqual(['a', 'forecast']);
    expect(found(column('a'))).toEqual(['a', 'forecast']);
    expect(found(column('a'), column('b'))).toEqual(['b', 'regression']);
    expect(found(column('a'), kind)).toEqual(['kind', 'classification']);
    expect(found(kind, column('a'))).toEqual(['a', 'regression']);
    const yes = column('yes', { min: 0, max: 1, distinct: 2 });
    expect(found(column('a'), yes)).toEqual(['yes', 'classification']);
    expect(found(column('species', kind), column('a'), { ...kind, name: 'class' })).toEqual([
      'class',
      'classification',
    ]);
  });

  it('takes a model for tables, and every column but the target', () => {
    const made = defaultChoices(flowers, models);
    expect(made.model).toBe('residual_mlp');
    expect(made.features).toEqual(['length', 'width', 'leaf']);
    const { data: sent, training } = toRunConfig(made, settings);
    expect(sent).toEqual({
      task: 'classification',
      target: 'kind',
      features: ['length', 'width', 'leaf'],
    });
    expect(training).toEqual({ epochs: 200, patience: 30, schedule: 'cosine' });
    expect(checkChoices(made, flowers, models[1], settings)).toEqual({});
  });

  it('goes through few rows often, and through many as often as a series', () => {
    const trainingOf = (rows: number): unknown => {
      const made = defaultChoices({ ...flowers, rows }, models);
      return toRunConfig(made, settings).training;
    };
    expect(trainingOf(20)).toEqual(trainingOf(300));
    expect(trainingOf(3000)).toMatchObject({ epochs: 67, patience: 10 });
    expect(trainingOf(1_000_000)).toMatchObject({ epochs: 20, patience: 5 });
    expect(toRunConfig(choices(), settings).training).toEqual({});
  });

  it('leaves how it is trained to its task, but for what the person gave', () => {
    const made = defaultChoices(flowers, models);
    const width = withTarget(made, 'width', flowers, models);
    const patient = { ...width, given: { ...width.given, patience: 50 } };
    const series = withTask(patient, 'forecast', flowers, models);
    expect(toRunConfig(series, settings).training).toEqual({ patience: 50 });
    const table = withTask(series, 'regression', flowers, models);
    const training = { epochs: 200, patience: 50, schedule: 'cosine' };
    expect(toRunConfig(table, settings).training).toEqual(training);
    // A run that went through the rows as often as the core does by itself goes on to do so.
    const sent = toRunConfig(table, settings);
    const short = { ...sent, training: { ...training, epochs: 20, schedule: 'constant' } };
    const again = choicesFromConfig(short, flowers, models, settings);
    expect(toRunConfig(again, settings).training).toEqual({ patience: 50 });
  });

  it('gives the old target back when another is chosen, and never learns from the new one', () => {
    const made = defaultChoices(flowers, models);
    const width = withTarget(made, 'width', flowers, models);
    expect(taskOf(width)).toBe('regression');
    expect(width.features).toEqual(['length', 'leaf', 'kind']);
    const leaky = { ...width, features: [...width.features, 'width'] };
    expect(checkChoices(leaky, flowers, models[1], settings)).toHaveProperty('features');
  });

  it('stays what the person made it as long as the target allows', () => {
    const made = defaultChoices(flowers, models);
    const width = withTarget(made, 'width', flowers, models);
    const series = withTask(width, 'forecast', flowers, models);
    expect(series.model).toBe('lstm');
    expect(series.features).toEqual(['length', 'width']);
    expect(taskOf(withTarget(series, 'length', flowers, models))).toBe('forecast');
    const leaf = withTarget(series, 'leaf', flowers, models);
    expect([taskOf(leaf), leaf.model]).toEqual(['classification', 'residual_mlp']);
    expect(leaf.features).toEqual(['length', 'width', 'kind']);
  });

  it('comes back from a configuration, and a table leaves nothing of its own to a forecast', () => {
    const made = withTask(
      withTarget(defaultChoices(flowers, models), 'width', flowers, models),
      'classification',
      flowers,
      models,
    );
    const sent = toRunConfig({ ...made, given: { ...made.given, split: 'order' } }, settings);
    expect(sent.data).toMatchObject({ task: 'classification', split: 'order' });
    const again = choicesFromConfig(sent, flowers, models, settings);
    expect(toRunConfig(again, settings)).toEqual(sent);
    const resolved = { ...sent, data: { ...sent.data, lookBack: 1, horizon: 1 } };
    const back = choicesFromConfig(resolved, flowers, models, settings);
    expect(back.given).toMatchObject({ lookBack: 7, horizon: 1 });
    const bare = { ...config, data: { features: ['length'], target: 'width' } };
    expect(taskOf(choicesFromConfig(bare, flowers, models, settings))).toBe('forecast');
  });
});
