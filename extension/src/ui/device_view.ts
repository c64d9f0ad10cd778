// On which device a run trains and why, in words: the race's figures, or the reason why there was none.
import type { DeviceChoice, DeviceName, DeviceTiming, Preparing } from '../messages/state.ts';
import { formatCount, formatMilliseconds } from './format.ts';

/** Preparing is worth a word from so many milliseconds on. */
const LONG_PREPARING = 100;

export function deviceText(device: DeviceName | null, software: boolean): string {
  if (device === null) return '–';
  if (device === 'cpu') return 'Processor';
  return software ? 'Graphics card (emulated)' : 'Graphics card';
}

/** What goes after "Processor: " or "Graphics card: ". */
export function reasonText(choice: DeviceChoice | null): string {
  if (choice === null) return '';
  const { how, detail } = choice;
  switch (how) {
    case 'raced':
      return raceText(choice);
    case 'forced':
      return 'as you chose';
    case 'no_gpu':
      return `there is no graphics card to use (${detail})`;
    case 'software':
      return `the graphics card here is emulated, which is slower (${detail})`;
    case 'resumed':
      return timed(choice) ? `as at the start: ${raceText(choice)}` : 'as before';
    case 'moved':
      return `the run was on a graphics card, and there is none to use here (${detail})`;
    case 'lost':
      return detail === '' ? 'the graphics card was taken away' : detail;
  }
}

/** "processor 13.0 ms a step (40 timed), graphics card 3.1 ms a step (64 timed), prepared in 0.3 s"; null without a race. */
export function raceDetails({ cpu, webgl }: DeviceChoice): string | null {
  if (cpu === null || webgl === null) return null;
  return `Processor ${timingText(cpu)}; graphics card ${timingText(webgl)}`;
}

export function preparingText(preparing: Preparing | null): string {
  if (preparing === null) return 'Preparing…';
  if (preparing.what === 'race') return 'Trying the processor and the graphics card…';
  const { done, total } = preparing;
  if (preparing.what === 'rows')
    return `Loading rows… ${formatCount(done)} of ${formatCount(total)}`;
  return `Preparing the graphics card: ${formatCount(done)} of ${formatCount(total)} programs`;
}

function timed({ cpu, webgl }: DeviceChoice): boolean {
  return cpu !== null && webgl !== null;
}

const names: Record<DeviceName, string> = { cpu: 'processor', webgl: 'graphics card' };

function raceText({ device, cpu, webgl }: DeviceChoice): string {
  if (cpu === null || webgl === null) return '';
  const other = device === 'cpu' ? 'webgl' : 'cpu';
  const [own, others] = device === 'cpu' ? [cpu, webgl] : [webgl, cpu];
  const pace = `${own.steps === 0 ? 'about ' : ''}${formatMilliseconds(own.ms)} a step`;
  const prepared =
    device === 'webgl' && own.preparingMs >= LONG_PREPARING
      ? `, prepared in ${formatMilliseconds(own.preparingMs)}`
      : '';
  return `${pace}, ${besideOther(own, others, names[other])}${prepared}`;
}

function besideOther(own: DeviceTiming, others: DeviceTiming, other: string): string {
  if (own.steps === 0) return `too long for a race: the ${other} did no better`;
  if (others.steps === 0) {
    const why = others.preparingMs >= 500 ? 'was still preparing' : 'did not finish two steps';
    return `while the ${other} ${why} in its time`;
  }
  const ratio = own.ms > 0 ? others.ms / own.ms : 1;
  if (ratio < 1.05) return `about as fast as the ${other}`;
  const times = ratio < 9.95 ? ratio.toFixed(1) : formatCount(ratio);
  return `${times} times as fast as the ${other}`;
}

function timingText({ ms, steps, preparingMs }: DeviceTiming): string {
  const prepared =
    preparingMs >= LONG_PREPARING ? `, prepared in ${formatMilliseconds(preparingMs)}` : '';
  if (steps > 0) return `${formatMilliseconds(ms)} a step (${formatCount(steps)} timed)${prepared}`;
  return `${ms > 0 ? `about ${formatMilliseconds(ms)} a step` : 'no step'} in its time${prepared}`;
}
