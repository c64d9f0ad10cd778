// The person's part of Windows' registry (HKEY_CURRENT_USER), where browsers find the path of a manifest: the unnamed
// value of a key. All throw std::system_error.
#pragma once
#include <string>

namespace sg::host {

void write_registry(const std::string& key, const std::string& text);
/// Empty when there is none.
std::string read_registry(const std::string& key);
/// Tells whether it was there. Keys that hold others stay.
bool remove_registry(const std::string& key);

}  // namespace sg::host
