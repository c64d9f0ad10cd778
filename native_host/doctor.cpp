#include "native_host/doctor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

#include "native_host/manifest.h"
#include "native_host/safety.h"
#include "native_host/terminal.h"

namespace sg::host {
namespace {

/// What was found, line by line.
class Findings {
 public:
  void well(const std::string& subject, const std::string& text) { report_.text += subject + ": " + text + "\n"; }
  void wrong(const std::string& subject, const std::string& what, const std::string& command) {
    report_.text += subject + ": WRONG: " + what + "\n    mend it: " + command + "\n";
    report_.status = 1;
  }
  /// Tells whether `path` is safe; if not, that is what is wrong.
  bool safe(const std::string& subject, const std::string& path) {
    const auto danger = danger_at(path);
    if (!danger) return true;
    const std::string where = danger->place == path ? "" : ", above " + shown(path) + ",";
    wrong(subject, shown(danger->place) + where + " " + danger->why, danger->command);
    return false;
  }
  Report report() const { return report_; }

 private:
  Report report_;
};

constexpr const char* kNotThere = "is not there";

/// Why a program can't be started, or "".
std::string not_startable(const std::string& program) {
  struct stat s {};
  if (stat(program.c_str(), &s) != 0) return kNotThere;
  if (!S_ISREG(s.st_mode)) return "is not a program";
  return (s.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0 || faccessat(AT_FDCWD, program.c_str(), X_OK, AT_EACCESS) != 0
             ? "is not executable"
             : "";
}

void examine_program(const std::string& program, Findings& findings) {
  const std::string fault = not_startable(program);
  if (fault == kNotThere) {
    findings.wrong("program", shown(program) + " " + fault, "put it there again, or run another copy's install");
  } else if (!fault.empty()) {
    findings.wrong("program", shown(program) + " " + fault, "chmod u+x " + quoted(program));
  } else if (findings.safe("program", program)) {
    findings.well("program", shown(program) + " is well");
  }
}

void examine_manifest(const Target& target, const InstallOptions& o, Findings& findings) {
  const std::string& name = target.browser;
  const std::string file = shown(target.file);
  const HostManifest manifest = read_manifest(target);
  const bool theirs = manifest.kind == HostManifest::Kind::foreign;
  const std::string option = name == "profile" ? "--profile " + quoted(o.profile) : "--browser " + name;
  const std::string install = quoted(o.program) + " install " + (theirs ? "--replace " : "") + option;
  if (manifest.kind == HostManifest::Kind::missing)
    return findings.wrong(name, "the manifest is missing: " + file, install);
  if (manifest.kind == HostManifest::Kind::unreadable) {
    struct stat s {};
    const bool regular = stat(target.file.c_str(), &s) == 0 && S_ISREG(s.st_mode);
    return findings.wrong(name, "the manifest can't be read: " + file + ": " + manifest.fault,
                          regular
                              ? "chmod u+rw " + quoted(target.file)
                              : "mv " + quoted(target.file) + " " + quoted(target.file + ".old") + " && " + install);
  }
  if (!findings.safe(name, target.file)) return;
  if (!manifest.fault.empty()) return findings.wrong(name, "the manifest " + file + ": " + manifest.fault, install);
  if (manifest.program != o.program) {
    const std::string fault = not_startable(manifest.program);
    const std::string named = manifest.program.empty() ? "no program" : shown(manifest.program);
    return findings.wrong(name,
                          "the manifest " + file + " names " + named +
                              (fault.empty() ? ", which is another than this program" : ", which " + fault),
                          install);
  }
  findings.well(name, "set up in " + file + (theirs ? ", which somebody changed by hand" : ""));
}

void examine_browsers(const InstallOptions& o, Findings& findings) {
  int looked_at = 0;
  if (!o.profile.empty()) {
    ++looked_at;
    examine_manifest(target_of_profile(o.profile), o, findings);
  }
  for (const Browser& b : browsers()) {
    if (!is_meant(o, b)) continue;
    const Presence presence = presence_of(b, o.places, o.system);
    const Target target = target_of(b, o.places);
    const bool written = read_manifest(target).kind != HostManifest::Kind::missing;
    if (presence.only_sandboxed()) {
      findings.wrong(b.name, explain_sandbox(b, presence), std::string("sudo apt install ") + b.package);
    } else if (presence.native || written || !o.browsers.empty()) {
      examine_manifest(target, o, findings);
      if (!presence.sandboxes.empty())
        findings.well(b.name, "there is another one beside it: " + explain_sandbox(b, presence));
    } else {
      continue;
    }
    ++looked_at;
  }
  if (looked_at == 0)
    findings.wrong("browsers", "none was found where they usually are", quoted(o.program) + " install --browser all");
}

/// Gives whether the list of grants can be used at all.
bool examine_grants(const InstallOptions& o, Findings& findings) {
  const std::string file = o.places.grants();
  const Grants grants(o.places);
  try {
    for (const Root& root : grants.roots()) {
      const char* kind = root.file ? "granted file" : "granted folder";
      const bool own = root.path == o.places.folder();
      if (Grants::available(root)) {
        findings.well(kind, shown(root.path));
      } else {
        findings.wrong(kind, shown(root.path) + " is not there",
                       own ? "mkdir -p " + quoted(root.path) : quoted(o.program) + " revoke " + quoted(root.path));
      }
    }
    return true;
  } catch (const Failure& e) {
    struct stat s {};
    const bool open = stat(file.c_str(), &s) == 0 && (s.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    findings.wrong("granted folders", shown(e.what()),
                   open ? "chmod 600 " + quoted(file) : "mv " + quoted(file) + " " + quoted(file + ".damaged"));
    return false;
  }
}

/// The deepest part of `path` that exists.
std::string existing_part(std::string path) {
  struct stat s {};
  while (path.size() > 1 && stat(path.c_str(), &s) != 0) path.erase(std::max<std::size_t>(path.find_last_of('/'), 1));
  return path;
}

/// A folder that the host writes.
void examine_folder(const char* name, const std::string& folder, std::uint64_t little_room, Findings& findings) {
  const std::string at = existing_part(folder);
  struct stat s {};
  if (stat(at.c_str(), &s) == 0 && !S_ISDIR(s.st_mode)) {
    return findings.wrong(name, shown(at) + " is not a folder", "mv " + quoted(at) + " " + quoted(at + ".old"));
  }
  if (faccessat(AT_FDCWD, at.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    const int error = errno;
    const std::string command = error == EROFS
                                    ? "sudo mount -o remount,rw \"$(findmnt -no TARGET -T " + quoted(at) + ")\""
                                : s.st_uid == geteuid() ? "chmod u+rwx " + quoted(at)
                                                        : "sudo chown " + std::to_string(geteuid()) + " " + quoted(at);
    return findings.wrong(name, shown(at) + " can't be written: " + error_text(error), command);
  }
  struct statvfs fs {};
  if (statvfs(at.c_str(), &fs) == 0) {
    const std::uint64_t free = std::uint64_t{fs.f_bavail} * fs.f_frsize;
    if (free < little_room) {
      return findings.wrong(name, "the disk of " + shown(at) + " is nearly full: " + grouped(free) + " bytes are free",
                            "ls -lhS " + quoted(at) + "    (the largest come first; remove what you don't need)");
    }
  }
  findings.well(name, shown(folder) + (at == folder ? "" : " (made when it is needed)"));
}

}  // namespace

Report doctor(const InstallOptions& o, std::uint64_t little_room) {
  Findings findings;
  examine_program(o.program, findings);
  examine_browsers(o, findings);
  if (examine_grants(o, findings)) {
    const Grants grants(o.places);
    examine_folder("checkpoints", grants.checkpoints(), little_room, findings);
    examine_folder("data sets", grants.datasets(), 0, findings);
  }
  return findings.report();
}

}  // namespace sg::host
