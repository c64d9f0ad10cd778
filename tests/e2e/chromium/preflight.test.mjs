import { preflight } from '../lib/preflight_journey.mjs';

preflight('a run is proposed and measured before it begins', 'chromium');
