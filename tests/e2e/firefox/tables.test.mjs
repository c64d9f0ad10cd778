// Tables in Firefox, from the file to exported predictions.
import { tableJourneys } from '../lib/table_journeys.mjs';

tableJourneys('firefox', 'Firefox');
