// A mark in words and colours: what the icon carries, what its title says and what a notification tells.
import { personsLanguage, t, textLanguage, textNamed } from '../texts.ts';
import type { MarkKind, MarkNews, RunMark } from '../messages/run_mark.ts';

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
  if (kind === 'none') return t('name');
  const figures = [percentOf(mark), lossOf(mark), leftOf(mark)].filter((one) => one !== '');
  return [t(`icon_${kind}`, name === '' ? t('name') : name), ...figures].join(' · ');
}

export function newsTextOf(
  mark: RunMark,
  { what, code, message }: MarkNews,
): { title: string; message: string } {
  const figures = [mark.name, percentOf(mark), lossOf(mark)].filter((one) => one !== '');
  const said = textLanguage() === 'en' ? message : (textNamed(`notice_${code}`) ?? message);
  const hint = what === 'interrupted' ? t('news_interrupted_hint') : said;
  return {
    title: t(`news_${what}`),
    message: [figures.join(' · '), hint].filter(Boolean).join('\n'),
  };
}

function percentOf({ percent, kind }: RunMark): string {
  if (percent === null || kind === 'done') return '';
  return new Intl.NumberFormat(personsLanguage(), { style: 'percent' }).format(percent / 100);
}

function lossOf({ loss }: RunMark): string {
  if (loss === null || !Number.isFinite(loss)) return '';
  const number = new Intl.NumberFormat(personsLanguage(), { maximumSignificantDigits: 4 });
  return t('icon_loss', number.format(loss));
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
  return t('icon_left', new Intl.NumberFormat(personsLanguage(), style).format(value));
}
