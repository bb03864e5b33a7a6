// A hand-over that is made step by step, asked of a real host: what is held between two steps, and how it ends.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/wire/snapshot_codec.h"
#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"
#include "tests/embed/host/work_steps.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::wire::CopyPolicy;
using core::wire::HandedOver;
using core::wire::HandTo;
using core::wire::WorkOutcome;

namespace {

// x: a producer over `memory`, which cannot grow while anybody holds its bytes.
constexpr const char* kHeldScript = R"(
import dlscope
memory = bytearray(16)
class Tensor:
    def __dlpack__(self, **keywords):
        return dlscope.asdlpack(memory).__dlpack__(**keywords)
    def __dlpack_device__(self):
        return 1, 0
x = Tensor()
def grows():
    try:
        memory.append(0)
        return 'grows'
    except BufferError:
        return 'held'
)";
constexpr const char* kBegin =
    R"({"do": "begin", "name": "x", "library": "dlscope", "device": "", "copy": "if needed", "stream": "", "subject": "x"})";

HandTo hand(const core::SnapshotPtr& snapshot, const char* library, std::string wanted) {
  return {.tensor = ref_to(snapshot, "x"),
          .library = library,
          .device = {},
          .copy = CopyPolicy::if_needed,
          .name = std::move(wanted)};
}

class Steps {
 public:
  explicit Steps(const TestPython& python) : host(python), snapshot(look_after(host, kHeldScript)) {}
  std::string ask(const std::string& text, const char* kind = "exchange_step") {
    host.send(core::wire::Ask{++last_, kind, text});
    const auto answer = host.wait_for<core::wire::Answer>();
    REQUIRE(answer);
    CHECK(answer->error.empty());
    return answer->text;
  }
  std::string next(int number = 1) { return ask(R"({"do": "next", "number": )" + std::to_string(number) + "}"); }
  std::string look(int number = 1) { return ask(R"({"do": "look", "number": )" + std::to_string(number) + "}"); }
  // What the script sees once code of its own runs again.
  bool prints(const std::string& expression, const std::string& text) {
    REQUIRE(console(host, "print('seen', " + expression + ", flush=True)"));
    return host.wait_for_output("seen " + text);
  }

  HostProcess host;
  core::SnapshotPtr snapshot;

 private:
  std::uint64_t last_ = 0;
};

}  // namespace

TEST_CASE("a hand-over is made step by step, and the act takes over what is held", "[host][work][steps]") {
  EACH_PYTHON(python);
  Steps steps(python);
  CHECK_THAT(steps.ask(kBegin), ContainsSubstring("\"left\": 3") && ContainsSubstring("\"capsule\": \"\"") &&
                                    ContainsSubstring("x.__dlpack_device__()") && ContainsSubstring("\"number\": 1"));
  CHECK_THAT(steps.next(), ContainsSubstring("\"left\": 2") && ContainsSubstring("\"capsule\": \"dltensor"));
  // It is named where capsules are, and where it is said what keeps the memory.
  CHECK_THAT(steps.ask(R"({"name": "x", "others": []})", "life"),
             ContainsSubstring("dlscope, step by step") && ContainsSubstring("holds the tensor, and a DLPack capsule"));
  CHECK_THAT(steps.next(), ContainsSubstring("\"left\": 1") && ContainsSubstring("a dlscope.Tensor"));
  CHECK_THAT(steps.next(), ContainsSubstring("\"left\": 1"));  // the last step is the act's
  steps.host.send(core::wire::Scan{1});
  const auto later = next_snapshot(steps.host);  // another look does not end it
  const auto done = std::get<HandedOver>(carry_out(steps.host, hand(later, "dlscope", "y")).result);
  CHECK(done.verdict == "SHARED");
  REQUIRE(done.calls.size() == 4);
  CHECK_THAT(done.calls[3].answer, ContainsSubstring("renamed 'used_dltensor"));
  CHECK_THAT(steps.look(), ContainsSubstring("\"ended\": \"It has been made.\""));
  CHECK(steps.prints("grows()", "held"));
  CHECK(steps.prints("y.close(), grows()", "None grows"));
}

TEST_CASE("a hand-over that is not finished gives the capsule back, and says why it is over", "[host][work][steps]") {
  EACH_PYTHON(python);
  Steps steps(python);
  int number = 0;
  for (const int made : {0, 1, 2}) {
    INFO(made);
    const auto begun = [&] {
      ++number;
      CHECK_THAT(steps.ask(kBegin), ContainsSubstring("\"left\": 3"));
      for (int i = 0; i < made; ++i) static_cast<void>(steps.next(number));
    };
    begun();
    const std::string abandon = R"({"do": "abandon", "number": )" + std::to_string(number) + "}";
    CHECK_THAT(steps.ask(abandon), ContainsSubstring("It was abandoned."));
    CHECK(steps.prints("grows()", "grows"));
    begun();
    CHECK(steps.prints("grows()", "grows"));  // the console line itself ends it, before it runs
    CHECK_THAT(steps.look(number), ContainsSubstring("Your code has run since"));
    CHECK_THAT(steps.next(number), ContainsSubstring("Your code has run since"));
    steps.host.send(core::wire::Scan{1});
    const auto present = next_snapshot(steps.host);
    begun();
    begun();  // another one
    CHECK_THAT(steps.look(number - 1), ContainsSubstring("Another hand-over was begun."));
    auto other = hand(present, "dlscope", "copied_" + std::to_string(made));
    other.copy = CopyPolicy::always;
    CHECK(std::get<HandedOver>(carry_out(steps.host, other).result).verdict == "COPIED");
    CHECK_THAT(steps.look(number), ContainsSubstring("Another hand-over was begun."));
    for (const auto& [snapshot, name] : {std::pair{present, "not a name"}, std::pair{steps.snapshot, "of_an_old_snapshot"}}) {
      begun();
      CHECK(carry_out(steps.host, hand(snapshot, "dlscope", name)).outcome == WorkOutcome::failed);
      CHECK_THAT(steps.look(number), ContainsSubstring("It could not be finished."));
    }
    CHECK(steps.prints("grows()", "grows"));
  }
}
