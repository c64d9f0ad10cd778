// The desktop's own dialog by xdg-desktop-portal: org.freedesktop.portal.FileChooser.OpenFile gives the path of a
// request object, and that object's Response says what was picked. Spoken with sd-bus, every call without waiting.
// Other programs share the bus: a response counts only on the request's path and from whoever answered the call.
#include <systemd/sd-bus.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <map>

#include "native_host/dialog.h"
#include "native_host/error.h"
#include "native_host/files.h"

namespace sg::host {
namespace {

constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kObject = "/org/freedesktop/portal/desktop";
constexpr const char* kFileChooser = "org.freedesktop.portal.FileChooser";
constexpr const char* kRequest = "org.freedesktop.portal.Request";
constexpr std::uint32_t kFoldersSince = 3;  // the version of FileChooser that knows the option `directory`
constexpr std::size_t kMostUris = 8;

struct Release {
  // Without waiting: what is sent is written at once, and a bus that does not read must not hold up the picker's end.
  void operator()(sd_bus* bus) const { sd_bus_close_unref(bus); }
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
};
using Bus = std::unique_ptr<sd_bus, Release>;
using Message = std::unique_ptr<sd_bus_message, Release>;

/// Anything below zero is an error of the bus.
int check_bus(int result, const char* what) {
  if (result < 0) throw std::system_error(-result, std::generic_category(), what);
  return result;
}

Message new_call(sd_bus* bus, const char* object, const char* interface, const char* method) {
  sd_bus_message* call = nullptr;
  check_bus(sd_bus_message_new_method_call(bus, &call, kPortal, object, interface, method), method);
  return Message(call);
}

class Portal : public Dialog {
 public:
  explicit Portal(bool file) : file_(file) {
    sd_bus* bus = nullptr;
    const int result = sd_bus_open_user(&bus);
    bus_.reset(bus);
    if (result < 0) end(Choice::Kind::unavailable, "there is no session bus");
  }

  /// The request is closed by name, without starting a portal that is gone; a portal also closes what a program that
  /// left the bus had open.
  ~Portal() override {
    if (!bus_ || !asked_ || responded_) return;
    sd_bus_message* call = nullptr;
    const std::string& handle = handle_.empty() ? expected_ : handle_;
    if (sd_bus_message_new_method_call(bus_.get(), &call, kPortal, handle.c_str(), kRequest, "Close") < 0) return;
    const Message close(call);
    sd_bus_message_set_auto_start(call, 0);
    sd_bus_message_set_expect_reply(call, 0);
    sd_bus_send(bus_.get(), call, nullptr);
  }

  void watch(std::vector<pollfd>& files, int& milliseconds) override {
    if (ended_) {
      milliseconds = 0;
      return;
    }
    const int file = sd_bus_get_fd(bus_.get()), events = sd_bus_get_events(bus_.get());
    if (file >= 0 && events >= 0) files.push_back({file, static_cast<short>(events), 0});
    if (file < 0 || events < 0) milliseconds = 0;  // advance() hears what is wrong
    std::uint64_t until = 0;
    if (sd_bus_get_timeout(bus_.get(), &until) < 0 || until == UINT64_MAX) return;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const std::uint64_t at =
        static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000;
    milliseconds = until <= at ? 0 : static_cast<int>(std::min<std::uint64_t>((until - at) / 1000 + 1, INT_MAX));
  }

  std::optional<Choice> advance() override {
    try {
      while (!ended_) {
        if (!looked_ && sd_bus_is_ready(bus_.get()) > 0) look();
        const int more = check_bus(sd_bus_process(bus_.get(), nullptr), "the session bus");
        if (more == 0 && (looked_ || sd_bus_is_ready(bus_.get()) <= 0)) break;
      }
    } catch (const std::system_error& e) {
      lost(error_text(e.code().value()));
    }
    return ended_;
  }

 private:
  void end(Choice::Kind kind, const std::string& text) {
    if (!ended_) ended_ = Choice{kind, text};
  }

  /// Before the portal has taken the request nothing was shown; after that, another dialog would be a second one.
  void lost(const std::string& why) {
    if (handle_.empty()) end(Choice::Kind::unavailable, "the desktop's portal does not work (" + why + ")");
    if (!handle_.empty())
      end(Choice::Kind::failed, "The desktop's dialog ended before anything was picked: " + why + ".");
  }

  /// Runs `what` as an answer of the bus: nothing may be thrown through sd-bus.
  template <class What>
  static int answered(void* self, sd_bus_message* message, What what) {
    auto& portal = *static_cast<Portal*>(self);
    try {
      if (sd_bus_message_is_method_error(message, nullptr) > 0) {
        portal.lost(sd_bus_message_get_error(message)->name);
      } else {
        what(portal);
      }
    } catch (const std::exception& e) {
      portal.lost(e.what());
    }
    return 0;
  }

  /// Whether there is a portal that knows folders; its version also says whether it shows dialogs at all.
  void look() {
    looked_ = true;
    const Message call = new_call(bus_.get(), kObject, "org.freedesktop.DBus.Properties", "Get");
    check_bus(sd_bus_message_append(call.get(), "ss", kFileChooser, "version"), "Get");
    const auto done = [](sd_bus_message* m, void* self, sd_bus_error*) {
      return answered(self, m, [m](Portal& portal) {
        std::uint32_t version = 0;
        check_bus(sd_bus_message_read(m, "v", "u", &version), "version");
        if (!portal.file_ && version < kFoldersSince) {
          return portal.end(Choice::Kind::unavailable, "the desktop's portal is too old to pick folders");
        }
        portal.ask();
      });
    };
    check_bus(sd_bus_call_async(bus_.get(), nullptr, call.get(), done, this, 0), "Get");
  }

  void ask() {
    // Where the request will be is known before the call, so that no response can be missed.
    const char* unique = nullptr;
    check_bus(sd_bus_get_unique_name(bus_.get(), &unique), "the bus");
    std::string sender = unique[0] == ':' ? unique + 1 : unique;
    std::replace(sender.begin(), sender.end(), '.', '_');
    const std::string token = "shadegrad" + random_name();
    expected_ = std::string(kObject) + "/request/" + sender + "/" + token;
    check_bus(sd_bus_match_signal_async(bus_.get(), nullptr, kPortal, nullptr, kRequest, "Response", on_response,
                                        nullptr, this),
              "listening");
    const std::string gone =
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0="
        "'" +
        std::string(kPortal) + "'";
    check_bus(sd_bus_add_match_async(bus_.get(), nullptr, gone.c_str(), on_owner, nullptr, this), "listening");

    const Message call = new_call(bus_.get(), kObject, kFileChooser, "OpenFile");
    const char* title = file_ ? "Let Shadegrad read a file" : "Let Shadegrad read a folder";
    check_bus(
        sd_bus_message_append(call.get(), "ssa{sv}", "", title, 4, "handle_token", "s", token.c_str(), "accept_label",
                              "s", "_Let it read", "multiple", "b", 0, "directory", "b", file_ ? 0 : 1),
        "OpenFile");
    const auto done = [](sd_bus_message* m, void* self, sd_bus_error*) {
      return answered(self, m, [m](Portal& portal) { portal.opened(m); });
    };
    asked_ = true;
    check_bus(sd_bus_call_async(bus_.get(), nullptr, call.get(), done, this, 0), "OpenFile");
  }

  void opened(sd_bus_message* reply) {
    const char* handle = nullptr;
    check_bus(sd_bus_message_read(reply, "o", &handle), "OpenFile");
    handle_ = handle;  // portals before 0.9 choose another than the expected one
    const char* sender = sd_bus_message_get_sender(reply);
    owner_ = sender == nullptr ? "" : sender;
    if (early_) response(early_.get());
  }

  static int on_response(sd_bus_message* m, void* self, sd_bus_error*) {
    return answered(self, m, [m](Portal& portal) {
      if (!portal.handle_.empty()) return portal.response(m);
      // Before the call's own reply: kept until that says who may answer.
      const char* path = sd_bus_message_get_path(m);
      if (path != nullptr && portal.expected_ == path && !portal.early_) portal.early_.reset(sd_bus_message_ref(m));
    });
  }

  static int on_owner(sd_bus_message* m, void* self, sd_bus_error*) {
    return answered(self, m, [m](Portal& portal) {
      const char *name = nullptr, *before = nullptr, *after = nullptr;
      check_bus(sd_bus_message_read(m, "sss", &name, &before, &after), "NameOwnerChanged");
      if (portal.asked_ && before[0] != '\0') portal.lost("the portal went away");
    });
  }

  void response(sd_bus_message* m) {
    const char *path = sd_bus_message_get_path(m), *sender = sd_bus_message_get_sender(m);
    if (path == nullptr || handle_ != path || sender == nullptr || owner_ != sender) return;
    responded_ = true;
    std::uint32_t code = 0;
    check_bus(sd_bus_message_read(m, "u", &code), "Response");
    if (code == 1) return end(Choice::Kind::cancelled, "");
    if (code != 0) return lost("the desktop ended it");
    const std::vector<std::string> uris = read_uris(m);
    if (uris.size() != 1) {
      return end(Choice::Kind::refused, "The desktop's dialog gave " + std::to_string(uris.size()) +
                                            " things where one was asked for: nothing was granted.");
    }
    const std::string picked = path_of_uri(uris[0]);
    if (picked.empty()) {
      return end(Choice::Kind::refused, "What was picked is not a file or folder of this machine.");
    }
    end(Choice::Kind::picked, picked);
  }

  static std::vector<std::string> read_uris(sd_bus_message* m) {
    std::vector<std::string> uris;
    check_bus(sd_bus_message_enter_container(m, 'a', "{sv}"), "Response");
    while (check_bus(sd_bus_message_enter_container(m, 'e', "sv"), "Response") > 0) {
      const char* key = nullptr;
      check_bus(sd_bus_message_read(m, "s", &key), "Response");
      if (std::strcmp(key, "uris") == 0) {
        check_bus(sd_bus_message_enter_container(m, 'v', "as"), "uris");
        check_bus(sd_bus_message_enter_container(m, 'a', "s"), "uris");
        const char* uri = nullptr;
        while (uris.size() < kMostUris && check_bus(sd_bus_message_read(m, "s", &uri), "uris") > 0)
          uris.emplace_back(uri);
        return uris;
      }
      check_bus(sd_bus_message_skip(m, "v"), "Response");
      check_bus(sd_bus_message_exit_container(m), "Response");
    }
    return uris;
  }

  Bus bus_;
  std::optional<Choice> ended_;
  Message early_;
  std::string expected_, handle_, owner_;
  bool file_, looked_ = false, asked_ = false, responded_ = false;
};

}  // namespace

std::unique_ptr<Dialog> open_portal(bool file) { return std::make_unique<Portal>(file); }

std::string path_of_uri(const std::string& uri) {
  const std::string scheme = "file://";
  std::string rest = uri.compare(0, scheme.size(), scheme) == 0 ? uri.substr(scheme.size()) : "";
  if (rest.rfind("localhost/", 0) == 0) rest = rest.substr(9);
  if (rest.empty() || rest[0] != '/' || rest.size() > 4 * PATH_MAX) return "";
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    char c = rest[i];
    if (c == '?' || c == '#') return "";
    if (c == '%') {
      const int high = i + 2 < rest.size() ? digit(rest[i + 1]) : -1, low = high < 0 ? -1 : digit(rest[i + 2]);
      if (low < 0) return "";
      c = static_cast<char>(high * 16 + low);
      // An encoded slash would be a name with a slash in it, which no file has.
      if (c == '\0' || c == '/') return "";
      i += 2;
    }
    path += c;
  }
  return path.size() < PATH_MAX ? path : "";
}

}  // namespace sg::host
