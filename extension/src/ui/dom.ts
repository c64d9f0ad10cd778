// Building and updating the document without markup strings (Trusted Types forbids them) and without a framework.
// Elements are made once; every later update writes only what changed, so that focus, selection and scroll stay.

import { textLanguage } from '../texts.ts';

type Attributes = Record<string, string | number | boolean | null | undefined>;
export type Child = Node | string | null;

/** make('button', {id: 'train', class: 'primary'}, 'Train'). `true` writes an empty attribute, null or false none. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  append(element, children);
  return element;
}

export function setAttribute(element: Element, name: string, value: Attributes[string]): void {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
    return;
  }
  const text = value === true ? '' : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setHidden(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

export function setDisabled(element: { disabled: boolean }, disabled: boolean): void {
  if (element.disabled !== disabled) element.disabled = disabled;
}

/** Writes a field unless the person is in it: what they are typing is never overwritten. */
export function setValue(element: HTMLInputElement | HTMLSelectElement, value: string): void {
  if (document.activeElement !== element && element.value !== value) element.value = value;
}

/** Attaches a listener and gives the element back, so that it can stand inside a make(). */
export function on<T extends EventTarget>(
  target: T,
  event: string,
  listener: (event: Event) => void,
): T {
  target.addEventListener(event, listener);
  return target;
}

/** Makes the children of `parent` follow `items`: an element is kept, moved and updated by its key. */
export function syncList<Item, Row extends Element>(
  parent: Element,
  items: readonly Item[],
  key: (item: Item) => string,
  create: (item: Item) => Row,
  update: (row: Row, item: Item) => void,
): void {
  const rows = rowsOf(parent) as Map<string, Row>;
  const wanted = new Set(items.map(key));
  for (const [name, row] of rows) {
    if (wanted.has(name)) continue;
    row.remove();
    rows.delete(name);
  }
  items.forEach((item, index) => {
    const name = key(item);
    let row = rows.get(name);
    if (row === undefined) {
      row = create(item);
      rows.set(name, row);
    }
    update(row, item);
    const there = parent.children[index] ?? null;
    if (there !== row) parent.insertBefore(row, there);
  });
}

const rowsByParent = new WeakMap<Element, Map<string, Element>>();

function rowsOf(parent: Element): Map<string, Element> {
  let rows = rowsByParent.get(parent);
  if (rows === undefined) {
    rows = new Map();
    rowsByParent.set(parent, rows);
  }
  return rows;
}

/** Replaces a select's options when they differ, keeping the choice. */
export function setOptions(
  select: HTMLSelectElement,
  options: readonly { value: string; label: string; disabled?: boolean }[],
  chosen: string,
): void {
  const signature = JSON.stringify(options);
  if (select.dataset['options'] !== signature) {
    select.dataset['options'] = signature;
    select.replaceChildren(
      ...options.map(({ value, label, disabled }) => make('option', { value, disabled }, label)),
    );
    select.value = chosen;
  }
  setValue(select, chosen);
}

/** Names the page, in the language that its texts are in. */
export function beginPage(title: string): void {
  document.documentElement.lang = textLanguage();
  document.title = title;
}

function append(element: Element, children: Child[]): void {
  for (const child of children) if (child !== null) element.append(child);
}
