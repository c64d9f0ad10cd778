// The least that can stand behind the protocol: a blocking loop that answers `hello` and sends the same 64 KiB frame as
// often as `dataset.read {path: "echo/BYTES"}` asks, within its credit. No file, no checks, no JSON parser: what a
// browser takes from it is the most that it takes from any host, which is what the real one is compared with. It takes
// its messages from our own benchmark alone and is never installed.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr long kFrame = 65'536;

bool read_all(char* to, std::size_t size) {
  while (size > 0) {
    const ssize_t n = read(STDIN_FILENO, to, size);
    if (n <= 0) return false;
    to += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

std::string read_message() {
  std::uint32_t length = 0;
  if (!read_all(reinterpret_cast<char*>(&length), sizeof length) || length > 1 << 20) std::exit(0);
  std::string text(length, '\0');
  if (!read_all(text.data(), length)) std::exit(0);
  return text;
}

void send(const std::string& json) {
  const auto length = static_cast<std::uint32_t>(json.size());
  std::string out(reinterpret_cast<const char*>(&length), sizeof length);
  out += json;
  for (std::size_t at = 0; at < out.size();) {
    const ssize_t n = write(STDOUT_FILENO, out.data() + at, out.size() - at);
    if (n <= 0) std::exit(1);
    at += static_cast<std::size_t>(n);
  }
}

/// The whole number after the first `mark`, or 0.
long number_after(const std::string& text, const char* mark) {
  const std::size_t at = text.find(mark);
  return at == std::string::npos ? 0 : std::strtol(text.c_str() + at + std::strlen(mark), nullptr, 10);
}

/// Base64 of `size` bytes of a pattern.
std::string frame_text(long size) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text(static_cast<std::size_t>((size + 2) / 3 * 4), 'A');
  for (std::size_t i = 0; i + 4 < text.size(); ++i) text[i] = digits[i * 7 % 64];
  for (long i = 0; i < (3 - size % 3) % 3; ++i) text[text.size() - 1 - static_cast<std::size_t>(i)] = '=';
  return text;
}

void stream(const std::string& request) {
  const long bytes = number_after(request, "echo/"), id = number_after(request, "\"id\":");
  long credit = number_after(request, "\"credits\":");
  const long frames = (bytes + kFrame - 1) / kFrame;
  const std::string of_id = "{\"id\":" + std::to_string(id);
  send(of_id + ",\"ok\":true,\"path\":\"echo/" + std::to_string(bytes) + "\",\"size\":" + std::to_string(bytes) +
       ",\"mtime\":0,\"bytes\":" + std::to_string(bytes) + ",\"frames\":" + std::to_string(frames) + "}");
  const std::string full = frame_text(kFrame), rest = frame_text(bytes - (frames - 1) * kFrame);
  for (long i = 0; i < frames; ++i, --credit) {
    while (credit <= 0) credit += number_after(read_message(), "\"frames\":");
    const bool last = i + 1 == frames;
    send(of_id + ",\"type\":\"dataset.data\",\"sequence\":" + std::to_string(i) +
         ",\"last\":" + (last ? "true" : "false") + ",\"bytes\":\"" + (last ? rest : full) + "\"}");
  }
  send(of_id + ",\"type\":\"dataset.end\",\"frames\":" + std::to_string(frames) +
       ",\"bytes\":" + std::to_string(bytes) + ",\"crc32c\":0}");
}

}  // namespace

int main() {
  for (;;) {
    const std::string message = read_message();
    const std::string id = "{\"id\":" + std::to_string(number_after(message, "\"id\":")) + ",\"ok\":true";
    if (message.find("\"dataset.read\"") != std::string::npos) {
      stream(message);
    } else if (message.find("\"hello\"") != std::string::npos) {
      send(id + ",\"protocol\":1,\"host\":\"echo\",\"os\":\"linux\",\"roots\":[],\"checkpoints\":\"\",\"frames\":0}");
    }
  }
}
