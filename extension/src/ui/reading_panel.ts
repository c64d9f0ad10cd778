// A file that is being read: how far, and how many rows so far.

import type { RunState } from '../messages/state.ts';
import { make, setText } from './dom.ts';
import { formatBytes, formatDuration, shorten } from './format.ts';
import { once, testIds } from './testids.ts';
import { counted, t } from '../texts.ts';

export class ReadingPanel {
  readonly #name = make('h2', { class: 'clip' });
  readonly #bar = make('progress', { max: 1, 'aria-label': t('readPart') });
  readonly #text = make('p', { class: 'muted small number' });
  readonly element = make(
    'section',
    { class: 'card', 'aria-label': t('reading'), ...once(testIds.reading) },
    this.#name,
    this.#bar,
    this.#text,
  );

  update({ reading, source }: RunState): void {
    setText(this.#name, t('readingFile', shorten(source?.name ?? t('theFile'), 40)));
    if (reading === null || reading.total <= 0) {
      this.#bar.removeAttribute('value');
      setText(this.#text, t('opening'));
      return;
    }
    this.#bar.value = Math.min(1, reading.bytes / reading.total);
    const { rows, rate, secondsLeft } = reading;
    const parts = [
      t('partOf', formatBytes(reading.bytes), formatBytes(reading.total)),
      counted('rows', rows),
    ];
    if (rate !== null)
      parts.push(t('perSecond', formatBytes(rate)), t('timeLeftOf', formatDuration(secondsLeft)));
    setText(this.#text, parts.join(' · '));
  }
}
