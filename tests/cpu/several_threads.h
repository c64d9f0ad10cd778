// For a test that wants the cpu device's kernels on several threads, however small the work.
#pragma once
#include "cpu/pool.h"

namespace sg::cpu_test {

class SeveralThreads {
 public:
  explicit SeveralThreads(int count) {
    cpu::pool::least_work = 1;
    cpu::set_threads(count);
  }
  ~SeveralThreads() {
    cpu::set_threads(1);
    cpu::pool::least_work = least_work_;
  }
  SeveralThreads(const SeveralThreads&) = delete;
  SeveralThreads& operator=(const SeveralThreads&) = delete;

 private:
  int64_t least_work_ = cpu::pool::least_work;
};

}  // namespace sg::cpu_test
