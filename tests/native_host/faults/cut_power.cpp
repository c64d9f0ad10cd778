// Cuts the power of a file system: ext4 drops everything that is not on the disk yet, its journal included, and refuses
// all writes from then on.
#include <fcntl.h>
#include <sys/ioctl.h>

#include <cstdint>
#include <cstdio>

int main(int argc, char** argv) {
  constexpr unsigned long kShutdown = _IOR('X', 125, std::uint32_t);
  std::uint32_t without_log = 2;
  const int folder = argc == 2 ? open(argv[1], O_RDONLY | O_DIRECTORY) : -1;
  if (folder >= 0 && ioctl(folder, kShutdown, &without_log) == 0) return 0;
  std::perror("cut_power");
  return 1;
}
