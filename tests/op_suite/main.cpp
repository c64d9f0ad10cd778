// Runs the table of op cases from a shell, without Catch2: what one wants while an op is written.
//   op_suite [cpu] [webgl] [values] [gradients] [threads] [first] [text]...
// checks the cases whose title starts with one of the texts (all, without any) on the named devices (both, without
// any), values and gradients (both, without any), and whether they depend on the number of threads (where named; cpu);
// `first` stops at the first that fails. The last line is "N passed, N failed".
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/op_suite/check.h"
#include "tests/ops/compare.h"

namespace {

using namespace sg;
using namespace sg::tests;

struct Options {
  std::vector<std::string> devices, checks, texts;
  bool only_first = false;
  bool has(const std::vector<std::string>& words, const char* word) const {
    return words.empty() || std::find(words.begin(), words.end(), word) != words.end();
  }
  bool wants(const OpCase& c) const {
    return texts.empty() || std::any_of(texts.begin(), texts.end(),
                                        [&](const std::string& text) { return c.title().rfind(text, 0) == 0; });
  }
};

Options options_of(int count, char** words) {
  Options o;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "first") {
      o.only_first = true;
      continue;
    }
    (word == "cpu" || word == "webgl"                               ? o.devices
     : word == "values" || word == "gradients" || word == "threads" ? o.checks
                                                                    : o.texts)
        .push_back(word);
  }
  return o;
}

}  // namespace

int main(int count, char** words) {
  const Options options = options_of(count, words);
  int passed = 0, failed = 0;
  for (const OpCase& c : op_cases()) {
    if (!options.wants(c) || (options.only_first && failed > 0)) continue;
    for (const char* device_name : {"cpu", "webgl"}) {
      for (const What what : {What::values, What::gradients}) {
        const char* const name = what == What::values ? "values" : "gradients";
        if (!options.has(options.devices, device_name) || !options.has(options.checks, name)) continue;
        const std::string wrong = check(c, device_name, what);
        ++(wrong.empty() ? passed : failed);
        if (!wrong.empty()) std::printf("%s, %s on %s: %s\n", c.title().c_str(), name, device_name, wrong.c_str());
      }
    }
    if (options.checks.empty() || !options.has(options.checks, "threads")) continue;
    const std::string wrong = threads_difference(c);
    ++(wrong.empty() ? passed : failed);
    if (!wrong.empty()) std::printf("%s: %s\n", c.title().c_str(), wrong.c_str());
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
