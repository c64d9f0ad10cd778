// The program that the browser starts. Its verbs are for the person at a terminal; without one it checks who started
// it, gives up what it does not need, and talks until its input ends.
#include <signal.h>
#include <unistd.h>
#if defined(__linux__)
#include <malloc.h>
#endif

#include <iostream>
#include <map>

#include "native_host/build.h"
#include "native_host/caller.h"
#include "native_host/convert.h"
#include "native_host/doctor.h"
#include "native_host/grants.h"
#include "native_host/harden.h"
#include "native_host/host.h"
#include "native_host/inspect.h"
#include "native_host/install.h"
#include "native_host/picker.h"
#include "native_host/terminal.h"

namespace {

using namespace sg::host;
using Arguments = std::vector<std::string>;

constexpr const char* kHelp =
    "shadegrad-host keeps checkpoints and reads granted folders for the Shadegrad browser extension.\n"
    "\n"
    "  shadegrad-host install   [--browser NAME] [--profile DIR] [--replace]   tell browsers where this program is\n"
    "  shadegrad-host uninstall [--browser NAME] [--profile DIR]   take that back; what was saved stays\n"
    "  shadegrad-host doctor    [--browser NAME] [--profile DIR]   say what is wrong, and the command that mends it\n"
    "  shadegrad-host inspect FILE [--json]   show what is in a checkpoint, and whether it is whole\n"
    "  shadegrad-host convert FILE [--into DIR] [--format NAME] [--option KEY=VALUE]   import a data set\n"
    "  shadegrad-host grant DIR      let the extension read the files below DIR (or one file alone)\n"
    "  shadegrad-host revoke DIR     take that back\n"
    "  shadegrad-host grants         list what is granted\n"
    "  shadegrad-host --version\n"
    "\n"
    "NAME is one of ";

constexpr const char* kHelpEnd =
    "or all; without it, the browsers found here. DIR after --profile\n"
    "is the user data folder of a private Chromium profile. With --replace also a file that this program did not "
    "write\n"
    "is replaced.\n";

std::string help() {
  std::string text = kHelp;
  for (const Browser& b : browsers()) text += std::string(b.name) + ", ";
  return text + kHelpEnd;
}

Report grant(const Arguments& a) {
  const auto [root, before] = Grants(Places::from_environment()).grant(a[0]);
  if (before) return {root.path + " is granted already, as '" + root.name + "'.\n", 0};
  return {"Granted " + root.path + " as '" + root.name + "'.\n", 0};
}

Report revoke(const Arguments& a) { return {Grants(Places::from_environment()).revoke(a[0]) + "\n", 0}; }

Report grants(const Arguments&) {
  std::string text;
  for (const Root& root : Grants(Places::from_environment()).roots()) {
    text += root.name + "\t" + root.path + (Grants::available(root) ? "\n" : "\t(not there)\n");
  }
  return {text.empty() ? "No folder is granted.\n" : text, 0};
}

Report show_help(const Arguments&) { return {help(), 0}; }

/// What a person may have typed and no browser gives.
bool is_word(const std::string& argument) {
  return !argument.empty() && argument.find_first_of("/\\:@.") == std::string::npos && argument.rfind("--", 0) != 0;
}

struct Verb {
  int least, most;  // arguments
  Report (*run)(const Arguments&);
};

const std::map<std::string, Verb> kVerbs{
    {"install", {0, 32, [](const Arguments& a) { return install(parse_install(a)); }}},
    {"uninstall", {0, 32, [](const Arguments& a) { return uninstall(parse_install(a)); }}},
    {"doctor", {0, 32, [](const Arguments& a) { return doctor(parse_install(a)); }}},
    {"inspect", {1, 2, inspect}},
    {"convert", {0, 100, convert}},
    {"grant", {1, 1, grant}},
    {"revoke", {1, 1, revoke}},
    {"grants", {0, 0, grants}},
    {"--help", {0, 0, show_help}},
    {"-h", {0, 0, show_help}},
    {"help", {0, 0, show_help}},
    {"--version",
     {0, 0,
      [](const Arguments&) {
        return Report{std::string("shadegrad-host ") + kVersion + "\n", 0};
      }}},
};

/// Nothing but dialogs is lost without one.
PickerEnds picker_for(const Places& places) {
  try {
    return start_picker(places);
  } catch (const std::system_error& e) {
    std::cerr << "shadegrad-host: no dialogs can be shown: " << e.what() << "\n";
    return {};
  }
}

int serve() {
  Grants grants(Places::from_environment());
  PickerEnds picker = picker_for(grants.places());  // before the lock, which the picker does without
  harden(grants.lock());
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error of that write, not the end of the host
  Loop loop;
  Host host(loop, std::move(grants), std::move(picker));
  const int status = host.serve(STDIN_FILENO, STDOUT_FILENO);
  // A job that the disk holds up must not hold up the end: its file has no name yet, or its old one.
  if (loop.jobs() > 0) _exit(status);
  return status;
}

int run(Arguments arguments) {
  const auto verb = arguments.empty() ? kVerbs.end() : kVerbs.find(arguments[0]);
  if (verb == kVerbs.end() && !arguments.empty() && is_word(arguments[0])) {
    std::cerr << "shadegrad-host: there is no '" << shown(arguments[0]) << "'\n\n" << help();
    return 2;
  }
  if (verb == kVerbs.end()) {
    const std::string refusal = refuse_caller(arguments);
    if (refusal.empty()) return serve();
    std::cerr << "shadegrad-host: " << refusal << "\n";
    return 2;
  }
  arguments.erase(arguments.begin());
  const int count = static_cast<int>(arguments.size());
  if (count < verb->second.least || count > verb->second.most) {
    std::cerr << help();
    return 2;
  }
  const Report report = verb->second.run(arguments);
  std::cout << report.text;
  return report.status;
}

}  // namespace

int main(int argc, char** argv) {
#if defined(M_ARENA_MAX)
  // The buffers of an import go from thread to thread: what is free is given back, and not kept by each thread's heap.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_ARENA_MAX, 2);
#endif
  try {
    return run(Arguments(argv + 1, argv + argc));
  } catch (const std::exception& e) {
    std::cerr << "shadegrad-host: " << e.what() << "\n";
    return 1;
  }
}
