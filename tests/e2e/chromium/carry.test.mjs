import { carryRun } from '../lib/carry_journey.mjs';

carryRun('a run goes elsewhere as one file and its settings as a link', 'chromium');
