// The dashboard: the same run as the popup's in full width, with validation curve, forecasts beside the truth, the
// data, the checkpoints of both stores and the figures of device and host. In Firefox files are picked here.

import { openTraining } from '../browser.ts';
import { connect } from '../messages/client.ts';
import type { RunState } from '../messages/state.ts';
import { Address } from '../ui/address.ts';
import { Announcer } from '../ui/announcer.ts';
import { Checkpoints } from '../ui/checkpoints.ts';
import { Compare } from '../ui/compare.ts';
import { DataCard } from '../ui/data_card.ts';
import { beginPage, make, on, setHidden } from '../ui/dom.ts';
import { Header } from '../ui/header.ts';
import { Imports, RoomQuestion } from '../ui/imports.ts';
import { LossChart } from '../ui/loss_chart.ts';
import { taskOfRun } from '../ui/metric.ts';
import { MachineCard } from '../ui/machine_card.ts';
import { Notices } from '../ui/notices.ts';
import { Page } from '../ui/page.ts';
import type { Snapshot } from '../ui/page.ts';
import { PredictCard } from '../ui/predict_card.ts';
import { PredictionChart } from '../ui/prediction_chart.ts';
import { RunFigures } from '../ui/run_figures.ts';
import { SearchCard } from '../ui/search_card.ts';
import { Stage } from '../ui/stage.ts';
import { TableResult } from '../ui/table_result.ts';
import { isOfTables } from '../ui/tasks.ts';
import { once, testIds } from '../ui/testids.ts';
import { WhileAway } from '../ui/while_away.ts';
import { t } from '../texts.ts';

function makeLossCard(chart: LossChart): HTMLElement {
  const log = make('input', { type: 'checkbox', ...once(testIds.logScale) });
  on(log, 'change', () => {
    chart.setLog(log.checked);
    if (last !== null) chart.update(last);
  });
  const smoothing = make('input', {
    type: 'range',
    min: 0,
    max: 0.99,
    step: 0.01,
    value: 0,
    ...once(testIds.smoothing),
  });
  on(smoothing, 'input', () => {
    chart.setSmoothing(smoothing.valueAsNumber);
    if (last !== null) chart.update(last);
  });
  const toggle = make(
    'div',
    { class: 'row small muted controls' },
    make('label', { class: 'row' }, t('smoothing'), smoothing),
    make('label', { class: 'row' }, log, t('logarithmic')),
  );
  const head = make('div', { class: 'row spread wrap' }, make('h2', {}, t('loss')), toggle);
  return make(
    'section',
    { class: 'card', hidden: true, 'aria-label': t('loss') },
    head,
    chart.element,
  );
}

function draw(snapshot: Snapshot): void {
  const { state, notices, busy } = snapshot;
  header.update(snapshot);
  stage.update(snapshot);
  noticeList.update(notices, state);
  roomQuestion.update(state, busy);
  announcer.update(state);
  if (state === null) return;
  last = state;
  const ran = state.config !== null && state.progress !== null;
  setHidden(lossCard, !ran);
  const series = !isOfTables(taskOfRun(state));
  setHidden(predictions.element, !ran || !series);
  setHidden(data.element, state.description === null);
  setHidden(welcome, ran || state.description !== null);
  if (ran) {
    loss.update(state);
    if (series) predictions.update(state);
  }
  search.update(state);
  result.update(state, stage.judged.now);
  predict.update(state);
  data.update(state);
  imports.update(state, busy);
  machine.update(state);
  figures.update(state);
  checkpoints.update(state, busy);
  compare.update(state);
  address.follow();
}

let last: RunState | null = null;
const header = new Header(null);
const announcer = new Announcer();
const loss = new LossChart(320);
const lossCard = makeLossCard(loss);
const data = new DataCard();
const welcome = make(
  'section',
  { class: 'card welcome' },
  make('h2', {}, t('welcomeTitle')),
  make('p', { class: 'muted' }, t('welcome')),
);
const page = new Page(() => connect({ openTraining }), draw);
const noticeList = new Notices(page);
const roomQuestion = new RoomQuestion(page);
const imports = new Imports(page);
const predictions = new PredictionChart(page, 320);
const result = new TableResult();
const predict = new PredictCard(page);
const machine = new MachineCard(page);
const figures = new RunFigures();
const checkpoints = new Checkpoints(page);
const compare = new Compare(page);
const address = new Address(page);
const search = new SearchCard();
const stage = new Stage(page, {
  pickElsewhere: null,
  searchElsewhere: null,
  chart: null,
  storage: localStorage,
});
stage.judged.listen(() => {
  if (last !== null) result.update(last, stage.judged.now);
});
const control = make(
  'section',
  { class: 'card', 'aria-label': t('training') },
  stage.body,
  stage.foot,
);
beginPage(t('dashboardTitle', t('name')));
document.body.append(
  header.element,
  make(
    'main',
    {},
    make('div', { class: 'across' }, noticeList.element, roomQuestion.element),
    make('div', { class: 'column side now' }, control),
    make(
      'div',
      { class: 'column wide' },
      welcome,
      search.element,
      lossCard,
      predictions.element,
      result.element,
      predict.element,
      data.element,
      imports.element,
      compare.element,
    ),
    make(
      'div',
      { class: 'column side rest' },
      figures.element,
      checkpoints.element,
      machine.element,
      new WhileAway(page).element,
    ),
  ),
  announcer.element,
);
