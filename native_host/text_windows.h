// Text as Windows has it, and back. Only for *_windows.cpp.
#pragma once
#include <string>
#include <string_view>

namespace sg::host {

std::wstring wide(std::string_view text);
std::string narrow(const wchar_t* text);

}  // namespace sg::host
