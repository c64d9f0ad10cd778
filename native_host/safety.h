// Who besides this person and root could change what lies at a path. A program that a browser starts, and the file that
// names it, are only as safe as every folder above them.
#pragma once
#include <optional>
#include <string>

namespace sg::host {

struct Danger {
  std::string place;    // the file or folder
  std::string why;      // "can be changed by other people" and the like
  std::string command;  // what mends it
};

/// The first danger on the way to `path`, an absolute one: from / on, through every link, to the file itself. What is
/// not there yet is no danger: it will be made for this person alone.
std::optional<Danger> danger_at(const std::string& path);

}  // namespace sg::host
