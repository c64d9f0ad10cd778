// The part of the module's door that turns files into shards and opens what was imported; exports.h says how replies
// look and how long they last.
#pragma once
#include <cstdint>

extern "C" {

/// Begins an import of one file, or of several whose columns stand side by side. json: {name, size, mtime?:
/// milliseconds, head?, tail?: SHA-256 in hex of the source's first and last 64 KiB, where what is fed are files inside
/// it, options?: {format?, ...the format's own}}. -> {ok, import: int}
const char* sg_import_open(const char* json);
/// A file begins; the one before it, if there is one, has ended. -> {ok}
const char* sg_import_part(int import, const char* name);
/// The next bytes of the file. -> {ok, rows: of this file so far, shards: [{file, pointer, length}]}: shards that are
/// whole, to be stored under their names; their bytes are valid until the next call with this import.
const char* sg_import_feed(int import, const uint8_t* bytes, uint32_t length);
/// The last file has ended. -> {ok, manifest, shards: the last ones}. The manifest becomes manifest.json, after all
/// shards, once each of its shards has got the `sha256` of the file that was stored (FORMATS.md).
const char* sg_import_finish(int import);
/// Frees the import, finished or not: what it gave may be thrown away, or kept if it was finished.
const char* sg_import_close(int import);

/// A data set whose values lie in shards. json: a manifest, which is checked whole (manifest.invalid).
/// -> {ok, dataset: int, description}; closed by sg_dataset_close
const char* sg_dataset_attach(const char* json);
}
