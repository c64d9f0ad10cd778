// A worker that runs our adapter on one workload, with weights and batches of our own.
import { measure } from './measure.mjs';
import { run } from './shadegrad_adapter.mjs';
import { batch, params } from './workloads.mjs';

globalThis.bench = { batch, params };

self.onmessage = async ({ data: { workload, device, limits } }) => {
  try {
    const result = await run(workload, { ...limits, backend: device, measure });
    self.postMessage({ ...result, done: true });
  } catch (error) {
    self.postMessage({ error: String(error?.stack ?? error) });
  }
};
