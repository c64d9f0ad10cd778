import { searchAfterKill, searchByKeys } from '../lib/search_journey.mjs';

searchByKeys('better settings are searched for by keys alone, used, and trained with', 'chromium');
searchAfterKill('a search goes on where the end of the browser cut it off', 'chromium');
