// The configuration's fields as the core describes them (a test in C++ holds the file to that), through the check that
// the worker makes of them.
import { settings as check } from '../../extension/src/training/core_replies.ts';
import described from './settings.json';

export const settings = check(described, 'settings');

/** What the fake core fills in, with fewer epochs than the core. */
export const trainingDefaults = { epochs: 2, saveEvery: 1, saveSeconds: 10, keepLast: 3 };
