// Packed files, columnar files, arrays and pictures in Chromium.
import { packedJourneys } from '../lib/packed_journeys.mjs';

packedJourneys('chromium', 'Chromium');
