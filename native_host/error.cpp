#include "native_host/error.h"

#include "native_host/posix.h"

namespace sg::host {

Trouble trouble_of(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return Trouble::no_room;
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
    case EXDEV:
      return Trouble::denied;
    case ENOENT:
      return Trouble::missing;
    default:
      return Trouble::other;
  }
}

std::string error_text(int error) { return std::generic_category().message(error); }

}  // namespace sg::host
