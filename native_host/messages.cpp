#include "native_host/messages.h"

#include <algorithm>

#include "native_host/base64.h"

namespace sg::host {

Fields::Fields(const Value& object, std::string where) : object_(&object), where_(std::move(where)) {}

void Fields::refuse(const std::string& name, const std::string& why) const {
  const std::string field = where_ + name;
  throw Failure("message.invalid", "The field '" + field + "' " + why + ".", {{"field", field}});
}

const Value* Fields::find(const char* name) {
  read_.insert(name);
  return member(*object_, name);
}

const Value& Fields::need(const char* name) {
  const Value* value = find(name);
  if (value == nullptr) refuse(name, "is missing");
  return *value;
}

std::int64_t Fields::whole(const char* name, std::int64_t least, std::int64_t most) {
  const auto* value = need(name).get<std::int64_t>();
  if (value == nullptr || *value < least || *value > most)
    refuse(name, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return *value;
}

std::int64_t Fields::whole(const char* name, std::int64_t least, std::int64_t most, std::int64_t otherwise) {
  return find(name) == nullptr ? otherwise : whole(name, least, most);
}

std::string Fields::text(const char* name, std::size_t most) {
  const auto* value = need(name).get<std::string>();
  if (value == nullptr || value->size() > most)
    refuse(name, "must be text of at most " + std::to_string(most) + " bytes");
  return *value;
}

std::optional<std::string> Fields::optional_text(const char* name, std::size_t most) {
  return find(name) == nullptr ? std::nullopt : std::optional(text(name, most));
}

bool Fields::flag(const char* name, bool otherwise) {
  const Value* value = find(name);
  if (value == nullptr) return otherwise;
  if (value->get<bool>() == nullptr) refuse(name, "must be true or false");
  return *value->get<bool>();
}

bool Fields::either(const char* name, const char* yes, const char* no) {
  const std::string word = text(name, 32);
  if (word != yes && word != no) refuse(name, std::string("must be '") + yes + "' or '" + no + "'");
  return word == yes;
}

std::vector<std::int64_t> Fields::wholes(const char* name, std::size_t most_items, std::int64_t most) {
  const Value& list = need(name);
  std::vector<std::int64_t> all;
  bool sound = list.get<Array>() != nullptr;
  const Value* const end = &list + list.span;
  for (const Value* at = &list + 1; sound && at != end; at += at->span) {
    const auto* value = at->get<std::int64_t>();
    sound = value != nullptr && *value >= 0 && *value <= most && all.size() < most_items;
    if (sound) all.push_back(*value);
  }
  if (!sound) {
    refuse(name, "must be a list of at most " + std::to_string(most_items) + " whole numbers from 0 to " +
                     std::to_string(most));
  }
  return all;
}

Fields Fields::inside(const char* name) {
  const Value& value = need(name);
  if (value.get<Object>() == nullptr) refuse(name, "must be an object");
  return Fields(value, where_ + name + ".");
}

std::optional<Json> Fields::optional_object(const char* name) {
  const Value* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->get<Object>() == nullptr) refuse(name, "must be an object");
  return tree(*value);
}

std::string Fields::bytes(const char* name, std::size_t most) {
  const auto* coded = need(name).get<std::string>();
  if (coded != nullptr && coded->size() <= (most + 2) / 3 * 4) {
    auto raw = decode_base64(*coded);
    if (raw && !raw->empty() && raw->size() <= most) return *std::move(raw);
  }
  refuse(name, "must be base64 of 1 to " + std::to_string(most) + " bytes");
}

void Fields::finish() const {
  const Value* const end = object_ + object_->span;
  for (const Value* at = object_ + 1; at != end; at += at->span) {
    if (!read_.count(at->key)) refuse(at->key.substr(0, 64), "is not part of this message");
  }
}

Hello::Hello(Fields& f) : extension(f.text("extension", 64)) {
  Fields versions = f.inside("protocol");
  min = versions.whole("min", 1, kLargestWhole);
  max = versions.whole("max", min, kLargestWhole);
  versions.finish();
}

// Over-long paths and names get past here, up to a bound, so that they are refused by the code that says why.
constexpr std::size_t kPathText = 8192, kNameText = 4096;

DatasetList::DatasetList(Fields& f)
    : path(f.optional_text("path", kPathText)),
      cursor(f.optional_text("cursor", kPathText)),
      recursive(f.flag("recursive", false)),
      limit(f.whole("limit", 1, 1000, 200)) {}

DatasetReading::DatasetReading(Fields& f)
    : path(f.text("path", kPathText)), options(f.optional_object("options").value_or(Json::object())) {}

DatasetRead::DatasetRead(Fields& f)
    : path(f.text("path", kPathText)),
      offset(f.whole("offset", 0, kLargestWhole, 0)),
      length(f.whole("length", 0, kLargestWhole, kLargestWhole)),
      credits(f.whole("credits", 1, kMostCredits)) {}

DatasetImports::DatasetImports(Fields& f)
    : limit(f.whole("limit", 1, 1000, 200)), cursor(f.optional_text("cursor", kNameText)) {}

DatasetManifest::DatasetManifest(Fields& f)
    : dataset(f.text("dataset", kNameText)), offset(f.whole("offset", 0, kLargestWhole, 0)) {}

DatasetForget::DatasetForget(Fields& f) : dataset(f.text("dataset", kNameText)) {}

ShardRead::ShardRead(Fields& f)
    : dataset(f.text("dataset", kNameText)),
      shard(f.whole("shard", 0, kLargestWhole)),
      columns(f.wholes("columns", 10'000, kLargestWhole)),
      first(f.whole("first", 0, kLargestWhole, 0)),
      deflate(f.flag("deflate", false)),
      credits(f.whole("credits", 1, kMostCredits)) {
  const std::int64_t count = f.whole("rows", 0, kLargestWhole, -1);
  if (count >= 0) rows = count;
}

FlowCredit::FlowCredit(Fields& f) : frames(f.whole("frames", 1, kMostCredits)) {}

RequestCancel::RequestCancel(Fields& f) : target(f.whole("target", 1, kLargestWhole)) {}

CheckpointBegin::CheckpointBegin(Fields& f)
    : name(f.text("name", kNameText)), size(f.whole("size", 1, kLargestWhole)) {}

CheckpointWrite::CheckpointWrite(Fields& f)
    : handle(f.whole("handle", 1, kLargestWhole)),
      sequence(f.whole("sequence", 0, kLargestWhole)),
      bytes(f.bytes("bytes", kWriteBytes)) {}

CheckpointEnd::CheckpointEnd(Fields& f) : handle(f.whole("handle", 1, kLargestWhole)) {}

StoreList::StoreList(Fields& f) : limit(f.whole("limit", 1, 200, 100)), cursor(f.optional_text("cursor", kNameText)) {}

CheckpointRead::CheckpointRead(Fields& f)
    : name(f.text("name", kNameText)), credits(f.whole("credits", 1, kMostCredits)) {}

CheckpointRemove::CheckpointRemove(Fields& f) : name(f.text("name", kNameText)) {}

DialogOpen::DialogOpen(Fields& f) : file(f.either("kind", "file", "folder")) {}

RunDescribe::RunDescribe(Fields& f)
    : run(f.text("run", kNameText)), name(f.text("name", kRunNameBytes)), note(f.text("note", kRunNoteBytes)) {}

RunRemove::RunRemove(Fields& f) : run(f.text("run", kNameText)) {}

std::int64_t negotiate(const Hello& hello) {
  const auto both = std::min(hello.max, kProtocolMax);
  if (both >= hello.min && both >= kProtocolMin) return both;
  const bool host_is_older = hello.min > kProtocolMax;
  const auto range = [](std::int64_t a, std::int64_t b) {
    return a == b ? std::to_string(a) : std::to_string(a) + " to " + std::to_string(b);
  };
  throw Failure(
      "protocol.unsupported",
      std::string("The ") +
          (host_is_older ? "native host is older than the extension" : "extension is older than the native host") +
          ": the host speaks protocol version " + range(kProtocolMin, kProtocolMax) + ", the extension " +
          range(hello.min, hello.max) + ". Update the " + (host_is_older ? "native host." : "extension."),
      {{"update", host_is_older ? "host" : "extension"}, {"min", kProtocolMin}, {"max", kProtocolMax}});
}

std::string data_frame(Id id, const char* kind, std::int64_t sequence, bool last, std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + 128);
  out += "{\"id\":" + std::to_string(id) + ",\"type\":\"" + kind + ".data\",\"sequence\":" + std::to_string(sequence);
  out += last ? ",\"last\":true,\"bytes\":\"" : ",\"last\":false,\"bytes\":\"";
  append_base64(out, bytes);
  out += "\"}";
  return out;
}

}  // namespace sg::host
