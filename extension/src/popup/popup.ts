// The popup: the whole way from a file to a trained model in 400 by 600 pixels. It holds nothing that matters: all it
// shows comes from the training worker, so it may be closed and opened at any moment.

import { openDashboard, openTraining } from '../browser.ts';
import { connect } from '../messages/client.ts';
import { Announcer } from '../ui/announcer.ts';
import { beginPage, make, on } from '../ui/dom.ts';
import { Header } from '../ui/header.ts';
import { RoomQuestion } from '../ui/imports.ts';
import { LossChart } from '../ui/loss_chart.ts';
import { Notices } from '../ui/notices.ts';
import { Page } from '../ui/page.ts';
import type { Snapshot } from '../ui/page.ts';
import { Stage } from '../ui/stage.ts';
import { once, testIds } from '../ui/testids.ts';
import { t } from '../texts.ts';

/** Firefox closes a popup when its file chooser opens, and the choice is lost: there the dashboard picks. */
const chooserClosesPopup = navigator.userAgent.includes('Firefox/');

function goToDashboard(): void {
  void openDashboard().then(() => {
    window.close();
  });
}

function draw(snapshot: Snapshot): void {
  const { state, notices, busy } = snapshot;
  header.update(snapshot);
  stage.update(snapshot);
  noticeList.update(notices, state);
  roomQuestion.update(state, busy);
  announcer.update(state);
}

const dashboardButton = on(
  make(
    'button',
    { type: 'button', class: 'quiet', ...once(testIds.openDashboard) },
    t('dashboard'),
  ),
  'click',
  goToDashboard,
);
const header = new Header(dashboardButton);
const announcer = new Announcer();
const page = new Page(() => connect({ openTraining }), draw);
const noticeList = new Notices(page);
const roomQuestion = new RoomQuestion(page);
const stage = new Stage(page, {
  pickElsewhere: chooserClosesPopup ? goToDashboard : null,
  searchElsewhere: goToDashboard,
  chart: new LossChart(170),
  storage: localStorage,
});
beginPage(t('name'));
document.body.append(
  header.element,
  make('main', {}, noticeList.element, roomQuestion.element, stage.body),
  make('footer', {}, stage.foot),
  announcer.element,
);
