import { preflight } from '../lib/preflight_journey.mjs';

preflight('Firefox: a run is proposed and measured before it begins', 'firefox');
