import { searchAfterKill, searchByKeys } from '../lib/search_journey.mjs';

searchByKeys(
  'Firefox: better settings are searched for by keys alone, used, and trained with',
  'firefox',
);
searchAfterKill('Firefox: a search goes on where the end of the browser cut it off', 'firefox');
