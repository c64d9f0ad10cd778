// First choices from the columns, the check of each field, and the configuration made from them.
import { describe, expect, it } from 'vitest';
import { runConfig } from '../../../extension/src/messages/commands.ts';
import {
  checkChoices,
  choicesFromConfig,
  defaultChoices,
  toRunConfig,
  whyNotTarget,
} from '../../../extension/src/ui/choices.ts';
import type { Choices } from '../../../extension/src/ui/choices.ts';
import { column, config, description, stateOf } from './states.ts';

const { models } = stateOf('ready');
const model = models[0];
const data = description();
const field = { type: 'choice' as const, min: null, max: null, choices: [], help: '' };

function choices(change: Partial<Choices> = {}): Choices {
  return { ...defaultChoices(data, models), ...change };
}

describe('defaultChoices', () => {
  it('learns from every number column and forecasts a likely one, a week from a month of days', () => {
    const made = choices();
    expect(made.features).toEqual(['precipitation', 'temp_max', 'temp_min', 'wind']);
    expect(made.target).toBe('temp_max');
    expect([made.lookBack, made.horizon]).toEqual([30, 7]);
    expect(made.fields).toEqual({ hidden: 32, layers: 1, dropout: 0 });
    expect(made.device).toBe('auto');
  });

  it('forecasts the last number column when no name stands out', () => {
    const plain = description({
      columns: [column('a'), column('b'), column('c', { type: 'text' })],
    });
    expect(defaultChoices(plain, models).target).toBe('b');
  });

  it('leaves out a column that has no value', () => {
    const trailing = description({
      columns: [column('a'), column('b'), column('column_3', { count: 0, missing: 100 })],
    });
    const made = defaultChoices(trailing, models);
    expect(made.features).toEqual(['a', 'b']);
    expect(made.target).toBe('b');
  });

  it('keeps the window small in a short file', () => {
    const short = description({ rows: 40 });
    const made = defaultChoices(short, models);
    expect(made.lookBack).toBeLessThanOrEqual(2);
    expect(checkChoices(made, short, model)).toEqual({});
  });

  it('gives choices that the worker takes', () => {
    expect(() => runConfig(toRunConfig(choices()), 'config')).not.toThrow();
  });
});

describe('checkChoices', () => {
  it('finds nothing against the first choices', () => {
    expect(checkChoices(choices(), data, model)).toEqual({});
  });

  it.each<[keyof Choices, Partial<Choices>, RegExp]>([
    ['lookBack', { lookBack: 0 }, /whole number from 1/],
    ['lookBack', { lookBack: 1.5 }, /whole number/],
    ['lookBack', { lookBack: NaN }, /whole number/],
    ['horizon', { horizon: -1 }, /whole number/],
    ['epochs', { epochs: 0 }, /whole number/],
    ['learningRate', { learningRate: 0 }, /number from/],
    ['validationFraction', { validationFraction: 1 }, /number from/],
    ['seed', { seed: -1 }, /whole number/],
    ['features', { features: [] }, /at least one column/],
    ['target', { target: 'weather' }, /holds categories; only numbers/],
    ['target', { target: 'gone' }, /no column of numbers/],
  ])('refuses a bad %s', (key, change, problem) => {
    expect(checkChoices(choices(change), data, model)[key]).toMatch(problem);
  });

  it('refuses a window that the rows cannot hold, naming both parts', () => {
    const { lookBack } = checkChoices(choices({ lookBack: 1400, horizon: 7 }), data, model);
    expect(lookBack).toMatch(/1,169 training rows and 292 held-out rows/);
  });

  it("checks the model's own fields by the registry's limits", () => {
    const problems = checkChoices(
      choices({ fields: { hidden: 0, layers: 1.5, dropout: 0.95 } }),
      data,
      model,
    );
    expect(problems['field:hidden']).toMatch(/from 1 to 1024/);
    expect(problems['field:layers']).toMatch(/whole number/);
    expect(problems['field:dropout']).toMatch(/from 0 to 0.9/);
  });

  it('says why text cannot be forecast', () => {
    expect(whyNotTarget(column('note', { type: 'text' }))).toBe(
      '"note" holds text; only numbers can be forecast.',
    );
    expect(whyNotTarget(column('date', { type: 'datetime' }))).toMatch(/holds dates/);
    expect(whyNotTarget(column('wind'))).toBeNull();
  });
});

describe('choicesFromConfig', () => {
  it('takes over an earlier run', () => {
    const made = choicesFromConfig(
      { ...config, model: { name: 'lstm', hidden: 64 } },
      data,
      models,
    );
    expect(made.fields).toEqual({ hidden: 64, layers: 1, dropout: 0 });
    expect(made.epochs).toBe(20);
    expect(made.lookBack).toBe(30);
  });

  it('drops columns that this file lacks', () => {
    const other = {
      ...config,
      data: { ...config.data, features: ['wind', 'gone'], target: 'gone' },
    };
    const made = choicesFromConfig(other, data, models);
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
      choicesFromConfig({ ...config, model: { name: 'lstm', ...own } }, data, [richer]).fields;
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
    const made = choices({
      epochs: 3,
      loss: 'mae',
      device: 'webgl',
      horizon: 2,
    });
    expect(choicesFromConfig(toRunConfig(made), data, models)).toEqual(made);
  });
});
