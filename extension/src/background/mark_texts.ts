// A mark in words and colours: what the icon carries, what its title says and what a notification tells.
import type { MarkKind, MarkNews, RunMark } from '../messages/run_mark.ts';

const NAME = 'Shadegrad';

/** Dark enough for white text (4.5 to 1). */
const COLORS: Record<MarkKind, string> = {
  none: '#555555',
  preparing: '#1a5fb4',
  training: '#1a5fb4',
  paused: '#8a5300',
  interrupted: '#8a5300',
  done: '#1b6e2e',
  stopped: '#555555',
  failed: '#b3261e',
};

/** Four characters at most. */
export function badgeOf({ kind, percent }: RunMark): { text: string; color: string } {
  const texts: Record<MarkKind, string> = {
    none: '',
    preparing: '…',
    training: percent === null ? '…' : `${String(percent)}%`,
    paused: 'II',
    interrupted: 'II',
    done: '✓',
    stopped: '',
    failed: '!',
  };
  return { text: texts[kind], color: COLORS[kind] };
}

export function titleOf(mark: RunMark): string {
  const { kind, name } = mark;
  const words: Record<MarkKind, string> = {
    none: '',
    preparing: 'preparing',
    training: 'training',
    paused: 'paused',
    interrupted: 'interrupted: open to go on',
    done: 'finished',
    stopped: 'stopped',
    failed: 'failed',
  };
  if (kind === 'none') return NAME;
  const figures = [percentOf(mark), lossOf(mark), leftOf(mark)].filter((one) => one !== '');
  const head = name === '' ? NAME : `${NAME}: ${name}`;
  return [`${head}, ${words[kind]}`, ...figures].join(' · ');
}

export function newsTextOf(
  mark: RunMark,
  { what, message }: MarkNews,
): { title: string; message: string } {
  const titles: Record<MarkNews['what'], string> = {
    done: 'Training is finished',
    failed: 'Training has failed',
    trouble: 'Training has a problem',
    interrupted: 'Training was interrupted',
  };
  const figures = [mark.name, percentOf(mark), lossOf(mark)].filter((one) => one !== '');
  const hint = what === 'interrupted' ? 'Click to go on from where it was saved.' : message;
  return { title: titles[what], message: [figures.join(' · '), hint].filter(Boolean).join('\n') };
}

const locale = (): string => chrome.i18n.getUILanguage();

function percentOf({ percent, kind }: RunMark): string {
  if (percent === null || kind === 'done') return '';
  return new Intl.NumberFormat(locale(), { style: 'percent' }).format(percent / 100);
}

function lossOf({ loss }: RunMark): string {
  if (loss === null || !Number.isFinite(loss)) return '';
  const number = new Intl.NumberFormat(locale(), { maximumSignificantDigits: 4 });
  return `loss ${number.format(loss)}`;
}

/** In its largest unit: a title has little room, and nobody looks at it by the second. */
function leftOf({ secondsLeft }: RunMark): string {
  if (secondsLeft === null || !Number.isFinite(secondsLeft)) return '';
  const [value, unit] =
    secondsLeft < 90
      ? [secondsLeft, 'second']
      : secondsLeft < 5400
        ? [secondsLeft / 60, 'minute']
        : [secondsLeft / 3600, 'hour'];
  const style = { style: 'unit', unit, maximumFractionDigits: unit === 'hour' ? 1 : 0 } as const;
  return `${new Intl.NumberFormat(locale(), style).format(value)} left`;
}
