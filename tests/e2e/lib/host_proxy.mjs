// Stands between the browser and the real host and makes one thing go wrong at an exact place of the conversation:
//   node host_proxy.mjs PLAN.json HOST ARGUMENTS...
// PLAN: {hello?: {min, max}} speaks these protocol versions in the extension's name;
//       {unsupported?: {min, max}} answers the first hello as a host that speaks only these would;
//       {after?: {type, frames}, do?: {truncate | remove: path}} acts when so many frames of a type have passed.
// The host can have read ahead by no more than its credits, so a file of a few MiB is cut for certain.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, truncateSync } from 'node:fs';

const [planFile, program, ...args] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(planFile, 'utf8'));
const host = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });

/** Calls back with each whole frame's JSON, whatever the chunks. */
function frames(callback) {
  let buffer = Buffer.alloc(0);
  return (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    while (buffer.length >= 4 && buffer.length >= 4 + buffer.readUInt32LE(0)) {
      const end = 4 + buffer.readUInt32LE(0);
      callback(JSON.parse(buffer.toString('utf8', 4, end)));
      buffer = buffer.subarray(end);
    }
  };
}

function send(stream, message) {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  stream.write(Buffer.concat([head, body]));
}

let seen = 0;
function act(message) {
  if (plan.after === undefined || message.type !== plan.after.type) return;
  seen += 1;
  if (seen !== plan.after.frames) return;
  if (plan.do.truncate !== undefined) truncateSync(plan.do.truncate, 10);
  if (plan.do.remove !== undefined) rmSync(plan.do.remove);
}

/** PROTOCOL.md's refusal in the words of a newer host. */
function answered(message) {
  const { unsupported } = plan;
  if (unsupported === undefined || message.protocol === undefined) return message;
  const { min, max } = unsupported;
  const text = `this host speaks versions ${min} to ${max}: update the extension`;
  const refusal = { id: message.id, ok: false, code: 'protocol.unsupported' };
  return { ...refusal, message: text, update: 'extension', min, max };
}

process.stdin.on(
  'data',
  frames((message) => {
    const changed = message.type === 'hello' && plan.hello !== undefined;
    send(host.stdin, changed ? { ...message, protocol: plan.hello } : message);
  }),
);
process.stdin.on('end', () => host.stdin.end());
host.stdout.on(
  'data',
  frames((message) => {
    act(message);
    send(process.stdout, answered(message));
  }),
);
host.on('exit', (code) => process.exit(code ?? 1));
