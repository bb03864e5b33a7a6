// Breakpoints in functions that a library has compiled: that they did not stop has its reason.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"
#include "tests/embed/host/library_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;

namespace {

// What is said at the end of a run of breakpoints that print and do not stop, on the lines that end in "# HERE".
std::vector<std::string> said_of(Debugged& d, const std::string& code, const std::string& marked, const std::string& path = {}) {
  std::vector<core::wire::Breakpoint> points;
  std::uint32_t line = 1;
  for (std::size_t at = 0; at < marked.size(); ++line) {
    const std::size_t end = marked.find('\n', at);
    if (marked.substr(at, end - at).ends_with("# HERE")) {
      points.push_back(Debugged::line(line));
      points.back().path = path;
      points.back().log_text = "reached";
    }
    at = end + 1;
  }
  d.breakpoint_at(points);
  d.start(code);
  std::optional<core::wire::RunFinished> end;
  for (int half_minutes = 0; half_minutes < 6 && !end; ++half_minutes) end = d.host.wait_for<core::wire::RunFinished>();
  REQUIRE(end);
  if (end->outcome.error) FAIL(end->outcome.error->traceback);
  const auto last = last_states(d);
  REQUIRE(last);
  std::vector<std::string> messages;
  for (const auto& state : last->all) messages.push_back(state.message);
  return messages;
}

}  // namespace

TEST_CASE("a breakpoint in a Triton kernel says that it runs as compiled code", "[host][debugging][compiled]") {
  EACH_PYTHON(python);
  Debugged d(python);
  const char* const code = R"(import sys, types
class JITFunction:  # as Triton 3 has it, which needs a GPU
    def __init__(self, fn): self.fn = fn
    def __getitem__(self, grid): return lambda *arguments: None
sys.modules['triton.runtime.jit'] = types.ModuleType('triton.runtime.jit')
sys.modules['triton.runtime.jit'].JITFunction = JITFunction
@JITFunction
def kernel(x):
    y = x + 1  # HERE
    return y
kernel[(1,)](1)
def never(x):
    return x  # HERE
)";
  const auto said = said_of(d, code, code);
  CHECK_THAT(said.at(0), ContainsSubstring("Triton runs this function as compiled code"));
  CHECK(said.at(1).empty());
}

TEST_CASE("functions and methods that torch.jit has compiled are named", "[host][debugging][compiled]") {
  const TestPython& python = library_python();
  Debugged d(python);
  const char* const code = R"(import torch
def called(x):
    y = x + 1
    return y  # HERE
@torch.jit.script
def scripted(x):
    z = called(x)
    return z  # HERE
class Net(torch.nn.Module):
    def forward(self, x):
        return self.twice(x)  # HERE
    def twice(self, x):
        return x * 2  # HERE
    def unused(self, x):
        return x  # HERE
def traced(x):
    return x - 1  # HERE
net, graph = torch.jit.script(Net()), torch.jit.trace(traced, torch.ones(2), check_trace=False)
for _ in range(3): scripted(torch.ones(2)), net(torch.ones(2)), graph(torch.ones(2))
)";
  const auto said = said_of(d, code, code);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK_THAT(said.at(i), ContainsSubstring("torch.jit.script runs this function as compiled code"));
  CHECK(said.at(4).empty());
  CHECK_THAT(said.at(5), ContainsSubstring("Reached only while torch.jit.trace traced"));
}

TEST_CASE("a function that jax.jit traced in an earlier run is named", "[host][debugging][compiled]") {
  const TestPython& python = library_python();
  Debugged d(python);
  const std::string module = "import jax\n@jax.jit\ndef f(x):\n    y = x * 2\n    return y  # HERE\n";
  const std::string path = d.host.folder().write("jitted.py", module);
  const std::string code = "import jitted\nfor _ in range(3): jitted.f(1.0)\n";
  CHECK_THAT(said_of(d, code, module, path).at(0), ContainsSubstring("Reached only while JAX (jit, scan, ...) traced"));
  CHECK_THAT(said_of(d, code, module, path).at(0), ContainsSubstring("Not reached: jax.jit runs this function"));
}

TEST_CASE("a function that tf.function made a graph of is named, whether its own lines were traced or not",
          "[host][debugging][compiled]") {
  const TestPython& python = library_python();
  Debugged d(python);
  const char* const code = R"(import tensorflow as tf
@tf.function
def translated(x):
    return x + 1  # HERE
@tf.function(autograph=False)
def traced(x):
    return x + 2  # HERE
for _ in range(3): translated(tf.ones(2)), traced(tf.ones(2))
)";
  const auto said = said_of(d, code, code);
  CHECK_THAT(said.at(0), ContainsSubstring("tf.function runs this function as compiled code"));
  CHECK_THAT(said.at(1), ContainsSubstring("Reached only while TensorFlow (tf.function, ...) traced"));
}
