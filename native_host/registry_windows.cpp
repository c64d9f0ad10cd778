#include <windows.h>

#include <system_error>

#include "native_host/registry.h"
#include "native_host/text_windows.h"

namespace sg::host {
namespace {

void check(LSTATUS status, const std::string& key) {
  if (status != ERROR_SUCCESS) throw std::system_error(static_cast<int>(status), std::system_category(), key);
}

}  // namespace

void write_registry(const std::string& key, const std::string& text) {
  const std::wstring value = wide(text);
  check(RegSetKeyValueW(HKEY_CURRENT_USER, wide(key).c_str(), nullptr, REG_SZ, value.c_str(),
                        static_cast<DWORD>((value.size() + 1) * sizeof(wchar_t))),
        key);
}

std::string read_registry(const std::string& key) {
  std::wstring value(32'768, L'\0');
  DWORD bytes = static_cast<DWORD>(value.size() * sizeof(wchar_t));
  const LSTATUS status =
      RegGetValueW(HKEY_CURRENT_USER, wide(key).c_str(), nullptr, RRF_RT_REG_SZ, nullptr, value.data(), &bytes);
  if (status == ERROR_FILE_NOT_FOUND) return "";
  check(status, key);
  return narrow(value.c_str());
}

bool remove_registry(const std::string& key) {
  const LSTATUS status = RegDeleteKeyW(HKEY_CURRENT_USER, wide(key).c_str());
  if (status == ERROR_FILE_NOT_FOUND) return false;
  check(status, key);
  return true;
}

}  // namespace sg::host
