// Training from blocks of imported data in Chromium.
import { blockJourneys } from '../lib/block_journeys.mjs';

blockJourneys('chromium', 'Chromium');
