// A stand-in for xdg-desktop-portal on a private bus, moved by a test like a puppet: it writes a line for everything
// that happens to it, and does what the lines on its input say. It has the interface that the picker uses and no
// window.
//   output: "ready", "open MEMBER directory=B multiple=B title=T", "close", "gone"
//   input:  "pick URI...", "cancel", "end" (response 2), "forge URI" (as another program), "die"
//   argument: version=N, old (another handle than the expected one), early=URI (the response before the reply), refuse
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr const char* kObject = "/org/freedesktop/portal/desktop";
constexpr const char* kRequest = "org.freedesktop.portal.Request";

struct Puppet {
  sd_bus* bus = nullptr;
  sd_event* event = nullptr;
  std::uint32_t version = 4;
  bool old = false, refuse = false;
  std::string early;
  std::string handle, caller;  // of the open request
  std::string input;
};

void check(int result, const char* what) {
  if (result >= 0) return;
  std::cerr << "fake_portal: " << what << ": " << std::strerror(-result) << "\n";
  std::exit(1);
}

void respond(sd_bus* from, const Puppet& p, std::uint32_t code, const std::vector<std::string>& uris) {
  sd_bus_message* m = nullptr;
  check(sd_bus_message_new_signal(from, &m, p.handle.c_str(), kRequest, "Response"), "Response");
  check(sd_bus_message_set_destination(m, p.caller.c_str()), "Response");
  check(sd_bus_message_append(m, "u", code), "Response");
  check(sd_bus_message_open_container(m, 'a', "{sv}"), "Response");
  check(sd_bus_message_append(m, "{sv}", "writable", "b", 1), "Response");
  if (code == 0) {
    check(sd_bus_message_open_container(m, 'e', "sv"), "uris");
    check(sd_bus_message_append(m, "s", "uris"), "uris");
    check(sd_bus_message_open_container(m, 'v', "as"), "uris");
    check(sd_bus_message_open_container(m, 'a', "s"), "uris");
    for (const std::string& uri : uris) check(sd_bus_message_append(m, "s", uri.c_str()), "uri");
    for (int i = 0; i < 3; ++i) check(sd_bus_message_close_container(m), "uris");
  }
  check(sd_bus_message_close_container(m), "Response");
  check(sd_bus_send(from, m, nullptr), "Response");
  check(sd_bus_flush(from), "Response");
  sd_bus_message_unref(m);
}

void forge(const Puppet& p, const std::string& uri) {
  sd_bus* other = nullptr;
  check(sd_bus_open_user(&other), "a second connection");
  respond(other, p, 0, {uri});
  sd_bus_flush_close_unref(other);
}

/// What the caller asked for, in one line, and where it expects its request.
std::string read_options(sd_bus_message* m, std::string& said) {
  bool directory = false, multiple = true;
  std::string token;
  check(sd_bus_message_enter_container(m, 'a', "{sv}"), "options");
  while (sd_bus_message_enter_container(m, 'e', "sv") > 0) {
    const char *key = nullptr, *text = nullptr;
    int flag = 0;
    check(sd_bus_message_read(m, "s", &key), "options");
    const std::string name = key;
    if (name == "directory" || name == "multiple") {
      check(sd_bus_message_read(m, "v", "b", &flag), key);
      (name == "directory" ? directory : multiple) = flag != 0;
    } else if (name == "handle_token") {
      check(sd_bus_message_read(m, "v", "s", &text), key);
      token = text;
    } else {
      check(sd_bus_message_skip(m, "v"), key);
    }
    check(sd_bus_message_exit_container(m), "options");
  }
  said = "open OpenFile directory=" + std::to_string(directory) + " multiple=" + std::to_string(multiple);
  return token;
}

int open_file(sd_bus_message* m, void* data, sd_bus_error* error) {
  auto& p = *static_cast<Puppet*>(data);
  const char *parent = nullptr, *title = nullptr;
  check(sd_bus_message_read(m, "ss", &parent, &title), "OpenFile");
  std::string said;
  const std::string token = read_options(m, said);
  said += std::string(" title=") + title;
  if (p.refuse) return sd_bus_error_set(error, SD_BUS_ERROR_FAILED, "no backend shows dialogs");
  p.caller = sd_bus_message_get_sender(m);
  std::string sender = p.caller.substr(1);
  for (char& c : sender) c = c == '.' ? '_' : c;
  p.handle = std::string(kObject) + "/request/" + sender + "/" + (p.old ? "t" + std::to_string(rand()) : token);
  if (!p.early.empty()) respond(p.bus, p, 0, {p.early});
  check(sd_bus_reply_method_return(m, "o", p.handle.c_str()), "the handle");
  // Said once the reply is with the caller: the bus answers this call after it has passed the reply on.
  check(sd_bus_call_method(p.bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId",
                           nullptr, nullptr, nullptr),
        "the bus");
  std::cout << said << std::endl;
  return 1;
}

int get_version(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply, void* data, sd_bus_error*) {
  return sd_bus_message_append(reply, "u", static_cast<Puppet*>(data)->version);
}

/// Request.Close, on whatever request object there is.
int filter(sd_bus_message* m, void* data, sd_bus_error*) {
  auto& p = *static_cast<Puppet*>(data);
  if (sd_bus_message_is_method_call(m, kRequest, "Close") > 0) {
    std::cout << "close" << std::endl;
    return 1;
  }
  if (sd_bus_message_is_signal(m, "org.freedesktop.DBus", "NameOwnerChanged") > 0) {
    const char *name = nullptr, *before = nullptr, *after = nullptr;
    check(sd_bus_message_read(m, "sss", &name, &before, &after), "NameOwnerChanged");
    if (!p.caller.empty() && p.caller == name && after[0] == '\0') std::cout << "gone" << std::endl;
  }
  return 0;
}

void obey(Puppet& p, const std::string& line) {
  std::istringstream words(line);
  std::string verb;
  words >> verb;
  std::vector<std::string> rest;
  for (std::string word; words >> word;) rest.push_back(word);
  if (verb == "pick") respond(p.bus, p, 0, rest);
  if (verb == "cancel") respond(p.bus, p, 1, {});
  if (verb == "end") respond(p.bus, p, 2, {});
  if (verb == "forge") forge(p, rest.at(0));
  if (verb == "die") std::_Exit(0);
}

int heard(sd_event_source*, int file, std::uint32_t, void* data) {
  auto& p = *static_cast<Puppet*>(data);
  char bytes[4096];
  const ssize_t n = read(file, bytes, sizeof bytes);
  if (n <= 0) std::_Exit(0);  // the test is gone
  p.input.append(bytes, static_cast<std::size_t>(n));
  for (std::size_t end; (end = p.input.find('\n')) != std::string::npos; p.input.erase(0, end + 1)) {
    obey(p, p.input.substr(0, end));
  }
  return 0;
}

const sd_bus_vtable kTable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("OpenFile", "ssa{sv}", "o", open_file, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_PROPERTY("version", "u", get_version, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_VTABLE_END,
};

}  // namespace

int main(int argc, char** argv) {
  Puppet p;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("version=", 0) == 0) p.version = static_cast<std::uint32_t>(std::stoul(word.substr(8)));
    if (word.rfind("early=", 0) == 0) p.early = word.substr(6);
    p.old = p.old || word == "old";
    p.refuse = p.refuse || word == "refuse";
  }
  check(sd_event_default(&p.event), "the event loop");
  check(sd_bus_open_user(&p.bus), "the session bus");
  check(sd_bus_add_object_vtable(p.bus, nullptr, kObject, "org.freedesktop.portal.FileChooser", kTable, &p),
        "the object");
  check(sd_bus_add_filter(p.bus, nullptr, filter, &p), "the filter");
  check(sd_bus_match_signal(p.bus, nullptr, "org.freedesktop.DBus", nullptr, "org.freedesktop.DBus", "NameOwnerChanged",
                            filter, &p) < 0
            ? -1
            : 0,
        "listening");
  check(sd_bus_request_name(p.bus, "org.freedesktop.portal.Desktop", 0), "the portal's name");
  check(sd_bus_attach_event(p.bus, p.event, 0), "the event loop");
  check(sd_event_add_io(p.event, nullptr, STDIN_FILENO, 1 /* EPOLLIN */, heard, &p), "the input");
  std::cout << "ready" << std::endl;
  return sd_event_loop(p.event) < 0 ? 1 : 0;
}
