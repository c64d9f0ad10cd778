// "More settings" in sections: the core lists its fields in an order that makes sense, and a section goes on until the
// field that begins the next one, so that a new field falls into the section it is listed in.

import type { SettingField } from '../messages/state.ts';
import type { TextKey } from '../texts.ts';
import { make } from './dom.ts';
import { each, testIds } from './testids.ts';

interface Section {
  key: TextKey;
  fields: SettingField[];
}

/** The first field of each section. */
const BEGINNINGS: readonly (readonly [string, TextKey])[] = [
  ['effort', 'sectionRun'],
  ['batchSize', 'sectionLearning'],
  ['schedule', 'sectionRate'],
  ['saveEvery', 'sectionSaving'],
  ['seed', 'sectionRepeat'],
];

export function sectionsOf(fields: readonly SettingField[]): Section[] {
  const sections: Section[] = [];
  for (const field of fields) {
    const begun = BEGINNINGS.find(([name]) => name === field.name)?.[1];
    const key = field.group === 'data' ? 'data' : (begun ?? keyAfter(sections.at(-1)?.key));
    const last = sections.at(-1);
    if (last?.key === key) last.fields.push(field);
    else sections.push({ key, fields: [field] });
  }
  return sections;
}

/** A field of the training that begins no section never goes on with the data's. */
function keyAfter(key: TextKey | undefined): TextKey {
  return key === undefined || key === 'data' ? 'training' : key;
}

export function makeSection(title: string, content: HTMLElement): HTMLElement {
  const legend = make('legend', {}, title);
  return make('fieldset', { class: 'section', ...each(testIds.settingSection) }, legend, content);
}
