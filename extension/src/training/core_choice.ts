// Which of the core's modules this browser can run: they compute the same, the first ones faster. The last one runs
// wherever the extension can be installed.
export const CORE_MODULES = ['core_threads', 'core_relaxed', 'core'] as const;
export type CoreModuleName = (typeof CORE_MODULES)[number];

/** Threads beyond these bring little: a step's kernels are short, and the memory is shared. */
const MOST_THREADS = 8;

/** The smallest module with a relaxed instruction (i8x16.relaxed_swizzle). */
const RELAXED_SIMD = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // magic number and version
  ...[1, 5, 1, 96, 0, 1, 123], // one type: nothing to v128
  ...[3, 2, 1, 0], // one function of it
  ...[10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11], // splat, splat, swizzle
]);

/** Whether this worker may share memory with others: in Chromium by two keys of the manifest, in Firefox it may not. */
function hasSharedMemory(): boolean {
  return globalThis.crossOriginIsolated && typeof SharedArrayBuffer === 'function';
}

/**
 * The modules that can be run here, the fastest first. The one with threads waits for its workers, and for ever where
 * there are none.
 */
export function modulesToRun(): CoreModuleName[] {
  const relaxed = WebAssembly.validate(RELAXED_SIMD);
  const threads = hasSharedMemory() && threadsToUse() > 1;
  return CORE_MODULES.filter(
    (name) => name === 'core' || (relaxed && (name !== 'core_threads' || threads)),
  );
}

/** How many threads work where threads can. */
export function threadsToUse(): number {
  return Math.max(1, Math.min(MOST_THREADS, navigator.hardwareConcurrency));
}
