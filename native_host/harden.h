// What the host gives up before it reads a byte: gaining privileges, starting programs, and every socket. Best effort:
// an old kernel or a foreign processor leaves the host without the filter, never without its work.
#pragma once

namespace sg::host {

void harden();

}  // namespace sg::host
