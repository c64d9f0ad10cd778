// Stands in for the training worker in the pictures: answers on the channel from a state that the test sets. Never
// part of the extension.

import { CHANNEL, checkCommand } from '../../../../extension/src/messages/commands.ts';
import type { Command } from '../../../../extension/src/messages/commands.ts';
import type { Phase, RunState } from '../../../../extension/src/messages/state.ts';
import { predictions, stateOf } from '../states.ts';

const channel = new BroadcastChannel(CHANNEL);
let state = stateOf('empty');

/** What is not here is answered with nothing. */
function answer(command: Command): unknown {
  if (command.type === 'state.get') return state;
  if (command.type === 'predictions.get') {
    return predictions(command.first, Math.min(command.count, 280 - command.first));
  }
  if (command.type === 'counters.get') return counters;
  if (command.type === 'host.list') {
    return { path: command.path ?? '', entries: entriesOf(command.path) };
  }
  return {};
}

const counters = {
  device: 'cpu',
  kernels: 48_211,
  draws: 0,
  allocations: 214,
  liveBuffers: 61,
  liveBytes: 1_482_752,
  threads: 2,
  fused: true,
};

function entriesOf(path: string | undefined): unknown[] {
  if (path === undefined)
    return [
      {
        name: 'Shadegrad',
        path: 'Shadegrad',
        kind: 'folder',
        size: null,
        modified: null,
      },
    ];
  const file = (name: string, size: number) => ({
    name,
    path: `${path}/${name}`,
    kind: 'file',
    size,
    modified: 1,
  });
  return [
    {
      name: 'archive',
      path: `${path}/archive`,
      kind: 'folder',
      size: null,
      modified: null,
    },
    file('ETTh1.csv', 2_589_657),
    file('co2-concentration.csv', 13_442),
    file('seattle-weather.csv', 48_219),
    file('household-power-consumption-2007-to-2010-one-minute.csv', 132_960_755),
  ];
}

channel.onmessage = ({ data }: MessageEvent<{ kind: string; id: string; command: unknown }>) => {
  if (data.kind !== 'request') return;
  const command = checkCommand(data.command);
  asked.push(command.type);
  channel.postMessage({
    kind: 'reply',
    id: data.id,
    ok: true,
    result: answer(command),
  });
};

const asked: string[] = [];

Object.assign(globalThis, {
  asked,
  show: (phase: Phase, change: Partial<RunState> = {}) => {
    state = stateOf(phase, { ...change, revision: state.revision + 1 });
    channel.postMessage({
      kind: 'event',
      type: 'state',
      revision: state.revision,
      state,
    });
  },
});
