// What the training runs on: the device and why, its counters, and the native host with what it has delivered. A line
// stands there once its value is known.

import type { Counters } from '../messages/commands.ts';
import { isActive } from '../messages/state.ts';
import type { RunState } from '../messages/state.ts';
import { make, on, setHidden, setText } from './dom.ts';
import { raceDetails } from './device_view.ts';
import { formatBytes, formatCount } from './format.ts';
import type { Actions } from './page.ts';
import { hostSays, SaidLine } from './said.ts';
import { viewRun } from './run_view.ts';
import { once, testIds } from './testids.ts';
import { counted, joinWords, t } from '../texts.ts';

const refreshEvery = 2000;

export class MachineCard {
  readonly element: HTMLElement;
  readonly #actions: Actions;
  readonly #renderer = make('dd');
  readonly #processor = make('dd', { ...once(testIds.processor) });
  readonly #race = make('dd', { ...once(testIds.race) });
  readonly #parameters = make('dd', { class: 'number', ...once(testIds.parameters) });
  readonly #windows = make('dd', { class: 'number', ...once(testIds.windows) });
  readonly #kernels = make('dd', { class: 'number', ...once(testIds.kernels) });
  readonly #draws = make('dd', { class: 'number', ...once(testIds.draws) });
  readonly #memory = make('dd', { class: 'number' });
  readonly #host = make('dd');
  readonly #roots = make('dd');
  readonly #frames = make('dd', { class: 'number', ...once(testIds.hostFrames) });
  readonly #bytes = make('dd', { class: 'number', ...once(testIds.hostBytes) });
  readonly #message = new SaidLine({ class: 'muted small' });
  readonly #connect = make('button', { type: 'button', class: 'quiet' }, t('lookAgain'));
  #asked = -Infinity;

  constructor(actions: Actions) {
    this.#actions = actions;
    on(this.#connect, 'click', () => void actions.run({ type: 'host.connect' }));
    this.element = make(
      'section',
      { class: 'card', 'aria-label': t('machine') },
      make('h2', {}, t('machine')),
      make(
        'dl',
        { class: 'pairs', ...once(testIds.counters) },
        ...pair(t('graphics'), this.#renderer),
        ...pair(t('processor'), this.#processor),
        ...pair(t('race'), this.#race),
        ...pair(t('parameters'), this.#parameters),
        ...pair(t('windows'), this.#windows),
        ...pair(t('kernelsRun'), this.#kernels),
        ...pair(t('drawCalls'), this.#draws),
        ...pair(t('memoryInUse'), this.#memory),
        ...pair(t('nativeHost'), this.#host),
        ...pair(t('folders'), this.#roots),
        ...pair(t('framesReceived'), this.#frames),
        ...pair(t('bytesReceived'), this.#bytes),
      ),
      this.#message.element,
      this.#connect,
    );
  }

  update(state: RunState): void {
    const { host, webgl, webglReason, choice } = state;
    const view = viewRun(state);
    tell(
      this.#renderer,
      webgl === null
        ? t('noneToUse', webglReason)
        : webgl.software
          ? t('softwareRenderer', webgl.renderer)
          : webgl.renderer,
    );
    tell(this.#race, choice && raceDetails(choice));
    tell(this.#parameters, state.parameters === null ? null : view.parameters);
    tell(this.#windows, state.windows === null ? null : view.windows);
    const link = t(`host_${host.state}`);
    const { version } = host;
    tell(this.#host, version === null || version === '' ? link : t('withVersion', link, version));
    tell(this.#roots, host.roots.length === 0 ? null : joinWords(host.roots));
    const heard = host.frames > 0 || host.state === 'connected';
    tell(this.#frames, heard ? formatCount(host.frames) : null);
    tell(this.#bytes, heard ? formatBytes(host.bytes) : null);
    this.#message.show(hostSays(host));
    setHidden(this.#connect, host.state === 'connected' || host.state === 'unknown');
    void this.#count(state);
  }

  /** Counters are asked for while a session exists, at most every two seconds. */
  async #count(state: RunState): Promise<void> {
    const session = state.device !== null && (isActive(state.phase) || state.phase === 'finished');
    if (state.device === null) for (const value of this.#counted) tell(value, null);
    if (!session || state.phase === 'preparing' || performance.now() - this.#asked < refreshEvery)
      return;
    this.#asked = performance.now();
    try {
      this.#show(await this.#actions.ask({ type: 'counters.get' }));
    } catch {
      // The session ended between question and answer: the last figures stay.
    }
  }

  get #counted(): HTMLElement[] {
    return [this.#processor, this.#kernels, this.#draws, this.#memory];
  }

  #show({ kernels, draws, liveBuffers, liveBytes, threads, fused }: Counters): void {
    const several = counted('threads', threads);
    tell(this.#processor, fused ? t('fusedThreads', several) : several);
    tell(this.#kernels, formatCount(kernels));
    tell(this.#draws, formatCount(draws));
    tell(this.#memory, counted('inBuffers', liveBuffers, formatBytes(liveBytes)));
  }
}

/** Nothing is told of it until its value is known. */
function pair(label: string, value: HTMLElement): HTMLElement[] {
  value.hidden = true;
  return [make('dt', { hidden: true }, label), value];
}

function tell(value: HTMLElement, text: string | null): void {
  const term = value.previousElementSibling;
  for (const one of [term, value]) if (one instanceof HTMLElement) setHidden(one, text === null);
  if (text !== null) setText(value, text);
}
