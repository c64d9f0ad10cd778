// The flat C ABI between the training worker and the core: the only door into the module. embind needs eval, which
// the extension's policy forbids.
//
// Every function that returns `const char*` returns one JSON object in UTF-8, valid until the next call:
// {"ok": true, ...} or {"ok": false, "code": "csv.empty", "message": "what, where, what to do next"}.
// Exceptions never leave this file. Arguments named `json` are JSON objects in UTF-8, ended by a zero byte.
// A call does a bounded amount of work and returns, so that the worker stays able to answer messages.
#pragma once
#include <cstdint>

extern "C" {

/// `bytes` bytes on the module's heap, aligned to 16, or null when memory is exhausted. Freed by sg_free.
void* sg_alloc(uint32_t bytes);
void sg_free(void* pointer);

/// How many threads shall work on a kernel of the cpu device, 1 to 8: a module with threads was given so many workers.
/// -> how many do
int sg_set_threads(int count);

/// {ok, version, models: [{name, task: "forecast"|"image"|"text", help, fields: [{name, type: "int"|"float"|"bool"|
///  "choice", default, min, max, choices: [the texts of a choice], help}]}], settings: the configuration's other
///  fields, as train/config.h's describe() says, webgl: null | {renderer, software: bool}, webglReason: why there is
///  none}
const char* sg_describe();

/// Opens a reader. json: {name, source?: {size, head, tail}, the reader's options}: with `source`, checkpoints tell of
/// the file what a manifest would. -> {ok, dataset: int}
const char* sg_dataset_open(const char* json);
/// Feeds the next bytes of the file. -> {ok, rows}
const char* sg_dataset_feed(int dataset, const uint8_t* bytes, uint32_t length);
/// The file has ended. -> {ok, description} (the description is io/table_json's: rows, columns, preview, repairs)
const char* sg_dataset_finish(int dataset);
const char* sg_dataset_close(int dataset);

/// Prepares a run on a finished data set. json:
/// {model: {name: "lstm", ...fields}, data: {features: [column names], target: column name, ...}, training: {...}} with
/// the fields that sg_describe names.
/// Fields left out take their defaults. Where the device is left open and there is a graphics card, the run begins with
/// a race, and the reply is {ok, session, racing: done part of its time, 0 to 1}: call sg_session_race until racing is
/// null; until then every other call but sg_session_close fails with session.racing.
/// On a data set whose values lie in shards the reply is {ok, session, racing: null, needs} as long as rows must be
/// read before the run can begin: feed them. Every reply with a state has needs, too: null, or the rows without which
/// nothing goes on.
/// -> {ok, session: int, racing: null, config: the whole config with defaults filled in, device, choice: how the run
/// came
///  to it, as train/choice.h's to_json says, parameters, stepsPerEpoch, trainWindows, validationWindows,
///  skippedWindows, season, state: as sg_session_step}
const char* sg_session_create(int dataset, const char* json);
/// A turn of the race of some milliseconds. Nothing of it is left: training starts as if it had not been.
/// -> as sg_session_create
const char* sg_session_race(int session);
/// The same from a checkpoint's bytes: configuration, weights, optimiser, schedule, random state and data cursor.
/// json: {} or {training: {epochs, device}} to go on for more epochs. There is no race: unless another device is asked
/// for, the run goes on on the one that it was on, or, with the notice device.moved, on the cpu. Throws
/// checkpoint.mismatch when the data set lacks a column of the checkpoint. -> as sg_session_create, and history, and
/// notice: null or one sentence (the data changed)
const char* sg_session_restore(int dataset, const uint8_t* bytes, uint32_t length, const char* json);
/// -> {ok, needs: null | {first, rows, columns: [indices], pointer, done, total}}: float32 values of `rows` rows from
/// `first` on are to be written to `pointer`, column after column, NaN where missing; done of total rows of this
/// reading are read.
const char* sg_session_needs(int session);
/// They are written. -> {ok, needs}: the next; or, where that was all that the run waited for to begin, as
/// sg_session_create, and notice as sg_session_restore. Fails with what is wrong with the data, and from then on.
const char* sg_session_fed(int session);
/// While needs is not null this makes no step, and sg_session_validate and sg_session_predict reply {ok, needs} alone.
/// Trains up to max_steps steps (fewer at an epoch's end), after those that a lost graphics device took with it. On
/// webgl the losses arrive a few calls later. the losses arrive a few calls later. With max_steps 0 it only takes the
/// losses that have arrived. When epochDone, all steps of the epoch are made and all losses are here: validate, then
/// sg_session_next_epoch. epoch counts the finished ones; finished: all epochs are.
/// -> {ok, step, epoch, stepInEpoch, stepsPerEpoch, epochDone, finished, pending: losses still on the device,
///  trainLoss: number|null (mean over the epoch so far), recent: [[step, loss], ...] losses that arrived since the last
///  call, learningRate, gradientNorm: number|null, best: null|{epoch, loss} where the run has patience, device, duty:
///  the share of the time that the run's effort lets it work in, peakBytes: of the device's memory, preparing:
///  null|{done, total} of the device's programs, before whose end no step is made, notices: [{code,
///  message}] since the last call: "device.lost", "device.taken_over", "device.moved", "run.stopped_early", "run.best",
///  "validation.sampled", "season.too_long"}
/// Fails with train.diverged, and from then on, when a step's loss or gradient is not finite: the step is not applied,
/// and the run stands where it was before it (max_steps 0 says where). finished: all epochs are, or patience is at its
/// end; then the best weights, where there are, have been put back.
const char* sg_session_step(int session, int max_steps);
/// Changes how hard the run works, by a name of training.effort; no number of it changes. -> as sg_session_step
const char* sg_session_set_effort(int session, const char* name);
/// Leaves a done epoch. -> as sg_session_step
const char* sg_session_next_epoch(int session);
/// Mean loss over the validation part, a bounded number of windows a call: call until done.
/// -> {ok, done, fraction} and when done {loss: the run's loss in scaled units, scaled: {mse, mae, rmse}, mae, rmse: in
/// the
///  data's units, baselines: {season: rows or 0, naive: {mse, mae, rmse}, naiveLoss, seasonalNaive: same or null,
///  seasonalNaiveLoss}}: baselines in scaled units over the same windows, ...Loss comparable with loss (null for huber)
const char* sg_session_validate(int session);
/// Forecasts on validation windows first .. first + count - 1, in the data's own units.
/// -> {ok, first, count, total, horizon, rows: [row index of the first forecast value], truth: [[...]], forecast:
/// [[...]]}
const char* sg_session_predict(int session, int first, int count);
/// Writes a checkpoint. json: {history: any JSON, kept in the metadata}. Fails with train.pending while losses are on
/// the device: call sg_session_step(session, 0) until pending is 0.
/// -> {ok, pointer, length}: owned by the module, valid until the next call.
const char* sg_session_checkpoint(int session, const char* json);
/// Numbers of the device since the session began: {ok, device, kernels, draws, allocations, liveBuffers, liveBytes,
/// dataBytes: of the rows that lie in memory, and of their windows}, and of the cpu device always {threads, fused:
/// whether it has fused multiply-adds}
const char* sg_session_counters(int session);
const char* sg_session_close(int session);
}
