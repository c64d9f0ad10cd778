// Native messaging frames, without any I/O: a 4-byte length in native byte order, then JSON. The decoder takes bytes in
// any split, and checks a length before it reserves memory for it.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sg::host {

inline constexpr std::uint32_t kInboundCap = 1u << 20;
inline constexpr std::size_t kOutboundCap = 1'000'000;

class Decoder {
 public:
  /// Calls `message` for each message completed by `bytes`; throws frame.invalid, after which the stream is lost.
  void feed(std::string_view bytes, const std::function<void(std::string)>& message);
  /// Whether the stream stands inside a message.
  bool in_message() const { return have_header_ > 0; }

 private:
  char header_[4] = {};
  std::size_t have_header_ = 0;
  std::uint32_t length_ = 0;
  std::string body_;
};

/// The message as it goes on the wire. A message over the cap is a fault of the host.
std::string encode_frame(std::string_view json);

}  // namespace sg::host
