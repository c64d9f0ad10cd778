// Telling browsers where the host is: one manifest per browser, per user, written whole or not at all and always the
// same bytes. What was installed can be taken back without a trace.
#pragma once
#include <string>
#include <vector>

#include "native_host/browsers.h"

namespace sg::host {

/// What a verb of the program says, and its exit status.
struct Report {
  std::string text;
  int status = 0;
};

struct InstallOptions {
  Places places;
  System system;
  std::string program;                // absolute path of the running program
  std::vector<std::string> browsers;  // names from the table; empty: those found
  std::string profile;                // user data folder of a private Chromium profile, or empty
  bool replace = false;               // also a manifest that this program did not write
};

/// From the arguments `[--browser NAME|all] [--profile DIR] [--replace]`; throws std::invalid_argument with a sentence.
InstallOptions parse_install(const std::vector<std::string>& arguments);

/// What the options say of a browser: it is one of those named, or none was named and no profile either.
bool is_meant(const InstallOptions& options, const Browser& browser);

/// Why a browser that lives in a sandbox alone gets no manifest, as a sentence.
std::string explain_sandbox(const Browser& browser, const Presence& presence);

Report install(const InstallOptions& options);
Report uninstall(const InstallOptions& options);

}  // namespace sg::host
