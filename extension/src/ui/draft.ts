// The choices of an unfinished set-up, kept in the page's own storage under the file's identity, so that a popup
// closed by a stray click comes back as it was. What is stored is unknown until checked against the columns.

import type { DatasetDescription, ModelDescription, RunState } from '../messages/state.ts';
import { runConfig } from '../messages/run_config.ts';
import { choicesFromConfig, toRunConfig } from './choices.ts';
import type { Choices } from './choices.ts';
import type { Settings } from './settings.ts';

const key = 'shadegrad.draft';

/** Tells one open file from another: another file starts from the defaults. */
export function identityOf({
  source,
  description,
}: Pick<RunState, 'source' | 'description'>): string {
  const columns = description?.columns.map(({ name, type }) => [name, type]) ?? [];
  return JSON.stringify([
    source?.kind,
    source?.path,
    source?.name,
    source?.size,
    description?.rows,
    columns,
  ]);
}

export function saveDraft(
  storage: Storage,
  identity: string,
  choices: Choices,
  settings: Settings,
): void {
  try {
    storage.setItem(key, JSON.stringify({ identity, config: toRunConfig(choices, settings) }));
  } catch {
    // A full or forbidden storage costs the draft only.
  }
}

/** The stored choices for this file, or null when there are none that fit. */
export function loadDraft(
  storage: Storage,
  identity: string,
  description: DatasetDescription,
  models: readonly ModelDescription[],
  settings: Settings,
): Choices | null {
  try {
    const stored: unknown = JSON.parse(storage.getItem(key) ?? 'null');
    if (typeof stored !== 'object' || stored === null) return null;
    if (!('identity' in stored) || stored.identity !== identity || !('config' in stored))
      return null;
    return choicesFromConfig(runConfig(stored.config, 'draft'), description, models, settings);
  } catch {
    return null;
  }
}
