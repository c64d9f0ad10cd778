// Telling browsers where the host is: one manifest per browser, per user, written whole or not at all and always the
// same bytes. What was installed can be taken back without a trace, and `doctor` says what is there.
#pragma once
#include <string>
#include <vector>

#include "native_host/grants.h"

namespace sg::host {

/// What a verb of the program says, and its exit status.
struct Report {
  std::string text;
  int status = 0;
};

struct InstallOptions {
  Places places;
  std::string program;                // absolute path of the running program
  std::vector<std::string> browsers;  // names from the table; empty: those found
  std::string profile;                // user data folder of a private Chromium profile, or empty
};

/// From the arguments `[--browser NAME|all] [--profile DIR]`; throws std::invalid_argument with a sentence.
InstallOptions parse_install(const std::vector<std::string>& arguments);

Report install(const InstallOptions& options);
Report uninstall(const InstallOptions& options);
Report doctor(const InstallOptions& options);

}  // namespace sg::host
