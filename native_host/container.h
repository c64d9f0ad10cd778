// The files in a source: a plain file is one, a gzip holds one, a zip (or NPZ) several. They come one after the other
// as bytes that are unpacked while they are read; how much may come of a packed byte is bounded, so that a small file
// can't keep the host busy for ever.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "native_host/grants.h"

namespace sg::host {

/// No honest table is packed tighter than this, above the first 64 MiB.
inline constexpr std::uint64_t kMostUnpacked = 256;
inline constexpr std::uint64_t kUnpackedAllowance = 64u << 20;

class Container {
 public:
  virtual ~Container() = default;
  /// The name of the next file, none after the last.
  virtual std::optional<std::string> next() = 0;
  /// Its size, where that is known beforehand.
  virtual std::optional<std::uint64_t> size() const = 0;
  /// Its next bytes, 0 at its end. Throws sg::Error container.damaged, container.bomb, container.encrypted.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  /// How far into the source's own bytes the reading is.
  virtual std::uint64_t position() const = 0;

  /// By the source's first bytes. `file` must outlive it. Throws import.unsupported for what only the browser reads.
  static std::unique_ptr<Container> open(const OpenFile& file);
};

}  // namespace sg::host
