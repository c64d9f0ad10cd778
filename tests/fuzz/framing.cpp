// The frames of native messaging: any stream of bytes gives the same messages in whatever pieces it comes, and they
// stand for exactly the bytes that were taken.
#include "native_host/framing.h"

#include "native_host/error.h"
#include "tests/fuzz/targets.h"

namespace sg::fuzz {
namespace {

struct Decoded {
  std::vector<std::string> messages;
  std::string error;
  bool inside = false;
};

Decoded decode(Bytes bytes, bool pieces) {
  Decoded decoded;
  host::Decoder decoder;
  const auto feed = [&](Bytes piece) {
    decoder.feed(text_of(piece), [&](std::string message) { decoded.messages.push_back(std::move(message)); });
  };
  try {
    if (pieces) {
      in_pieces(bytes, feed);
    } else {
      feed(bytes);
    }
    decoded.inside = decoder.in_message();
  } catch (const host::Failure& e) {
    decoded.error = e.what();
  }
  return decoded;
}

void run(Bytes bytes) {
  const Decoded whole = decode(bytes, false), cut = decode(bytes, true);
  hold(whole.messages == cut.messages && whole.error == cut.error && whole.inside == cut.inside,
       "pieces change what a stream means");
  std::string again;
  for (const std::string& message : whole.messages) {
    hold(!message.empty(), "an empty message");
    again += host::encode_frame(message);
  }
  hold(text_of(bytes).substr(0, again.size()) == again, "messages are not the bytes that came");
  if (whole.error.empty())
    hold(whole.inside == (again.size() < bytes.size()), "a rest without a message, or the reverse");
}

const Registered target("framing", run);

}  // namespace
}  // namespace sg::fuzz
