// The part of the module's door that judges a run and has it predict other data; exports.h says how replies look and
// how long they last.
#pragma once
#include <cstdint>

extern "C" {

/// A turn of the run's evaluation over its validation part, which begins with the first call; call until done. It is of
/// the weights as they are: make no step meanwhile. -> {ok, done, fraction, evaluation: null, or once done as
/// train/evaluation.h says}; {ok, needs} alone while rows are needed
const char* sg_session_evaluate(int session);

/// Begins predictions of a finished or attached data set by the run's model. -> {ok, prediction: int, rows: of the data
/// set}. Fails with predict.missing_column, predict.too_few_rows, table.column_type
const char* sg_prediction_open(int session, int dataset);
/// The rows that are needed next, as sg_session_needs. Of a data set with its values none ever are: what they would
/// have given is in the reply. -> {ok, needs, text: the next piece of CSV, done, rows: predicted so far, unseen:
/// [{column, example, rows}] values that training has not seen, which count as "other"}
const char* sg_prediction_turn(int prediction);
/// The rows are written. -> as sg_prediction_turn
const char* sg_prediction_fed(int prediction);
const char* sg_prediction_close(int prediction);
}
