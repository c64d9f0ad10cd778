// Which model is proposed for the data, of which size, and why: the first choice of a person who has not chosen. What the
// machine makes of it, the trial measures.
import type { DatasetDescription, ModelDescription } from '../messages/state.ts';
import { formatCount } from './format.ts';
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
