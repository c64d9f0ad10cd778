// @vitest-environment happy-dom
// A finished run on a table: its verdict, everything that was measured, and predictions on another file.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Evaluation } from '../../../extension/src/messages/evaluation.ts';
import { metricOf } from '../../../extension/src/ui/metric.ts';
import { PredictCard } from '../../../extension/src/ui/predict_card.ts';
import { announcement, viewRun } from '../../../extension/src/ui/run_view.ts';
import { TableResult } from '../../../extension/src/ui/table_result.ts';
import { judgeTable } from '../../../extension/src/ui/table_verdict.ts';
import { Bench } from './bench.ts';
import { classified, regressed, tableState } from './judged_states.ts';
import { all, choose, one, Recorder, select, settle } from './recorder.ts';
import { stateOf } from './states.ts';

const rowsOf = (id: string): string[][] =>
  [...one(id).querySelectorAll('tr')].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );

function show(evaluation: Evaluation): void {
  const card = new TableResult();
  document.body.replaceChildren(card.element);
  const task = evaluation.classification === null ? 'regression' : 'classification';
  card.update(tableState('finished', task), { evaluation, problem: null });
}

describe('the verdict of a table', () => {
  it('tells how often a classification is right, and is by its log loss', () => {
    const { kind, sentence } = judgeTable(classified, 'species');
    expect(kind).toBe('better');
    expect(sentence).toBe(
      'Right for 93.3% of the held-out rows; the commonest class alone would be right for 33.3%, ' +
        'logistic regression for 90.0%. That is 25% better than logistic regression (log loss).',
    );
  });

  it('calls a draw a draw, and a model that loses by its name', () => {
    expect(judgeTable(regressed, 'petal width')).toMatchObject({ kind: 'equal' });
    const { model, ...others } = regressed.regression!;
    const bad = { ...regressed, regression: { ...others, model: { ...model, rmse: 1 } } };
    const { kind, sentence } = judgeTable(bad, 'petal width');
    expect(kind).toBe('worse');
    expect(sentence).toMatch(
      /^Off by 0.1612 on average, in the units of petal width; .* worse than ridge/,
    );
  });

  it('is sound beside a rival without error', () => {
    const { ridge, ...others } = regressed.regression!;
    const exact = { ...regressed, regression: { ...others, ridge: { ...ridge, rmse: 0 } } };
    expect(judgeTable(exact, 'a')).toMatchObject({ kind: 'worse', skill: null });
  });
});

describe('a finished run on a table', () => {
  let bench: Bench;
  beforeEach(() => {
    localStorage.clear();
    bench = new Bench();
  });

  it('is measured once, and says what it is worth', async () => {
    bench.actions.answers['evaluation.get'] = classified;
    bench.show(tableState('training', 'classification'));
    expect(bench.actions.of('evaluation.get')).toEqual([]);
    bench.show(tableState('finished', 'classification'));
    expect(one('verdict').textContent).toMatch(/^Measuring the model/);
    await settle();
    bench.show(tableState('finished', 'classification'));
    expect(bench.actions.of('evaluation.get')).toHaveLength(1);
    expect(one('verdict').dataset['kind']).toBe('better');
    expect(one('naive-loss').textContent).toBe('1.0986');
    expect(one('seasonal-loss').textContent).toBe('0.2800');
  });

  it('says why it could not be measured, and tries again', async () => {
    bench.actions.later['evaluation.get'] = Promise.reject(new Error('No memory is left.'));
    bench.show(tableState('finished', 'classification'));
    await settle();
    expect(one('verdict').textContent).toBe('The model could not be measured: No memory is left.');
    delete bench.actions.later['evaluation.get'];
    bench.actions.answers['evaluation.get'] = classified;
    one('judge-again').click();
    await settle();
    expect(one('verdict').dataset['kind']).toBe('better');
    expect(one('judge-again').hidden).toBe(true);
  });

  it('is not asked of a forecast', () => {
    bench.show(stateOf('finished'));
    expect(bench.actions.of('evaluation.get')).toEqual([]);
  });

  it("shows the task's own measure while it trains", () => {
    const state = tableState('training', 'classification');
    bench.show(state);
    expect(one('metric').textContent).toBe('Right, held out: 93.3%');
    expect(viewRun(state).task).toBe('species from 4 columns');
    expect(metricOf(tableState('training', 'regression'))).toEqual({
      label: 'R², held out',
      value: '0.912',
    });
    const none = { ...state, history: { ...state.history, epochs: [] } };
    bench.show(none);
    expect(one('metric').hidden).toBe(true);
    expect(announcement(tableState('finished', 'classification'))).toMatch(
      /Right, held out: 93.3%/,
    );
  });
});

describe('what was measured of a classification', () => {
  beforeEach(() => {
    show(classified);
  });

  it('is a confusion matrix with every count', () => {
    expect(rowsOf('confusion').slice(1)).toEqual([
      ['setosa', '10', '0', '0'],
      ['versicolor', '0', '9', '1'],
      ['virginica', '0', '1', '9'],
    ]);
    const right = [...one('confusion').querySelectorAll<HTMLElement>('td[data-right]')];
    expect(right.map(({ dataset }) => dataset['level'])).toEqual(['4', '4', '4']);
  });

  it('is precision, recall and F1 of each class', () => {
    expect(rowsOf('by-class')[2]).toEqual(['versicolor', '90.0%', '90.0%', '0.900', '10']);
  });

  it('is the curves of the chosen class', () => {
    expect(one('areas').textContent).toMatch(/^setosa against all others: .* 0.981, .* 0.967/);
    choose(select('curve-class'), '2');
    expect(one('areas').textContent).toMatch(/^virginica/);
  });

  it('is the worst mistakes, by line where it is known', () => {
    expect(rowsOf('worst')[1]).toEqual(['Line 85', 'versicolor', 'virginica', '88.0%', '12.0%']);
    expect(rowsOf('worst')[2]?.[0]).toBe('Row 120');
  });

  it('is what the model relies on, a bar and a number each', () => {
    const rows = [...one('importance').children].map((row) => row.textContent);
    expect(rows).toEqual([
      'petal length0.812',
      'petal width0.433',
      'sepal length0.021',
      'sepal width-0.004',
    ]);
    const values = [...one('importance').querySelectorAll('progress')].map(({ value }) => value);
    expect(values[0]).toBe(1);
    expect(values[3]).toBe(0);
  });

  it('says so where nothing was wrong', () => {
    show({ ...classified, classification: { ...classified.classification!, worst: [] } });
    expect(one('worst').textContent).toMatch(/^None of the held-out rows/);
  });
});

describe('what was measured of a regression', () => {
  it('is its errors beside those of the mean and of ridge regression, and the worst of them', () => {
    show(regressed);
    expect(rowsOf('error-table').slice(1)).toEqual([
      ['This model', '0.1612', '0.2104', '0.912'],
      ['Always saying the mean', '0.6600', '0.7591', '-0.003'],
      ['Ridge regression', '0.1700', '0.2111', '0.910'],
    ]);
    expect(rowsOf('worst')[1]).toEqual(['Line 136', '1.40', '1.95', '0.55']);
    expect(all('confusion')).toEqual([]);
  });
});

describe('predicting on new data', () => {
  let actions: Recorder;
  let card: PredictCard;
  const pick = async (): Promise<void> => {
    const input = one('predict-file') as HTMLInputElement;
    Object.defineProperty(input, 'files', {
      value: [new File(['a'], 'new.csv')],
      configurable: true,
    });
    input.dispatchEvent(new Event('change'));
    await settle();
  };

  beforeEach(() => {
    actions = new Recorder();
    card = new PredictCard(actions);
    document.body.replaceChildren(card.element);
    card.update(tableState('finished', 'classification'));
  });

  it('is offered when the run has finished', () => {
    expect(card.element.hidden).toBe(false);
    card.update(tableState('training', 'classification'));
    expect(card.element.hidden).toBe(true);
  });

  it('says what was saved, and which values training never saw', async () => {
    actions.answers['predictions.make'] = {
      name: 'new-predictions.csv',
      blob: new Blob(['row,prediction\n']),
      rows: 12,
      unseen: [{ column: 'leaf', example: 'blue', rows: 3 }],
    };
    await pick();
    expect(actions.of('predictions.make')[0]?.source).toMatchObject({ kind: 'file' });
    expect(one('predicted').textContent).toBe('12 predictions were saved as new-predictions.csv.');
    expect(one('unseen').textContent).toMatch(/^leaf: 3 rows .* "blue"/);
  });

  it('says which columns are missing', async () => {
    const reason = "'new.csv' lacks 'petal width', which the model learnt from";
    actions.later['predictions.make'] = Promise.reject(new Error(reason));
    await pick();
    expect(one('predict-problem').textContent).toBe(reason);
    expect(one('predicted').textContent).toBe('');
    expect((one('predict-file') as HTMLInputElement).disabled).toBe(false);
  });
});
