// The core module as typed calls. Each sg_* function of wasm/bindings/exports.h is declared once, its JSON reply is
// checked, and {ok: false} becomes a CoreError. A reply's text lives in the module until the next call: it is read at
// once, and bytes are copied out.
import type { RunConfig, DatasetDescription } from '../messages/state.ts';
import type { Counters } from '../messages/commands.ts';
import { isRecord } from '../messages/validate.ts';
import type { Check } from '../messages/validate.ts';
import * as replies from './core_replies.ts';
import type {
  AttachedDataset,
  Core,
  CoreModule,
  ImportedShard,
  ImportFed,
  ImportFinished,
  ImportSource,
  RestoreOptions,
} from './core_types.ts';
import * as data from './data_replies.ts';
import * as judging from './judging_replies.ts';
import type { EvaluateReply, PredictionTurn } from './judging_replies.ts';
import type {
  CoreInfo,
  PredictReply,
  SessionFed,
  SessionRestored,
  SessionStart,
  StepReply,
  ValidateReply,
} from './core_replies.ts';
import * as v from '../messages/validate.ts';

export class CoreError extends Error {
  override readonly name = 'CoreError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export type * from './core_types.ts';

const handle = v.integer(0);

export class WasmCore implements Core {
  readonly #module: CoreModule;

  constructor(module: CoreModule) {
    this.#module = module;
  }

  describe(): CoreInfo {
    return this.#call('describe', replies.coreInfo, () => this.#module._sg_describe());
  }

  datasetOpen(options: { name: string } & Record<string, unknown>): number {
    return this.#withJson(options, (json) =>
      this.#call('dataset_open', v.object({ dataset: handle }), () =>
        this.#module._sg_dataset_open(json),
      ),
    ).dataset;
  }

  datasetFeed(dataset: number, bytes: Uint8Array): number {
    return this.#withBytes(bytes, (pointer) =>
      this.#call('dataset_feed', v.object({ rows: handle }), () =>
        this.#module._sg_dataset_feed(dataset, pointer, bytes.length),
      ),
    ).rows;
  }

  datasetFinish(dataset: number): DatasetDescription {
    const check = v.object({ description: data.datasetDescription });
    return this.#call('dataset_finish', check, () => this.#module._sg_dataset_finish(dataset))
      .description;
  }

  datasetClose(dataset: number): void {
    this.#call('dataset_close', v.record, () => this.#module._sg_dataset_close(dataset));
  }

  datasetAttach(manifest: object): AttachedDataset {
    const check = v.object({ dataset: handle, description: data.datasetDescription });
    return this.#withJson(manifest, (json) =>
      this.#call('dataset_attach', check, () => this.#module._sg_dataset_attach(json)),
    );
  }

  importOpen({ mtime, ...source }: ImportSource): number {
    const known = { ...source, ...(mtime !== null && { mtime }) };
    return this.#withJson(known, (json) =>
      this.#call('import_open', v.object({ import: handle }), () =>
        this.#module._sg_import_open(json),
      ),
    ).import;
  }

  importPart(opened: number, name: string): void {
    this.#withText(name, (text) =>
      this.#call('import_part', v.record, () => this.#module._sg_import_part(opened, text)),
    );
  }

  importFeed(opened: number, bytes: Uint8Array): ImportFed {
    const { rows, shards } = this.#withBytes(bytes, (pointer) =>
      this.#call('import_feed', data.importFed, () =>
        this.#module._sg_import_feed(opened, pointer, bytes.length),
      ),
    );
    return { rows, shards: this.#copies(shards) };
  }

  importFinish(opened: number): ImportFinished {
    const { manifest, shards } = this.#call('import_finish', data.importFinished, () =>
      this.#module._sg_import_finish(opened),
    );
    return { manifest, shards: this.#copies(shards) };
  }

  importClose(opened: number): void {
    this.#call('import_close', v.record, () => this.#module._sg_import_close(opened));
  }

  sessionCreate(dataset: number, config: RunConfig): SessionStart {
    return this.#withJson(config, (json) =>
      this.#call('session_create', replies.sessionStart, () =>
        this.#module._sg_session_create(dataset, json),
      ),
    );
  }

  sessionRace(session: number): SessionStart {
    return this.#call('session_race', replies.sessionStart, () =>
      this.#module._sg_session_race(session),
    );
  }

  sessionRestore(dataset: number, bytes: Uint8Array, options: RestoreOptions): SessionRestored {
    return this.#withBytes(bytes, (pointer) =>
      this.#withJson(options, (json) =>
        this.#call('session_restore', replies.sessionRestored, () =>
          this.#module._sg_session_restore(dataset, pointer, bytes.length, json),
        ),
      ),
    );
  }

  sessionStep(session: number, maxSteps: number): StepReply {
    return this.#call('session_step', replies.stepReply, () =>
      this.#module._sg_session_step(session, maxSteps),
    );
  }

  sessionSetEffort(session: number, effort: string): StepReply {
    return this.#withText(effort, (name) =>
      this.#call('session_set_effort', replies.stepReply, () =>
        this.#module._sg_session_set_effort(session, name),
      ),
    );
  }

  sessionNextEpoch(session: number): StepReply {
    return this.#call('session_next_epoch', replies.stepReply, () =>
      this.#module._sg_session_next_epoch(session),
    );
  }

  sessionValidate(session: number): ValidateReply {
    return this.#call('session_validate', replies.validateReply, () =>
      this.#module._sg_session_validate(session),
    );
  }

  sessionFed(session: number): SessionFed {
    return this.#call('session_fed', replies.sessionFed, () =>
      this.#module._sg_session_fed(session),
    );
  }

  sessionPredict(session: number, first: number, count: number): PredictReply {
    return this.#call('session_predict', replies.predictReply, () =>
      this.#module._sg_session_predict(session, first, count),
    );
  }

  sessionCheckpoint(session: number, history: unknown): Uint8Array<ArrayBuffer> {
    const { pointer, length } = this.#withJson({ history }, (json) =>
      this.#call('session_checkpoint', v.object({ pointer: handle, length: handle }), () =>
        this.#module._sg_session_checkpoint(session, json),
      ),
    );
    return this.memory().slice(pointer, pointer + length);
  }

  sessionEvaluate(session: number): EvaluateReply {
    return this.#call('session_evaluate', judging.evaluateReply, () =>
      this.#module._sg_session_evaluate(session),
    );
  }

  predictionOpen(session: number, dataset: number): number {
    return this.#call('prediction_open', v.object({ prediction: handle }), () =>
      this.#module._sg_prediction_open(session, dataset),
    ).prediction;
  }

  predictionTurn(prediction: number): PredictionTurn {
    return this.#call('prediction_turn', judging.predictionTurn, () =>
      this.#module._sg_prediction_turn(prediction),
    );
  }

  predictionFed(prediction: number): PredictionTurn {
    return this.#call('prediction_fed', judging.predictionTurn, () =>
      this.#module._sg_prediction_fed(prediction),
    );
  }

  predictionClose(prediction: number): void {
    this.#call('prediction_close', v.record, () => this.#module._sg_prediction_close(prediction));
  }

  sessionCounters(session: number): Counters {
    return this.#call('session_counters', replies.counters, () =>
      this.#module._sg_session_counters(session),
    );
  }

  sessionClose(session: number): void {
    this.#call('session_close', v.record, () => this.#module._sg_session_close(session));
  }

  #call<T>(name: string, check: Check<T>, run: () => number): T {
    const reply = this.#parse(name, this.#guard(name, run));
    if (reply['ok'] === true) return check(reply, `sg_${name}`);
    const { code, message } = v.object({ code: v.text(200), message: v.text(100_000) })(
      reply,
      `sg_${name}`,
    );
    throw new CoreError(code, message);
  }

  /** A trap leaves the module in an unknown state; it is named as what it is. */
  #guard(name: string, run: () => number): number {
    try {
      return run();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CoreError(
        'core.crashed',
        `The training core stopped in sg_${name}: ${reason}. Reload the extension and go on from the last checkpoint.`,
      );
    }
  }

  #parse(name: string, pointer: number): Record<string, unknown> {
    const text = this.#module.UTF8ToString(pointer);
    try {
      return v.record(JSON.parse(text), `sg_${name}`);
    } catch {
      throw new CoreError(
        'core.reply',
        `sg_${name} answered with something that is not a JSON object.`,
      );
    }
  }

  #withJson<T>(value: unknown, use: (pointer: number) => T): T {
    return this.#withText(JSON.stringify(value), use);
  }

  #withText<T>(text: string, use: (pointer: number) => T): T {
    const size = this.#module.lengthBytesUTF8(text) + 1;
    return this.#withMemory(size, (pointer) => {
      this.#module.stringToUTF8(text, pointer, size);
      return use(pointer);
    });
  }

  memory(): Uint8Array {
    const { wasmMemory, HEAPU8 } = this.#module;
    return wasmMemory === undefined ? HEAPU8 : new Uint8Array(wasmMemory.buffer);
  }

  /** The module's own bytes of a shard are gone with the next call. */
  #copies(shards: { file: string; pointer: number; length: number }[]): ImportedShard[] {
    const heap = this.memory();
    return shards.map(({ file, pointer, length }) => ({
      file,
      bytes: heap.slice(pointer, pointer + length),
    }));
  }

  #withBytes<T>(bytes: Uint8Array, use: (pointer: number) => T): T {
    return this.#withMemory(bytes.length, (pointer) => {
      this.memory().set(bytes, pointer);
      return use(pointer);
    });
  }

  #withMemory<T>(size: number, use: (pointer: number) => T): T {
    const pointer = this.#module._sg_alloc(Math.max(1, size));
    if (pointer === 0) {
      throw new CoreError(
        'core.memory',
        `The training core has no ${String(size)} bytes of memory left. Close other runs, or use a smaller file or model.`,
      );
    }
    try {
      return use(pointer);
    } finally {
      this.#module._sg_free(pointer);
    }
  }
}

export async function loadCore(create: () => Promise<unknown>): Promise<Core> {
  const module = await create();
  if (!isRecord(module) || typeof module['_sg_describe'] !== 'function') {
    throw new CoreError(
      'core.missing',
      'The training core could not be loaded. Reinstall the extension.',
    );
  }
  return new WasmCore(module as unknown as CoreModule);
}
