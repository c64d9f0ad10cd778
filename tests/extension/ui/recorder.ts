// Stands in for a page's line to the worker: keeps what was asked, answers as told, and finds elements by test id.
import type { Command, CommandType, Results } from '../../../extension/src/messages/commands.ts';
import type { Notice, RunState } from '../../../extension/src/messages/state.ts';
import type { Actions, Snapshot } from '../../../extension/src/ui/page.ts';

export class Recorder implements Actions {
  readonly commands: Command[] = [];
  readonly told: Omit<Notice, 'time'>[] = [];
  readonly dismissed: Notice[] = [];
  readonly answers: Partial<{ [T in CommandType]: Results[T] }> = {};
  /** Commands that are refused, or answered later. */
  readonly later: Partial<Record<CommandType, Promise<unknown>>> = {};
  reconnects = 0;

  run<C extends Command>(command: C): Promise<Results[C['type']] | null> {
    this.commands.push(command);
    return Promise.resolve((this.answers[command.type] as Results[C['type']] | undefined) ?? null);
  }

  async ask<C extends Command>(command: C): Promise<Results[C['type']]> {
    const later = this.later[command.type];
    if (later !== undefined) {
      this.commands.push(command);
      return (await later) as Results[C['type']];
    }
    const answer = await this.run(command);
    if (answer === null) throw new Error('refused');
    return answer;
  }

  tell(notice: Omit<Notice, 'time'>): void {
    this.told.push(notice);
  }

  dismiss(notice: Notice): void {
    this.dismissed.push(notice);
  }

  reconnect(): void {
    this.reconnects += 1;
  }

  of<T extends CommandType>(type: T): Extract<Command, { type: T }>[] {
    return this.commands.filter((command) => command.type === type) as Extract<
      Command,
      { type: T }
    >[];
  }
}

export function snapshotOf(state: RunState | null, busy: CommandType[] = []): Snapshot {
  return {
    connection: state === null ? 'connecting' : 'connected',
    state,
    notices: state?.notices ?? [],
    busy: new Set(busy),
  };
}

/** All elements of the document with this test id. */
export function all<E extends HTMLElement = HTMLElement>(id: string): E[] {
  return [...document.querySelectorAll<E>(`[data-testid="${id}"]`)];
}

/** The one element of the document with this test id. */
export function one(id: string): HTMLElement {
  const [element, ...others] = all(id);
  if (element === undefined || others.length > 0) {
    throw new Error(`${id} stands ${String(element === undefined ? 0 : others.length + 1)} times`);
  }
  return element;
}

export const input = (id: string): HTMLInputElement => one(id) as HTMLInputElement;
export const button = (id: string): HTMLButtonElement => one(id) as HTMLButtonElement;
export const select = (id: string): HTMLSelectElement => one(id) as HTMLSelectElement;

export function type(field: HTMLInputElement, value: string): void {
  field.value = value;
  field.dispatchEvent(new Event('input'));
}

export function choose(field: HTMLSelectElement, value: string): void {
  field.value = value;
  field.dispatchEvent(new Event('change'));
}

/** Lets answers that are already there be taken up. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}
