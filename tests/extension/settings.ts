// The configuration's fields as the core describes them (a test in C++ holds the file to that), through the check that
// the worker makes of them.
import { settings as check } from '../../extension/src/training/core_replies.ts';
import described from './settings.json';

export const settings = check(described, 'settings');
