// What can be done with a stored run beside resuming it: train another one that differs in something, take its
// configuration elsewhere, or all of it as one file; and bring such a file in.

import { packageUrl } from '../browser.ts';
import { configIn, configLink } from '../messages/config_link.ts';
import type { RunConfig, StoreName } from '../messages/state.ts';
import { t } from '../texts.ts';
import { make, on } from './dom.ts';
import { download } from './downloads.ts';
import type { Actions } from './page.ts';
import { reasonOf } from './page.ts';
import type { TestId } from './testids.ts';
import { each, once, testIds } from './testids.ts';

/** Buttons of one run of the list. */
export function runExtras(
  actions: Actions,
  { store, run }: { store: StoreName; run: string },
): HTMLElement[] {
  const configOf = async (): Promise<RunConfig | null> =>
    (await actions.run({ type: 'run.inspect', store, run }))?.config ?? null;
  return [
    makeButton(t('duplicate'), testIds.runDuplicate, async () => {
      const config = await configOf();
      if (config !== null) await offer(actions, config);
    }),
    makeButton(t('copyLink'), testIds.runLink, async () => {
      const config = await configOf();
      if (config !== null) await copyLink(actions, config);
    }),
    makeButton(t('export'), testIds.runExport, async () => {
      const file = await actions.run({ type: 'run.export', store, run });
      if (file !== null) download(file);
    }),
  ];
}

/** Above the list: a run or a configuration from elsewhere. */
export function makeRunImports(actions: Actions): HTMLElement {
  const file = make('input', {
    type: 'file',
    accept: '.zip',
    'aria-label': t('importRun'),
    ...once(testIds.runImport),
  });
  on(file, 'change', () => {
    const [picked] = file.files ?? [];
    file.value = '';
    if (picked !== undefined) void importRun(actions, picked);
  });
  const text = make('input', {
    type: 'text',
    placeholder: t('configPlaceholder'),
    'aria-label': t('configPaste'),
    ...once(testIds.configText),
  });
  const use = make('button', { type: 'submit', ...once(testIds.configUse) }, t('configUse'));
  const form = make('form', { class: 'row' }, text, use);
  on(form, 'submit', (event) => {
    event.preventDefault();
    void offerText(actions, text.value).then((taken) => {
      if (taken) text.value = '';
    });
  });
  return make(
    'details',
    { class: 'small', ...once(testIds.runImports) },
    make('summary', {}, t('fromElsewhere')),
    make(
      'div',
      { class: 'stack' },
      make('label', { class: 'stack tight' }, t('importRun'), file),
      make('div', { class: 'stack tight' }, t('configPaste'), form),
    ),
  );
}

/** False where the text is none; then a notice says so. */
export async function offerText(actions: Actions, text: string): Promise<boolean> {
  try {
    await offer(actions, configIn(text));
    return true;
  } catch (error) {
    const { code, message } = reasonOf(error);
    actions.tell({ level: 'error', code, message });
    return false;
  }
}

async function offer(actions: Actions, config: RunConfig): Promise<void> {
  if ((await actions.run({ type: 'config.offer', config })) === null) return;
  actions.tell({ level: 'info', code: 'config.offered', message: t('configOffered') });
}

async function copyLink(actions: Actions, config: RunConfig): Promise<void> {
  await navigator.clipboard.writeText(configLink(packageUrl('dashboard.html'), config));
  actions.tell({ level: 'info', code: 'config.copied', message: t('linkCopied') });
}

async function importRun(actions: Actions, file: File): Promise<void> {
  const done = await actions.run({ type: 'run.import', file });
  if (done === null) return;
  actions.tell({ level: 'info', code: 'run.imported', message: t('runImported', done.run) });
}

function makeButton(label: string, name: TestId, work: () => Promise<void>): HTMLElement {
  const button = make('button', { type: 'button', class: 'quiet', ...each(name) }, label);
  return on(button, 'click', () => void work());
}
