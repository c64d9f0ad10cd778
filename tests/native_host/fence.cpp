#include "tests/native_host/fence.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace fs = std::filesystem;

namespace sg::test {

Fence::Fence() {
  write_file(home / "secret.txt", kSecret);
  write_file(root + "/plain.csv", "a,b\n");
  write_file(root + "/sub/deep/plain.csv", "a,b\n");
  write_file(root + "/.hidden/plain.csv", "a,b\n");
  fs::create_symlink("../secret.txt", root + "/link.txt");
  fs::create_symlink(home / "secret.txt", root + "/sub/link.txt");
  fs::create_symlink("plain.csv", root + "/inner.csv");
  fs::create_directory_symlink("..", root + "/up");
  fs::create_directory_symlink("sub", root + "/side");
  fs::create_directory_symlink("/proc/self/root", root + "/magic");
  fs::create_symlink("/dev/zero", root + "/zero");
  fs::create_symlink("loop", root + "/loop");
  fs::create_symlink("/proc/self/fd/0", root + "/fd");
  fs::create_directory_symlink("deep", root + "/sub/way");
  fs::create_symlink("plain.csv", root + "/sub/deep/last.csv");
  fs::create_symlink(root + "/plain.csv", root + "/itself.csv");
  fs::create_symlink("/proc/self/cwd", root + "/cwd");
  fs::create_symlink("/proc/self/exe", root + "/exe");
  fs::create_symlink("/dev/tty", root + "/tty");
  write_file(root + "/caf\xc3\xa9.csv", "a,b\n");
  mkfifo((root + "/fifo").c_str(), 0600);
  const int s = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{AF_UNIX, {}};
  (root + "/socket").copy(address.sun_path, sizeof address.sun_path - 1);
  if (bind(s, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) throw std::runtime_error("bind");
  close(s);
}

std::vector<std::string> hostile_paths(const std::string& home) {
  using namespace std::string_literals;
  std::vector<std::string> all;
  // Names that lead nowhere or away, as the first, a middle and the last part of a path.
  for (const std::string& part : {".."s,
                                  "."s,
                                  ""s,
                                  " "s,
                                  "..."s,
                                  ".. "s,
                                  " .."s,
                                  "..."s,
                                  "..\0"s,
                                  "\0"s,
                                  "..\\"s,
                                  "%2e%2e"s,
                                  "%252e%252e"s,
                                  "..%00"s,
                                  "..%c0%af"s,
                                  "\xc0\xae\xc0\xae"s,
                                  "\xe0\x80\xae"s,
                                  "\xff"s,
                                  "\xed\xa0\x80"s,
                                  "\xf5\x80\x80\x80"s,
                                  "\xef\xbc\x8e\xef\xbc\x8e"s,
                                  "\xe2\x80\xa6"s,
                                  "\n"s,
                                  "\r\n"s,
                                  "\t"s,
                                  "\x1b[2J"s,
                                  "\x7f"s,
                                  ".hidden"s,
                                  ".git"s,
                                  "up"s,
                                  "magic"s,
                                  "cwd"s,
                                  "exe"s,
                                  "fd"s,
                                  "zero"s,
                                  "tty"s,
                                  "loop"s,
                                  "fifo"s,
                                  "socket"s,
                                  "link.txt"s,
                                  "inner.csv"s,
                                  "itself.csv"s,
                                  "side"s,
                                  "CON"s,
                                  "NUL"s,
                                  "COM1"s,
                                  "AUX.csv"s,
                                  "C:"s,
                                  "\\\\?\\C:"s,
                                  "\\\\server\\share"s,
                                  "~"s,
                                  "~root"s,
                                  "$HOME"s,
                                  "${HOME}"s,
                                  "$(id)"s,
                                  "`id`"s,
                                  "|id"s,
                                  ";id"s,
                                  "-"s,
                                  "--"s,
                                  "*"s,
                                  "?"s,
                                  "[a]"s,
                                  "{a,b}"s,
                                  "file:"s,
                                  std::string(256, 'a'),
                                  std::string(4000, 'a')}) {
    all.push_back("Shadegrad/" + part + "/deep/plain.csv");
    all.push_back("Shadegrad/sub/" + part + "/plain.csv");
    all.push_back("Shadegrad/sub/deep/" + part);
    all.push_back(part + "/plain.csv");
  }
  // What a root's name may be followed by, and what may stand in its place.
  for (const std::string& rest : {".."s,
                                  "../secret.txt"s,
                                  "../../etc/passwd"s,
                                  "sub/../../secret.txt"s,
                                  "sub/../plain.csv"s,
                                  "./plain.csv"s,
                                  "."s,
                                  "sub/."s,
                                  "sub/.."s,
                                  ""s,
                                  "/"s,
                                  "/plain.csv"s,
                                  "sub//deep/plain.csv"s,
                                  "plain.csv/"s,
                                  "sub/"s,
                                  "link.txt"s,
                                  "sub/link.txt"s,
                                  "inner.csv"s,
                                  "itself.csv"s,
                                  "sub/way/plain.csv"s,
                                  "sub/deep/last.csv"s,
                                  "side/way/last.csv"s,
                                  "cafe\xcc\x81.csv"s,
                                  "CAF\xc3\x89.csv"s,
                                  "caf\xe9.csv"s,
                                  "up/secret.txt"s,
                                  "up/Shadegrad/plain.csv"s,
                                  "side/deep/plain.csv"s,
                                  "magic/etc/passwd"s,
                                  "zero"s,
                                  "loop"s,
                                  "loop/x"s,
                                  "fd"s,
                                  "fifo"s,
                                  "socket"s,
                                  "sub"s,
                                  ".hidden/plain.csv"s,
                                  ".hidden"s,
                                  "sub/.x"s,
                                  "plain.csv\0"s,
                                  "plain.csv\0.csv"s,
                                  "\0"s,
                                  "sub\0/../../secret.txt"s,
                                  "pl\nain.csv"s,
                                  "plain.csv\r"s,
                                  "\x7f"s,
                                  "\x1b[2J"s,
                                  "\xff"s,
                                  "\xc0\xae\xc0\xae/secret.txt"s,
                                  "\xed\xa0\x80"s,
                                  "..\xc0\xaf"s,
                                  "...."s,
                                  "..;/secret.txt"s,
                                  "%2e%2e/secret.txt"s,
                                  "..%2fsecret.txt"s,
                                  "..\\secret.txt"s,
                                  "sub\\..\\..\\secret.txt"s,
                                  "\\\\?\\C:\\x"s,
                                  "\\\\server\\share"s,
                                  "CON"s,
                                  "NUL"s,
                                  "plain.csv."s,
                                  "plain.csv "s,
                                  " plain.csv"s,
                                  "PLAIN.CSV"s,
                                  "plain.csv:stream"s,
                                  "plain.csv/x"s,
                                  "~"s,
                                  "~/secret.txt"s,
                                  "$HOME/secret.txt"s,
                                  "`id`"s,
                                  "-rf"s,
                                  "*"s,
                                  "?lain.csv"s,
                                  "{plain,secret}.csv"s,
                                  "plain.csv;id"s,
                                  "|id"s,
                                  "\xef\xbc\x8e\xef\xbc\x8e/secret.txt"s,
                                  "\xe2\x80\xae"
                                  "vsc.nialp"s,
                                  "\xcc\x81plain.csv"s,
                                  "e\xcc\x81.csv"s,
                                  std::string(256, 'a'),
                                  std::string(5000, 'a'),
                                  "a/" + std::string(255, 'b'),
                                  "sub/" + std::string(4096, '/') + "x"}) {
    all.push_back("Shadegrad/" + rest);
  }
  for (const std::string& path : {""s,
                                  "/"s,
                                  "//"s,
                                  "."s,
                                  ".."s,
                                  "../secret.txt"s,
                                  "/etc/passwd"s,
                                  home + "/secret.txt",
                                  home + "/Shadegrad/plain.csv",
                                  "Shadegrad"s,
                                  "shadegrad/plain.csv"s,
                                  "Shadegrad\0/plain.csv"s,
                                  " Shadegrad/plain.csv"s,
                                  "Shadegrad /plain.csv"s,
                                  "./Shadegrad/plain.csv"s,
                                  "Shadegrad/../Shadegrad/plain.csv"s,
                                  "file:///etc/passwd"s,
                                  "http://127.0.0.1/"s,
                                  "Nowhere/plain.csv"s,
                                  "proc/self/environ"s,
                                  "/proc/self/root"s,
                                  "dev/zero"s,
                                  "/dev/zero"s,
                                  "/dev/stdin"s,
                                  "C:\\Windows"s,
                                  "\\etc\\passwd"s,
                                  "-"s,
                                  "~root/.bashrc"s,
                                  "Shadegrad:plain.csv"s,
                                  "Shadegrad//"s,
                                  "/Shadegrad/plain.csv"s,
                                  std::string(4097, 'a'),
                                  std::string(8000, '/'),
                                  "Shadegrad" + std::string(2000, '/') + "plain.csv",
                                  [] {
                                    std::string deep = "Shadegrad";
                                    for (int i = 0; i < 1500; ++i) deep += "/..";
                                    return deep + "/etc/passwd";
                                  }()}) {
    all.push_back(path);
  }
  return all;
}

}  // namespace sg::test
