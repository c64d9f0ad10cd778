// Names of runs and of their checkpoints: <model>-<date>-<time>-<step>.safetensors.

const STEP = /-\d+\.safetensors$/;

export function runName(model: string, time: Date): string {
  const clean = model.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 40);
  const stamp = time.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${clean === '' ? 'run' : clean}-${stamp}`;
}

export function checkpointName(run: string, step: number): string {
  return `${run}-${String(step)}.safetensors`;
}

/** The run that a checkpoint belongs to. */
export function runOfCheckpoint(id: string): string {
  return id
    .replace(STEP, '')
    .replace(/\.safetensors$/, '')
    .slice(0, 70);
}
