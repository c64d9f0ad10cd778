// Which model is proposed for the data, of which size, and why, and how long it is trained: the first choice of a person
// who has not chosen. What the machine makes of it, the trial measures.
import type { DatasetDescription, ModelDescription } from '../messages/state.ts';
import { formatCount } from './format.ts';
import type { Given } from './settings.ts';
import { isOfTables } from './tasks.ts';
import type { TaskName } from './tasks.ts';
import { t } from '../texts.ts';

export interface Proposal {
  model: ModelDescription;
  /** Of its default size. */
  times: number;
  reason: string;
}

/** Below so many rows the small size is enough. */
const FEW_ROWS = 300;

/** `models` are those for the task; null where there is none. */
export function proposalFor(
  { rows }: Pick<DatasetDescription, 'rows'>,
  models: readonly ModelDescription[],
  lookBack: number,
): Proposal | null {
  const model = models.find(({ name }) => name === 'lstm') ?? models[0];
  if (model === undefined) return null;
  if (rows < FEW_ROWS) return { model, times: 0.5, reason: t('reasonFew', formatCount(rows)) };
  const reason =
    model.task === 'table'
      ? t('reasonTable', formatCount(rows))
      : t('reasonSequence', formatCount(lookBack), formatCount(rows));
  return { model, times: 1, reason };
}

/** Steps after which a table of any number of rows has mostly been learnt. */
const STEPS = 5000;
const [LEAST_EPOCHS, MOST_EPOCHS] = [20, 200];
/** Rows a step and the part that is learnt from, by the core's defaults. */
const [BATCH, LEARNT] = [32, 0.8];
/** Of the epochs, without a better one. */
const PATIENCE = 0.15;

/**
 * A table's few rows are known by heart long before a fixed number of epochs is over, or not learnt yet after as many: so it
 * ends when nothing gets better any more, with the best weights. Nothing for a series, whose core defaults are good.
 */
export function trainingFor(task: TaskName, { rows }: Pick<DatasetDescription, 'rows'>): Given {
  if (!isOfTables(task)) return {};
  const fitting = Math.round(STEPS / Math.max(1, Math.ceil((LEARNT * rows) / BATCH)));
  const epochs = Math.min(MOST_EPOCHS, Math.max(LEAST_EPOCHS, fitting));
  return { epochs, patience: Math.max(5, Math.round(PATIENCE * epochs)), schedule: 'cosine' };
}
