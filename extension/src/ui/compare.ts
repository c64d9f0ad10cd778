// Stored runs beside each other: their validation losses over the epochs in one chart, how low each came, and the
// settings in which they differ.

import type { RunInspected } from '../messages/commands.ts';
import { differences } from '../messages/config_link.ts';
import { groupRuns } from '../messages/runs.ts';
import type { RunGroup } from '../messages/runs.ts';
import type { RunState } from '../messages/state.ts';
import { capital, t } from '../texts.ts';
import { Chart } from './chart.ts';
import type { Curve } from './chart_parts.ts';
import { TABLE_ROWS } from './chart_table.ts';
import { make, on, setDisabled, setHidden, syncList } from './dom.ts';
import { formatCount, formatLoss, formatValue, missing } from './format.ts';
import type { Actions } from './page.ts';
import { each, once, testIds } from './testids.ts';

/** More curves would be told apart by nobody. */
const MOST = 4;
const LOOKS: Pick<Curve, 'color' | 'dash'>[] = [
  { color: '--train' },
  { color: '--validation' },
  { color: '--truth' },
  { color: '--train', dash: [6, 4] },
];

interface Compared {
  title: string;
  run: RunInspected;
}

export class Compare {
  readonly element: HTMLElement;
  readonly #actions: Actions;
  readonly #list = make('ul', { class: 'entries' });
  readonly #result = make('div', { class: 'stack', 'aria-live': 'polite' });
  /** In the order of choosing. */
  #chosen: string[] = [];
  #groups: RunGroup[] = [];

  constructor(actions: Actions) {
    this.#actions = actions;
    this.element = make(
      'details',
      { class: 'card', hidden: true, ...once(testIds.compare) },
      make('summary', {}, t('compare')),
      make(
        'div',
        { class: 'stack' },
        make('p', { class: 'small muted' }, t('compareHelp', formatCount(MOST))),
        this.#list,
        this.#result,
      ),
    );
  }

  update({ checkpoints, runs }: RunState): void {
    this.#groups = groupRuns(checkpoints, runs).filter((group) =>
      group.checkpoints.some(({ ok }) => ok),
    );
    setHidden(this.element, this.#groups.length < 2);
    const keys = new Set(this.#groups.map(keyOf));
    const gone = this.#chosen.some((key) => !keys.has(key));
    this.#chosen = this.#chosen.filter((key) => keys.has(key));
    if (gone) void this.#show();
    syncList(
      this.#list,
      this.#groups,
      (group) => `${keyOf(group)} ${titleOf(group)}`,
      (group) => this.#makeChoice(group),
      (row, group) => {
        const box = row.querySelector('input');
        const checked = this.#chosen.includes(keyOf(group));
        if (box !== null) setDisabled(box, !checked && this.#chosen.length >= MOST);
      },
    );
  }

  #makeChoice(group: RunGroup): HTMLElement {
    const key = keyOf(group);
    const box = make('input', { type: 'checkbox', 'data-key': key, ...each(testIds.compareRun) });
    box.checked = this.#chosen.includes(key);
    on(box, 'change', () => {
      this.#chosen = this.#chosen.filter((other) => other !== key);
      if (box.checked) this.#chosen.push(key);
      void this.#show();
    });
    return make('li', {}, make('label', { class: 'row' }, box, titleOf(group)));
  }

  async #show(): Promise<void> {
    const asked = this.#chosen;
    const compared: Compared[] = [];
    for (const key of asked) {
      const group = this.#groups.find((one) => keyOf(one) === key);
      if (group === undefined) continue;
      const { store, run } = group;
      const inspected = await this.#actions.run({ type: 'run.inspect', store, run });
      if (inspected !== null) compared.push({ title: titleOf(group), run: inspected });
    }
    // The person has chosen differently meanwhile.
    if (asked.join() !== this.#chosen.join()) return;
    this.#result.replaceChildren(
      ...(compared.length < 2 ? [] : [chartOf(compared), tableOf(compared)]),
    );
  }
}

function keyOf({ store, run }: RunGroup): string {
  return `${store}/${run}`;
}

function titleOf({ name, run }: RunGroup): string {
  return name === '' ? run : name;
}

/** x is the epoch; a run has a point where it was validated. */
export function curvesOf(runs: readonly RunInspected[]): [number[], ...(number | null)[][]] {
  const epochs = new Set(runs.flatMap(({ epochs: own }) => own.map(({ epoch }) => epoch)));
  const x = [...epochs].sort((a, b) => a - b);
  const curves = runs.map(({ epochs: own }) => {
    const losses = new Map(own.map(({ epoch, validationLoss }) => [epoch, validationLoss]));
    return x.map((epoch) => losses.get(epoch) ?? null);
  });
  return [x, ...curves];
}

function chartOf(compared: readonly Compared[]): HTMLElement {
  const chart = new Chart({
    name: testIds.compareChart,
    height: 260,
    xLabel: t('epochAxis'),
    yLabel: t('lossAxis'),
    wholeX: true,
    describeX: (x) => t('epochNumber', formatValue(x)),
    curves: compared.map(({ title }, i) => ({
      label: title,
      color: '--train',
      dots: true,
      ...LOOKS[i],
    })),
  });
  const summary = compared.map(({ title, run }) => `${title}: ${formatLoss(lowest(run))}`);
  const data = curvesOf(compared.map(({ run }) => run));
  const [epochs, ...curves] = data;
  chart.show(data, summary.join('; '), () => ({
    headings: [capital(t('epochAxis')), ...compared.map(({ title }) => title)],
    rows: epochs
      .map((epoch, i) => [formatCount(epoch), ...curves.map((losses) => formatLoss(losses[i]))])
      .slice(-TABLE_ROWS)
      .reverse(),
  }));
  return chart.element;
}

function lowest({ epochs }: RunInspected): number | null {
  const losses = epochs.flatMap(({ validationLoss }) => validationLoss ?? []);
  return losses.length === 0 ? null : Math.min(...losses);
}

/** Also what the chart says, for those who do not see it. */
function tableOf(compared: readonly Compared[]): HTMLElement {
  const rows: [string, string[]][] = [
    [t('lowestLoss'), compared.map(({ run }) => formatLoss(lowest(run)))],
    [t('epochsTrained'), compared.map(({ run }) => formatCount(run.epochs.at(-1)?.epoch ?? 0))],
    ...differences(compared.map(({ run }) => run.config)).map(
      ({ group, field, values }): [string, string[]] => [
        `${group}.${field}`,
        values.map((value) => (value === null ? missing : String(value))),
      ],
    ),
  ];
  const head = compared.map(({ title }) => make('th', { scope: 'col' }, title));
  const body = rows.map(([name, values]) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row' }, name),
      ...values.map((value) => make('td', {}, value)),
    ),
  );
  return make(
    'div',
    { class: 'table-frame', tabindex: 0, role: 'region', 'aria-label': t('compare') },
    make(
      'table',
      { ...once(testIds.compareTable) },
      make('thead', {}, make('tr', {}, make('td', {}), ...head)),
      make('tbody', {}, ...body),
    ),
  );
}
