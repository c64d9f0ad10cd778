#include "native_host/convert.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "native_host/import.h"
#include "native_host/terminal.h"

namespace sg::host {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kBar = 24;  // characters
constexpr auto kBetweenLines = std::chrono::milliseconds(100);

struct Arguments {
  std::string file;
  std::optional<std::string> into;
  Json options = Json::object();
};

Arguments parse(const std::vector<std::string>& words) {
  Arguments a;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.rfind("--", 0) != 0) {
      if (!a.file.empty()) throw std::invalid_argument("convert takes one FILE, and '" + word + "' is a second");
      a.file = word;
      continue;
    }
    if (word != "--into" && word != "--format" && word != "--option")
      throw std::invalid_argument("convert has no option '" + word + "'");
    if (i + 1 == words.size()) throw std::invalid_argument("'" + word + "' needs a value after it");
    const std::string& value = words[++i];
    if (word == "--into") {
      a.into = value;
    } else if (word == "--format") {
      a.options["format"] = value;
    } else {
      const std::size_t equals = value.find('=');
      if (equals == 0 || equals == std::string::npos) throw std::invalid_argument("'--option' needs KEY=VALUE");
      const std::string text = value.substr(equals + 1);
      Json parsed = Json::parse(text, nullptr, false);
      a.options[value.substr(0, equals)] = parsed.is_discarded() ? Json(text) : std::move(parsed);
    }
  }
  if (a.file.empty()) throw std::invalid_argument("convert needs the FILE to import");
  return a;
}

std::string absolute(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) != nullptr ? resolved : path;
}

OpenFile open_file(const std::string& path) {
  OpenFile open{Fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)), path, {}};
  if (!open.file || fstat(open.file.get(), &open.status) != 0)
    throw std::runtime_error(path + ": " + error_text(errno));
  if (!S_ISREG(open.status.st_mode)) throw std::runtime_error(path + " is not a regular file");
  return open;
}

/// As a message would name it, where it is granted: then a message finds the import again.
std::string path_in_messages(const Grants& grants, const std::string& file) {
  for (const Root& root : grants.roots()) {
    const std::string granted = absolute(root.path);
    if (root.file && file == granted) return root.name;
    if (!root.file && file.rfind(granted + "/", 0) == 0) return root.name + file.substr(granted.size());
  }
  return file;
}

std::string amount(double bytes) {
  const char* units[] = {"kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (bytes /= 1000; bytes >= 1000 && unit < 3; ++unit) bytes /= 1000;
  char text[32];
  snprintf(text, sizeof text, "%.1f %s", bytes, units[unit]);
  return text;
}

volatile sig_atomic_t interrupted = 0;

void interrupt(int) { interrupted = 1; }

/// Shows progress where a person watches, and wipes it away at the end.
class Bar {
 public:
  Bar() : shown_(isatty(STDERR_FILENO) == 1) {}
  ~Bar() {
    if (drawn_) std::cerr << "\r\x1b[K" << std::flush;
  }
  void show(const FileImport& import) {
    const auto now = Clock::now();
    if (!shown_ || (drawn_ && now - last_ < kBetweenLines)) return;
    last_ = now;
    drawn_ = true;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    std::cerr << "\r" << progress_line(import.position(), import.size(), import.rows(), seconds) << "\x1b[K"
              << std::flush;
  }

 private:
  bool shown_, drawn_ = false;
  Clock::time_point begin_ = Clock::now(), last_;
};

std::string told(const ImportedSet& set, const std::string& folder) {
  const Manifest& m = *set.manifest;
  const std::uint64_t repairs = m.description.at("repairs").at("total").get<std::uint64_t>();
  return grouped(m.rows) + " rows, " + grouped(m.columns.size()) + " columns, " + grouped(m.shards.size()) +
         " shards of " + amount(static_cast<double>(set.bytes())) +
         (repairs > 0 ? ", " + grouped(repairs) + " repairs" : "") + "\n" + folder + "/" + set.id + "\n";
}

Report run(const Arguments& a) {
  const Grants grants(Places::from_environment());
  const Datasets datasets(a.into ? absolute(*a.into) : grants.datasets());
  datasets.remove_leftovers();
  FileImport import(open_file(a.file), path_in_messages(grants, absolute(a.file)), a.options, datasets);
  bool changed = false;
  if (const auto existing = import.existing(changed)) {
    return {"The file was imported before, and has not changed since:\n" + told(*existing, datasets.folder()), 0};
  }
  {
    Bar bar;
    while (interrupted == 0 && !import.step()) bar.show(import);
  }
  if (import.id().empty()) throw std::runtime_error("interrupted: nothing was kept");
  return {(changed ? "The file has changed since it was imported before; it was imported anew:\n" : "") +
              told(datasets.find(import.id()), datasets.folder()),
          0};
}

}  // namespace

std::string progress_line(std::uint64_t bytes, std::uint64_t size, std::uint64_t rows, double seconds) {
  const double share = size == 0 ? 0 : std::min(1.0, static_cast<double>(bytes) / static_cast<double>(size));
  const int full = static_cast<int>(share * kBar);
  const double rate = seconds > 0 ? static_cast<double>(bytes) / seconds : 0;
  char percent[8], left[32] = "";
  snprintf(percent, sizeof percent, "%3d%%", static_cast<int>(share * 100));
  if (rate > 0 && seconds >= 1 && size >= bytes) {
    const auto rest = static_cast<std::uint64_t>(static_cast<double>(size - bytes) / rate);
    snprintf(left, sizeof left, "  %llu:%02llu left", static_cast<unsigned long long>(rest / 60),
             static_cast<unsigned long long>(rest % 60));
  }
  return "[" + std::string(static_cast<std::size_t>(full), '=') +
         std::string(static_cast<std::size_t>(kBar - full), '-') + "] " + percent + "  " +
         amount(static_cast<double>(bytes)) + " of " + amount(static_cast<double>(size)) + "  " + amount(rate) +
         "/s  " + grouped(rows) + " rows" + left;
}

Report convert(const std::vector<std::string>& arguments) {
  std::string file;
  try {
    const Arguments a = parse(arguments);
    file = a.file;
    struct sigaction action {};
    action.sa_handler = interrupt;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
    return run(a);
  } catch (const std::invalid_argument& e) {
    std::cerr << "shadegrad-host: " << shown(e.what()) << "; see shadegrad-host --help\n";
    return {"", 2};
  } catch (const Failure& e) {
    const std::uint64_t line = e.details().value("line", std::uint64_t{0}),
                        column = e.details().value("column", std::uint64_t{0});
    std::cerr << shown(file);
    if (line > 0) std::cerr << ":" << line;
    if (line > 0 && column > 0) std::cerr << ":" << column;
    std::cerr << ": " << shown(e.what()) << "\n";
    return {"", 1};
  } catch (const std::exception& e) {
    std::cerr << "shadegrad-host: " << shown(e.what()) << "\n";
    return {"", interrupted != 0 ? 130 : 1};
  }
}

}  // namespace sg::host
