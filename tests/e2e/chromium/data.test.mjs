// Data kept in Chromium's own storage, from the file to a run after a restart.
import { dataJourneys } from '../lib/data_journeys.mjs';

dataJourneys('chromium', 'Chromium');
