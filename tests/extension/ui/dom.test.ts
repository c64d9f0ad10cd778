// @vitest-environment happy-dom
// Updating the document in place: what did not change is not touched.
import { describe, expect, it } from 'vitest';
import { make, setOptions, setValue, syncList } from '../../../extension/src/ui/dom.ts';

interface Item {
  key: string;
  text: string;
}

function sync(parent: HTMLElement, items: Item[]): void {
  syncList(
    parent,
    items,
    ({ key }) => key,
    () => make('li'),
    (row, { text }) => {
      row.textContent = text;
    },
  );
}

const texts = (parent: HTMLElement): (string | null)[] =>
  [...parent.children].map((row) => row.textContent);

describe('syncList', () => {
  it('keeps, moves, adds and removes rows by key', () => {
    const list = make('ul');
    sync(list, [
      { key: 'a', text: '1' },
      { key: 'b', text: '2' },
      { key: 'c', text: '3' },
    ]);
    const [a, , c] = list.children;
    sync(list, [
      { key: 'c', text: '3' },
      { key: 'd', text: '4' },
      { key: 'a', text: '1!' },
    ]);
    expect(texts(list)).toEqual(['3', '4', '1!']);
    expect(list.children[0]).toBe(c);
    expect(list.children[2]).toBe(a);
    sync(list, []);
    expect(list.children).toHaveLength(0);
  });
});

describe('fields', () => {
  it('leaves a field alone while the person is in it', () => {
    const input = make('input');
    document.body.append(input);
    input.focus();
    input.value = '12';
    setValue(input, '20');
    expect(input.value).toBe('12');
    input.blur();
    setValue(input, '20');
    expect(input.value).toBe('20');
  });

  it('writes options once and keeps the choice', () => {
    const select = make('select');
    const options = [
      { value: 'a', label: 'A' },
      { value: 'b', label: 'B', disabled: true },
    ];
    setOptions(select, options, 'a');
    const [first] = select.children;
    setOptions(select, options, 'a');
    expect(select.children[0]).toBe(first);
    expect(select.options[1]?.disabled).toBe(true);
    setOptions(select, [...options, { value: 'c', label: 'C' }], 'c');
    expect(select.value).toBe('c');
  });
});

describe('make', () => {
  it('takes text as text, never as markup', () => {
    const paragraph = make('p', {}, '<img src=x onerror=alert(1)>');
    expect(paragraph.children).toHaveLength(0);
    expect(paragraph.textContent).toBe('<img src=x onerror=alert(1)>');
  });
});
