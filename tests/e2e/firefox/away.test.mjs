// Firefox ends with its last window, and a run with it: the next start offers to go on.
import { resumeAfterKill } from '../lib/resume_journey.mjs';

resumeAfterKill(
  'Firefox: a run that died with the browser is offered at the next start and goes on loss by loss',
  'firefox',
);
