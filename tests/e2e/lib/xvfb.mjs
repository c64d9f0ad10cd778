// A display without a screen, for a headed window on a machine that has none and for WebGL in headless Firefox.
import { spawn } from 'node:child_process';

/** Starts Xvfb on a free display of its own choice: {name: ':N', stop()}. */
export async function startXvfb() {
  const args = ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'];
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const name = await new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new Error(`cannot start Xvfb: ${error.message}`)));
    server.once('exit', (code) => reject(new Error(`Xvfb ended with status ${code}`)));
    server.stdio[3].once('data', (data) => resolve(`:${String(data).trim()}`));
  });
  server.unref();
  return { name, stop: () => server.kill() };
}
