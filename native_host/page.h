// Lists that may be longer than a message: as much of them as fits, and where the next page begins.
#pragma once
#include "native_host/error.h"

namespace sg::host {

inline constexpr std::size_t kPageBytes = 800'000;  // of JSON, below the outbound cap with the rest of the reply

/// Items from `first` on until the page is full; `next` is the first that did not fit.
template <class Items, class ToJson>
Json page(const Items& items, std::size_t first, std::int64_t limit, std::size_t& next, ToJson to_json) {
  Json list = Json::array();
  std::size_t bytes = 0;
  for (next = first; next < items.size() && static_cast<std::int64_t>(list.size()) < limit; ++next) {
    Json item = to_json(items[next]);
    bytes += item.dump(-1, ' ', false, Json::error_handler_t::replace).size() + 1;
    if (bytes > kPageBytes && !list.empty()) break;
    list.push_back(std::move(item));
  }
  return list;
}

}  // namespace sg::host
