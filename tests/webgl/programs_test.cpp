// How programs come to be: asked for together, looked at later, and refused with a reason.
#include <catch2/catch.hpp>

#include "io/error.h"
#include "tests/webgl/kernel_runner.h"
#include "webgl/graphics.h"

using namespace sg;
using namespace sg::test;
using webgl::Graphics;
using webgl::ProgramKey;

namespace {

std::string refusal(const std::string& fragment) {
  try {
    Graphics::shared()->make_program(fragment, "nonsense", {});
  } catch (const Error& error) {
    return error.code() + ": " + error.message();
  }
  return "";
}

ProgramKey key_of(Kernel kernel, int op = -1) {
  return {.kernel = kernel, .op = op, .row_bits = Graphics::shared()->layout(1 << 20).row_bits()};
}

}  // namespace

TEST_CASE("a program that cannot be made is refused with its name and the compiler's reason", "[webgl][programs]") {
  const std::string head = "#version 300 es\nprecision highp float;\nout vec4 y;\n";
  const std::string wrong = refusal(head + "void main() { y = missing_name; }\n");
  CHECK_THAT(wrong, Catch::StartsWith("webgl.shader: the kernel nonsense does not compile"));
  CHECK_THAT(wrong, Catch::Contains("missing_name"));
  // Each shader is right by itself.
  const std::string apart = refusal(head + "in vec4 never_written;\nvoid main() { y = never_written; }\n");
  CHECK_THAT(apart, Catch::StartsWith("webgl.shader: the kernel nonsense does not link"));
  CHECK_THAT(apart, Catch::Contains("never_written"));
  CHECK(run_kernel(params::fill{.value = 2}, {}, 5) == std::vector<Floats>{Floats(5, 2)});
}

TEST_CASE("programs asked for together are there in the end, each once", "[webgl][programs]") {
  lose_webgl_context();
  const std::shared_ptr<Graphics> graphics = Graphics::shared();
  const std::vector<ProgramKey> keys{key_of(Kernel::fill), key_of(Kernel::unary, 0), key_of(Kernel::unary, 1),
                                     key_of(Kernel::sum)};
  for (const ProgramKey& key : keys) graphics->begin_program(key);
  CHECK(graphics->programs() == 0);
  for (const ProgramKey& key : keys) {
    while (!graphics->program_ready(key)) {
    }
  }
  CHECK(graphics->programs() == keys.size());
  std::vector<GLuint> names;
  for (const ProgramKey& key : keys) {
    graphics->begin_program(key);
    names.push_back(graphics->program(key));
    CHECK(graphics->program_ready(key));
  }
  CHECK(graphics->programs() == keys.size());
  std::sort(names.begin(), names.end());
  CHECK(std::unique(names.begin(), names.end()) == names.end());
}

TEST_CASE("a program that becomes ready between two draws is not the one they draw with", "[webgl][programs]") {
  lose_webgl_context();
  const auto device = make_webgl_device({.check_errors = true});
  const Graphics& graphics = *Graphics::shared();
  const std::vector<Floats> sevens{Floats(9, 7)};
  CHECK(run_kernel(params::fill{.value = 7}, {}, 9, *device) == sevens);
  const uint64_t before = graphics.programs();
  Graphics::shared()->program(key_of(Kernel::uniform));
  CHECK(graphics.programs() == before + 1);
  CHECK(run_kernel(params::fill{.value = 7}, {}, 9, *device) == sevens);
}
