import { carryRun } from '../lib/carry_journey.mjs';

carryRun('Firefox: a run goes elsewhere as one file and its settings as a link', 'firefox');
