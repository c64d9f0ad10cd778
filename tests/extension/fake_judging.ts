// The part of the core without mathematics that judges a run: an evaluation of three turns, and predictions that echo the
// rows of a data set by the piece.
import type {
  EvaluateReply,
  PredictionTurn,
} from '../../extension/src/training/judging_replies.ts';
import { CoreError } from '../../extension/src/training/core.ts';

export const EVALUATION: NonNullable<EvaluateReply['evaluation']> = {
  task: 'regression',
  step: 20,
  rows: 2,
  of: 2,
  importance: [{ feature: 'a', growth: 0.5 }],
  importanceRows: 2,
  classification: null,
  regression: {
    model: { mae: 1, rmse: 1, r2: 0.9 },
    mean: { mae: 3, rmse: 3, r2: 0 },
    ridge: { mae: 2, rmse: 2, r2: 0.5 },
    points: [{ row: 1, truth: 3, predicted: 4 }],
    residuals: { first: -1, width: 1, counts: [1, 1] },
    worst: [{ row: 1, line: 3, truth: 3, predicted: 4 }],
  },
  forecast: null,
};

const PIECE = 2;

interface FakePrediction {
  rows: number;
  done: number;
  attached: boolean;
}

export abstract class FakeJudging {
  abstract readonly datasets: Map<number, { text: string; attached?: { rows: number } }>;
  readonly predictions = new Map<number, FakePrediction>();
  /** Turns of evaluations so far. */
  evaluated = 0;
  #opened = 0;

  sessionEvaluate(): EvaluateReply {
    this.evaluated += 1;
    const done = this.evaluated % 3 === 0;
    const evaluation = done ? EVALUATION : null;
    return {
      done,
      fraction: (this.evaluated % 3) / 3,
      evaluation,
      needs: null,
    };
  }

  predictionOpen(_session: number, dataset: number): number {
    const { text, attached } = this.datasets.get(dataset)!;
    if (!text.startsWith('a,'))
      throw new CoreError('predict.missing_column', `'new.csv' lacks 'a'.`);
    const rows = attached?.rows ?? text.trim().split('\n').length - 1;
    this.predictions.set((this.#opened += 1), {
      rows,
      done: 0,
      attached: attached !== undefined,
    });
    return this.#opened;
  }

  predictionTurn(prediction: number): PredictionTurn {
    const { attached } = this.#prediction(prediction);
    return attached ? this.#told(prediction, '') : this.predictionFed(prediction);
  }

  predictionFed(prediction: number): PredictionTurn {
    const one = this.#prediction(prediction);
    const end = Math.min(one.rows, one.done + PIECE);
    let text = one.done === 0 ? 'row,prediction\n' : '';
    for (; one.done < end; one.done += 1) text += `${String(one.done + 1)},0\n`;
    return this.#told(prediction, text);
  }

  predictionClose(prediction: number): void {
    this.predictions.delete(prediction);
  }

  #told(prediction: number, text: string): PredictionTurn {
    const { rows, done, attached } = this.#prediction(prediction);
    const needed = {
      first: done,
      rows: Math.min(PIECE, rows - done),
      columns: [0],
    };
    const needs = attached && done < rows ? { ...needed, pointer: 64, done, total: rows } : null;
    return { needs, text, done: done === rows, rows: done, unseen: [] };
  }

  #prediction(prediction: number): FakePrediction {
    const one = this.predictions.get(prediction);
    if (one === undefined) throw new CoreError('handle.unknown', 'There is no open prediction.');
    return one;
  }
}
