// Before Train is pressed: the proposed model with its reason, and what a short trial has measured of the run as it is
// set. Where it does not fit into memory, the next smaller size that does is found and offered.
import type { ModelDescription, RunConfig, RunState } from '../messages/state.ts';
import { isActive } from '../messages/state.ts';
import { trialKey, trialOf } from '../messages/trial.ts';
import type { Measured, Trial } from '../messages/trial.ts';
import { fieldsOf, sizeField, sizeOf, sizes, taskOf } from './choices.ts';
import type { Choices } from './choices.ts';
import { partLabel } from './described.ts';
import { deviceText } from './device_view.ts';
import { make, on, setAttribute, setHidden, setText } from './dom.ts';
import { formatBytes, formatCount, formatDuration } from './format.ts';
import type { Actions } from './page.ts';
import { proposalFor } from './proposal.ts';
import type { Proposal } from './proposal.ts';
import { inLanguage } from './said.ts';
import { modelsFor } from './tasks.ts';
import { once, testIds } from './testids.ts';
import { counted, t } from '../texts.ts';

/** A person may still be typing. */
const QUIET_MS = 500;

export interface Preflown {
  state: RunState;
  choices: Choices;
  model: ModelDescription | undefined;
  lookBack: number;
  /** The run as it is set; null while something stands against it, or it is beginning. */
  config: RunConfig | null;
}

export class Preflight {
  /** The proposal. */
  readonly element: HTMLElement;
  /** The trial, to stand where it is always in view: it may say why there is no Train. */
  readonly told: HTMLElement;
  readonly #actions: Pick<Actions, 'ask' | 'run'>;
  readonly #change: (change: Partial<Choices>) => void;
  readonly #proposal = make('p', { class: 'small', ...once(testIds.proposal) });
  readonly #useProposal = make(
    'button',
    { type: 'button', class: 'quiet', ...once(testIds.useProposal) },
    t('useProposal'),
  );
  readonly #trial = make('p', { class: 'small', role: 'status', ...once(testIds.trial) });
  readonly #button = make('button', { type: 'button', class: 'quiet', ...once(testIds.trialAct) });
  #act: () => void = () => undefined;
  #shown: Preflown | null = null;
  #asked: string | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(actions: Pick<Actions, 'ask' | 'run'>, change: (change: Partial<Choices>) => void) {
    this.#actions = actions;
    this.#change = change;
    on(this.#useProposal, 'click', () => {
      const proposal = this.#proposed();
      if (proposal !== null) change({ model: proposal.model.name, fields: fieldsOf(proposal) });
    });
    on(this.#button, 'click', () => {
      this.#act();
    });
    this.element = make(
      'section',
      { class: 'stack tight', 'aria-label': t('model') },
      this.#proposal,
      this.#useProposal,
    );
    this.told = make(
      'section',
      { class: 'preflight', 'aria-label': t('preflight') },
      this.#trial,
      this.#button,
    );
  }

  /** Whether the run as it is set may begin, as far as is known. */
  show(shown: Preflown): boolean {
    this.#shown = shown;
    this.#showProposal();
    const { state, config } = shown;
    const busy = config === null || isActive(state.phase);
    setHidden(this.#trial, busy);
    setHidden(this.#button, true);
    if (busy) return true;
    const key = trialKey(config);
    const trial = trialOf(state.trials, key);
    const smaller = trial?.outcome === 'unfit' ? this.#smaller(config) : [];
    const next = smaller.find((one) => outcomeOf(state, one) !== 'unfit');
    this.#showTrial(trial, next ?? null);
    const wanted = trial === null ? config : trial.outcome === 'unfit' ? (next ?? null) : null;
    if (wanted !== null && outcomeOf(state, wanted) === null) this.#askSoon(trialKey(wanted));
    return trial?.outcome !== 'unfit';
  }

  #proposed(): Proposal | null {
    if (this.#shown === null) return null;
    const { state, choices, lookBack } = this.#shown;
    if (state.description === null) return null;
    return proposalFor(state.description, modelsFor(state.models, taskOf(choices)), lookBack);
  }

  #showProposal(): void {
    const proposal = this.#proposed();
    setHidden(this.#proposal, proposal === null);
    const { model, fields } = this.#shown?.choices ?? {};
    const size = proposal && sizeField(proposal.model);
    const taken =
      proposal === null ||
      (model === proposal.model.name &&
        (size === null || fields?.[size.name] === sizeOf(size, proposal.times)));
    setHidden(this.#useProposal, taken);
    if (proposal === null) return;
    const named = sizes.find(({ times }) => times === proposal.times)?.key ?? 'sizeMedium';
    const key = taken ? 'proposed' : 'otherProposal';
    setText(this.#proposal, t(key, proposal.model.label, t(named), proposal.reason));
  }

  #showTrial(trial: Trial | null, next: RunConfig | null): void {
    setAttribute(this.#trial, 'data-outcome', trial?.outcome ?? 'none');
    setAttribute(this.#trial, 'class', trial?.outcome === 'unfit' ? 'small problem' : 'small');
    switch (trial?.outcome) {
      case undefined:
      case 'measuring':
        this.#say(t('trialMeasuring'));
        if (trial !== null)
          this.#offer(t('trialStop'), () => void this.#actions.run({ type: 'trial.stop' }));
        return;
      case 'measured':
        if (trial.measured !== null) this.#say(measuredText(trial.measured, this.#software));
        return;
      case 'unfit':
        this.#showUnfit(next);
        return;
      case 'failed': {
        const { code, message } = trial.failure ?? { code: '', message: '' };
        this.#say(t('trialFailed', inLanguage(code, message).text));
        return;
      }
      case 'cancelled':
        this.#say(t('trialCancelled'));
        this.#offer(t('trialMeasure'), () => {
          const config = this.#shown?.config;
          if (config != null) this.#ask(config);
        });
    }
  }

  #showUnfit(next: RunConfig | null): void {
    const { state, model } = this.#shown ?? {};
    const size = sizeField(model);
    if (next === null || state === undefined || size === null) {
      this.#say(`${t('trialUnfit')} ${t('trialNoneFits')}`);
      return;
    }
    const measured = trialOf(state.trials, trialKey(next))?.measured;
    if (measured == null) {
      this.#say(`${t('trialUnfit')} ${t('trialSmaller')}`);
      return;
    }
    const value = Number(next.model[size.name]);
    const preset = sizes.find(({ times }) => value === sizeOf(size, times));
    const named = preset ? t(preset.key) : `${partLabel(size.name)} ${formatCount(value)}`;
    const costs = [formatDuration(measured.secondsPerEpoch), formatBytes(measured.peakBytes)];
    this.#say(`${t('trialUnfit')} ${t('trialFits', named, ...costs)}`);
    this.#offer(t('trialUse', named), () => {
      this.#change({ fields: { ...this.#shown?.choices.fields, [size.name]: value } });
    });
  }

  get #software(): boolean {
    return this.#shown?.state.webgl?.software ?? false;
  }

  #say(text: string): void {
    setText(this.#trial, text);
  }

  #offer(label: string, act: () => void): void {
    this.#act = act;
    setText(this.#button, label);
    setHidden(this.#button, false);
  }

  /** The same run with half the size, a quarter, and so on. */
  #smaller(config: RunConfig): RunConfig[] {
    const size = sizeField(this.#shown?.model);
    if (size === null) return [];
    const found: RunConfig[] = [];
    const least = Math.max(1, size.min ?? 1);
    for (let value = Number(config.model[size.name]); ;) {
      value = Math.floor(value / 2);
      if (!(value >= least)) return found;
      found.push({ ...config, model: { ...config.model, [size.name]: value } });
    }
  }

  /** Once nothing has changed for a moment, and only where a person sees it. */
  #askSoon(key: string): void {
    if (key === this.#asked || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      const config = this.#wanted(key);
      const seen = this.told.isConnected && document.visibilityState === 'visible';
      if (config !== null && seen) this.#ask(config);
      else if (seen && this.#shown !== null) this.show(this.#shown);
    }, QUIET_MS);
  }

  /** Still, after the moment. */
  #wanted(key: string): RunConfig | null {
    const { config } = this.#shown ?? {};
    if (config == null) return null;
    return [config, ...this.#smaller(config)].find((one) => trialKey(one) === key) ?? null;
  }

  #ask(config: RunConfig): void {
    this.#asked = trialKey(config);
    // What comes of it stands in the worker's state; a refusal means that a run is under way.
    this.#actions.ask({ type: 'run.trial', config }).catch(() => undefined);
  }
}

function outcomeOf({ trials }: RunState, config: RunConfig): Trial['outcome'] | null {
  return trialOf(trials, trialKey(config))?.outcome ?? null;
}

function measuredText(measured: Measured, software: boolean): string {
  const { device, peakBytes, secondsPerEpoch, epochs, steps } = measured;
  const all = formatDuration(secondsPerEpoch * epochs);
  const costs = [formatDuration(secondsPerEpoch), all, formatBytes(peakBytes)];
  const words = t('trialMeasured', ...costs, deviceText(device, software));
  return `${words} ${counted('trialHow', steps)}`;
}
