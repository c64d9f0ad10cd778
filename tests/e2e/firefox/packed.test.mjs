// Packed files, columnar files, arrays and pictures in Firefox.
import { packedJourneys } from '../lib/packed_journeys.mjs';

packedJourneys('firefox', 'Firefox');
