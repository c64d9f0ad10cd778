// On which device a run trains and why, in words: the race's figures, or the reason why there was none.
import type { DeviceChoice, DeviceName, DeviceTiming, Preparing } from '../messages/state.ts';
import { formatCount, formatFactor, formatMilliseconds } from './format.ts';
import { t } from '../texts.ts';

/** Preparing is worth a word from so many milliseconds on. */
const LONG_PREPARING = 100;

export function deviceText(device: DeviceName | null, software: boolean): string {
  if (device === null) return '–';
  if (device === 'cpu') return t('processor');
  return software ? t('graphicsEmulated') : t('graphicsCard');
}

/** What goes after "Processor: " or "Graphics card: ". */
export function reasonText(choice: DeviceChoice | null): string {
  if (choice === null) return '';
  const { how, detail } = choice;
  switch (how) {
    case 'raced':
      return raceText(choice);
    case 'forced':
      return t('asYouChose');
    case 'no_gpu':
      return t('reasonNoGraphics', detail);
    case 'software':
      return t('reasonEmulated', detail);
    case 'resumed':
      return timed(choice) ? t('asAtStart', raceText(choice)) : t('asBefore');
    case 'moved':
      return t('reasonMoved', detail);
    case 'lost':
      return detail === '' ? t('reasonLost') : detail;
  }
}

/** "processor 13.0 ms a step (40 timed), graphics card 3.1 ms a step (64 timed), prepared in 0.3 s"; null without a race. */
export function raceDetails({ cpu, webgl }: DeviceChoice): string | null {
  if (cpu === null || webgl === null) return null;
  return t('raceDetails', timingText(cpu), timingText(webgl));
}

export function preparingText(preparing: Preparing | null): string {
  if (preparing === null) return t('preparing');
  if (preparing.what === 'race') return t('racing');
  const { done, total } = preparing;
  if (preparing.what === 'rows') return t('loadingRows', formatCount(done), formatCount(total));
  return t('preparingPrograms', formatCount(done), formatCount(total));
}

function timed({ cpu, webgl }: DeviceChoice): boolean {
  return cpu !== null && webgl !== null;
}

function raceText({ device, cpu, webgl }: DeviceChoice): string {
  if (cpu === null || webgl === null) return '';
  const other = device === 'cpu' ? 'webgl' : 'cpu';
  const [own, others] = device === 'cpu' ? [cpu, webgl] : [webgl, cpu];
  const parts = [paceOf(own), besideOther(own, others, other)];
  if (device === 'webgl') parts.push(...preparedIn(own));
  return parts.join(', ');
}

function paceOf({ ms, steps }: DeviceTiming): string {
  return t(steps === 0 ? 'aboutAStep' : 'aStep', formatMilliseconds(ms));
}

function preparedIn({ preparingMs }: DeviceTiming): string[] {
  return preparingMs >= LONG_PREPARING ? [t('preparedIn', formatMilliseconds(preparingMs))] : [];
}

function besideOther(own: DeviceTiming, others: DeviceTiming, other: DeviceName): string {
  if (own.steps === 0) return t(`raceNoBetter_${other}`);
  if (others.steps === 0)
    return others.preparingMs >= 500 ? t(`racePreparing_${other}`) : t(`raceUnfinished_${other}`);
  const ratio = own.ms > 0 ? others.ms / own.ms : 1;
  if (ratio < 1.05) return t(`raceEqual_${other}`);
  return t(`raceTimes_${other}`, formatFactor(ratio));
}

function timingText(timing: DeviceTiming): string {
  const { ms, steps } = timing;
  const pace = formatMilliseconds(ms);
  const timed = t(
    steps > 0 ? 'timedSteps' : ms > 0 ? 'timedAbout' : 'timedNone',
    pace,
    formatCount(steps),
  );
  return [timed, ...preparedIn(timing)].join(', ');
}
