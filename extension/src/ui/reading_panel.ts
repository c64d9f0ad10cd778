// A file that is being read: how far, and how many rows so far.

import type { RunState } from '../messages/state.ts';
import { make, setText } from './dom.ts';
import { formatBytes, formatDuration, plural, shorten } from './format.ts';
import { once, testIds } from './testids.ts';

export class ReadingPanel {
  readonly #name = make('h2', { class: 'clip' });
  readonly #bar = make('progress', { max: 1, 'aria-label': 'Read part' });
  readonly #text = make('p', { class: 'muted small number' });
  readonly element = make(
    'section',
    { class: 'card', 'aria-label': 'Reading', ...once(testIds.reading) },
    this.#name,
    this.#bar,
    this.#text,
  );

  update({ reading, source }: RunState): void {
    setText(this.#name, `Reading ${shorten(source?.name ?? 'the file', 40)}`);
    if (reading === null || reading.total <= 0) {
      this.#bar.removeAttribute('value');
      setText(this.#text, 'Opening…');
      return;
    }
    this.#bar.value = Math.min(1, reading.bytes / reading.total);
    const part = `${formatBytes(reading.bytes)} of ${formatBytes(reading.total)}`;
    const { rows, rate, secondsLeft } = reading;
    const pace =
      rate === null ? '' : ` · ${formatBytes(rate)}/s · ${formatDuration(secondsLeft)} left`;
    setText(this.#text, `${part} · ${plural(rows, 'row')}${pace}`);
  }
}
