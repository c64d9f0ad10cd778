// The manifest: the file that tells a browser which program to start and for which extension. Each family of browsers
// has its own shape, and refuses or ignores what does not fit it; a file that this program did not write is never
// changed without being told to.
#pragma once
#include <string>

#include "native_host/browsers.h"

namespace sg::host {

/// The bytes that a browser of this family needs in order to start `program`.
std::string manifest_for(Family family, const std::string& program);

/// What stands where a browser looks.
struct HostManifest {
  enum class Kind { missing, unreadable, foreign, own };  // own: this program, or another copy of it, wrote it
  Kind kind = Kind::missing;
  std::string bytes;
  std::string program;  // the one that it names; empty when it names none
  std::string fault;    // why the browser would not take it for our extension, whatever the program; or ""
};

HostManifest read_manifest(const Target& target);

}  // namespace sg::host
