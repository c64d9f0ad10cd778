// A stage in a document, as a page has it, with a recorder in the worker's place.
import type { RunState } from '../../../extension/src/messages/state.ts';
import { Stage } from '../../../extension/src/ui/stage.ts';
import { Recorder, snapshotOf } from './recorder.ts';

export class Bench {
  actions!: Recorder;
  stage!: Stage;

  constructor() {
    this.open();
  }

  /** A page opened anew. */
  open(
    pickElsewhere: (() => void) | null = null,
    searchElsewhere: (() => void) | null = null,
  ): void {
    this.actions = new Recorder();
    this.stage = new Stage(this.actions, {
      pickElsewhere,
      searchElsewhere,
      chart: null,
      storage: localStorage,
    });
    document.body.replaceChildren(this.stage.body, this.stage.foot);
  }

  show(state: RunState | null, busy: Parameters<typeof snapshotOf>[1] = []): void {
    this.stage.update(snapshotOf(state, busy));
  }
}
