#include "native_host/text_windows.h"

#include <windows.h>

#include <algorithm>

namespace sg::host {

std::wstring wide(std::string_view text) {
  std::wstring out(text.size(), L'\0');
  const int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(), static_cast<int>(text.size()),
                                    out.data(), static_cast<int>(out.size()));
  out.resize(static_cast<std::size_t>(std::max(n, 0)));
  return out;
}

std::string narrow(const wchar_t* text) {
  std::string out(static_cast<std::size_t>(WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr)),
                  '\0');
  WideCharToMultiByte(CP_UTF8, 0, text, -1, out.data(), static_cast<int>(out.size()), nullptr, nullptr);
  out.resize(out.empty() ? 0 : out.size() - 1);
  return out;
}

}  // namespace sg::host
