// Training from blocks of imported data in Firefox.
import { blockJourneys } from '../lib/block_journeys.mjs';

blockJourneys('firefox', 'Firefox');
