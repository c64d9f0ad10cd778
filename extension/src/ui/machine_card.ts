// What the training runs on: the device and why, its counters, and the native host with what it has delivered.

import type { Counters } from '../messages/commands.ts';
import { isActive } from '../messages/state.ts';
import type { HostLinkState } from '../messages/host_status.ts';
import type { RunState } from '../messages/state.ts';
import { make, on, setHidden, setText } from './dom.ts';
import { raceDetails } from './device_view.ts';
import { formatBytes, formatCount, joinWords } from './format.ts';
import type { Actions } from './page.ts';
import { viewRun } from './run_view.ts';
import { once, testIds } from './testids.ts';

const hostTexts: Record<HostLinkState, string> = {
  unknown: 'not asked yet',
  missing: 'not installed',
  connected: 'connected',
  incompatible: 'another version is needed',
  lost: 'connection lost',
};
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
  readonly #message = make('p', { class: 'muted small' });
  readonly #connect = make('button', { type: 'button', class: 'quiet' }, 'Look again');
  #asked = -Infinity;

  constructor(actions: Actions) {
    this.#actions = actions;
    on(this.#connect, 'click', () => void actions.run({ type: 'host.connect' }));
    this.element = make(
      'section',
      { class: 'card', 'aria-label': 'Machine' },
      make('h2', {}, 'Machine'),
      make(
        'dl',
        { class: 'pairs', ...once(testIds.counters) },
        ...pair('Graphics', this.#renderer),
        ...pair('Processor', this.#processor),
        ...pair('Race', this.#race),
        ...pair('Parameters', this.#parameters),
        ...pair('Windows', this.#windows),
        ...pair('Kernels run', this.#kernels),
        ...pair('Draw calls', this.#draws),
        ...pair('Memory in use', this.#memory),
        ...pair('Native host', this.#host),
        ...pair('Folders', this.#roots),
        ...pair('Frames received', this.#frames),
        ...pair('Bytes received', this.#bytes),
      ),
      this.#message,
      this.#connect,
    );
  }

  update(state: RunState): void {
    const { host, webgl, webglReason, choice } = state;
    const view = viewRun(state);
    setText(
      this.#renderer,
      webgl === null
        ? `none to use: ${webglReason}`
        : webgl.renderer + (webgl.software ? ' (software)' : ''),
    );
    setText(this.#race, (choice && raceDetails(choice)) ?? '–');
    setText(this.#parameters, view.parameters);
    setText(this.#windows, view.windows);
    const version = host.version === null || host.version === '' ? '' : `, version ${host.version}`;
    setText(this.#host, hostTexts[host.state] + version);
    setText(this.#roots, host.roots.length === 0 ? '–' : joinWords(host.roots));
    setText(this.#frames, formatCount(host.frames));
    setText(this.#bytes, formatBytes(host.bytes));
    setText(this.#message, host.message);
    setHidden(this.#message, host.state === 'connected' || host.message === '');
    setHidden(this.#connect, host.state === 'connected' || host.state === 'unknown');
    void this.#count(state);
  }

  /** Counters are asked for while a session exists, at most every two seconds. */
  async #count(state: RunState): Promise<void> {
    const session = state.device !== null && (isActive(state.phase) || state.phase === 'finished');
    if (!session || state.phase === 'preparing' || performance.now() - this.#asked < refreshEvery)
      return;
    this.#asked = performance.now();
    try {
      this.#show(await this.#actions.ask({ type: 'counters.get' }));
    } catch {
      // The session ended between question and answer: the last figures stay.
    }
  }

  #show({ kernels, draws, liveBuffers, liveBytes, threads, fused }: Counters): void {
    const several = threads === 1 ? '1 thread' : `${String(threads)} threads`;
    setText(this.#processor, fused ? `${several}, fused multiply-add` : several);
    setText(this.#kernels, formatCount(kernels));
    setText(this.#draws, formatCount(draws));
    setText(this.#memory, `${formatBytes(liveBytes)} in ${formatCount(liveBuffers)} buffers`);
  }
}

function pair(label: string, value: HTMLElement): HTMLElement[] {
  value.textContent = '–';
  return [make('dt', {}, label), value];
}
