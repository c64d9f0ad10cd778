// What goes wrong in the host, as one type: a code from PROTOCOL.md, a sentence for the person, and the details that
// the reply carries. Every code is written in the call `Failure("...")`, where a test finds it.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "io/error.h"

namespace sg::host {

using Json = nlohmann::json;

class Failure : public Error {
 public:
  Failure(const char* code, const std::string& message, Json details = Json::object())
      : Error(code, message), details_(std::move(details)) {}
  const Json& details() const { return details_; }

 private:
  Json details_;
};

/// Runs `call` and turns an error of type `Caught` into the failure that `failure_of` makes of it; nothing is
/// swallowed.
template <class Caught, class Call, class FailureOf>
auto translated(Call call, FailureOf failure_of) {
  try {
    return call();
  } catch (const Caught& e) {
    throw failure_of(e);
  }
}

/// The same for the system's errors: `failure_of(errno)`.
template <class Call, class FailureOf>
auto translated(Call call, FailureOf failure_of) {
  return translated<std::system_error>(call, [&](const std::system_error& e) { return failure_of(e.code().value()); });
}

/// What an error number means to the person, where the system's own words would be of no use.
enum class Trouble { no_room, denied, missing, other };
Trouble trouble_of(int error);

/// "Permission denied" and the like, without the C library's shared buffer.
std::string error_text(int error);

}  // namespace sg::host
