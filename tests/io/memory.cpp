#include "tests/io/memory.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<size_t> in_use{0}, most_in_use{0};

}  // namespace

#if !defined(__SANITIZE_ADDRESS__)

namespace {

void* counted(void* p) {
  if (p == nullptr) throw std::bad_alloc();
  const size_t now = in_use += malloc_usable_size(p);
  for (size_t most = most_in_use; now > most && !most_in_use.compare_exchange_weak(most, now);) continue;
  return p;
}

void discounted(void* p) {
  if (p != nullptr) in_use -= malloc_usable_size(p);
  std::free(p);
}

}  // namespace

void* operator new(size_t size) { return counted(std::malloc(size)); }
void* operator new[](size_t size) { return counted(std::malloc(size)); }
void operator delete(void* p) noexcept { discounted(p); }
void operator delete[](void* p) noexcept { discounted(p); }
void operator delete(void* p, size_t) noexcept { discounted(p); }
void operator delete[](void* p, size_t) noexcept { discounted(p); }

#endif

namespace sg {

MemoryWatch::MemoryWatch() : before_(in_use) { most_in_use = before_; }

size_t MemoryWatch::peak() const { return most_in_use - before_; }

}  // namespace sg
