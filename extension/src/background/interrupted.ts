// The start of a browser, or of the background after everything else has ended: no worker trains, so nothing keeps the
// machine awake, and the icon says whether a run was cut off and waits to go on.
import type { RunMark } from '../messages/run_mark.ts';
import { Runs } from '../storage/runs.ts';
import { runOf } from '../messages/checkpoint_names.ts';

const NOTHING: RunMark = {
  kind: 'none',
  run: null,
  name: '',
  percent: null,
  loss: null,
  secondsLeft: null,
  news: null,
};

/** `starts`: the browser does, and a person is told. */
export async function markAtRest(starts: boolean, runs = new Runs(root)): Promise<RunMark> {
  const last = await runs.last();
  if (!last?.interrupted) return NOTHING;
  const { checkpoint, source, epoch, epochs, loss } = last;
  return {
    ...NOTHING,
    kind: 'interrupted',
    run: runOf(checkpoint.id),
    name: source.name,
    percent: epochs > 0 ? Math.floor((100 * epoch) / epochs) : null,
    loss,
    news: starts ? { what: 'interrupted', code: '', message: '' } : null,
  };
}

const root = (): Promise<FileSystemDirectoryHandle> => navigator.storage.getDirectory();
