#include "native_host/framing.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "native_host/error.h"

namespace sg::host {

void Decoder::feed(std::string_view bytes, const std::function<void(std::string)>& message) {
  while (!bytes.empty()) {
    if (have_header_ < sizeof header_) {
      const std::size_t n = std::min(bytes.size(), sizeof header_ - have_header_);
      std::memcpy(header_ + have_header_, bytes.data(), n);
      have_header_ += n;
      bytes.remove_prefix(n);
      if (have_header_ < sizeof header_) return;
      std::memcpy(&length_, header_, sizeof length_);
      if (length_ == 0 || length_ > kInboundCap) {
        throw Failure("frame.invalid", "A frame announces " + std::to_string(length_) + " bytes; 1 to " +
                                           std::to_string(kInboundCap) + " are allowed. The host stops here.");
      }
      body_.reserve(length_);
    }
    const std::size_t n = std::min<std::size_t>(bytes.size(), length_ - body_.size());
    body_.append(bytes.substr(0, n));
    bytes.remove_prefix(n);
    if (body_.size() < length_) return;
    have_header_ = 0;
    message(std::exchange(body_, {}));
  }
}

std::string encode_frame(std::string_view json) {
  if (json.size() > kOutboundCap) {
    throw std::length_error("a message of " + std::to_string(json.size()) + " bytes is over the outbound cap");
  }
  const auto length = static_cast<std::uint32_t>(json.size());
  std::string out(sizeof length, '\0');
  std::memcpy(out.data(), &length, sizeof length);
  out.append(json);
  return out;
}

}  // namespace sg::host
