// The reader of checkpoints, as a file in memory and as a stream: both accept the same files, and what they accept lies
// within the file. Files of other programs, without hashes, go deeper into the layout than random bytes with hashes.
#include "io/safetensors.h"
#include "tests/fuzz/targets.h"

namespace sg::fuzz {
namespace {

bool accepted(const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const Error&) {
    return false;
  }
}

void run_with(Bytes bytes, const SafetensorsRules& rules) {
  std::size_t tensors = 0;
  const bool whole = accepted([&] {
    const SafetensorsFile file(bytes, rules);
    std::uint64_t at = file.header().data_begin;
    for (const TensorEntry& t : file.header().tensors) {
      hold(t.begin == at && t.end >= t.begin && t.end <= bytes.size(), "a tensor lies outside of the data");
      hold(file.bytes(t.name).size() == t.end - t.begin, "a tensor's bytes are not those of its entry");
      at = t.end;
    }
    hold(at == bytes.size(), "bytes belong to no tensor");
    tensors = file.header().tensors.size();
  });
  const bool streamed = accepted([&] {
    SafetensorsChecker checker(bytes.size(), rules);
    in_pieces(bytes, [&](Bytes piece) { checker.feed(piece); });
    hold(checker.finish().tensors.size() == tensors || !whole, "a stream shows other tensors than the file");
  });
  hold(whole == streamed, whole ? "the stream is refused, the file is not" : "the file is refused, the stream is not");
  const bool header = accepted([&] { read_safetensors_header(bytes, bytes.size(), rules); });
  hold(header || !whole, "a file is accepted whose header is not");
}

void run(Bytes bytes) {
  for (const bool hashes : {true, false}) {
    for (const bool finite : {true, false}) run_with(bytes, {.hashes = hashes, .finite = finite});
  }
}

const Registered target("checkpoint", run);

}  // namespace
}  // namespace sg::fuzz
