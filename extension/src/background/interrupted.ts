// The start of a browser, or of the background after everything else has ended: no worker trains, so nothing keeps the
// machine awake, and the icon says whether a run or a search was cut off and waits to go on.
import type { RunMark } from '../messages/run_mark.ts';
import { bestTrial, searchDone } from '../messages/search.ts';
import type { Search } from '../messages/search.ts';
import type { LastRun } from '../messages/state.ts';
import { Runs } from '../storage/runs.ts';
import { Searches } from '../storage/searches.ts';
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
export async function markAtRest(
  starts: boolean,
  runs = new Runs(root),
  searches = new Searches(root),
): Promise<RunMark> {
  const cutOff = ofSearch(await searches.last()) ?? ofRun(await runs.last());
  if (cutOff === null) return NOTHING;
  const news = starts ? ({ what: 'interrupted', code: '', message: '' } as const) : null;
  return { ...NOTHING, kind: 'interrupted', ...cutOff, news };
}

type CutOff = Pick<RunMark, 'run' | 'name' | 'percent' | 'loss'>;

function ofRun(last: LastRun | null): CutOff | null {
  if (!last?.interrupted) return null;
  const { checkpoint, source, epoch, epochs, loss } = last;
  const percent = epochs > 0 ? Math.floor((100 * epoch) / epochs) : null;
  return { run: runOf(checkpoint.id), name: source.name, percent, loss };
}

/** That it has ended, the worker writes when it begins the next time. */
function ofSearch(search: Search | null): CutOff | null {
  if (search?.outcome !== 'running' && search?.outcome !== 'interrupted') return null;
  const best = search.trials[bestTrial(search) ?? -1];
  return {
    run: search.trials.find(({ outcome }) => outcome === 'training')?.run ?? null,
    name: search.source.name,
    percent: Math.floor(100 * searchDone(search, null)),
    loss: best?.loss ?? null,
  };
}

const root = (): Promise<FileSystemDirectoryHandle> => navigator.storage.getDirectory();
