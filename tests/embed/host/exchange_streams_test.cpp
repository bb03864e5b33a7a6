// Hand-overs with a chosen stream: what the producer is asked with, what is refused before a capsule is requested, what the plan says.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"
#include "tests/embed/host/work_steps.h"
#include "tests/support/cuda_program.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::wire::HandedOver;
using core::wire::HandTo;
using core::wire::WorkEnded;
using core::wire::WorkOutcome;

namespace {

// x: a tensor on a CUDA device; `asked` has the keywords of every request for a capsule of it.
std::string producer_on_a_device() {
  return cuda_program(R"(
import dlscope
class Tensor:
    def __dlpack__(self, **keywords):
        asked.append(keywords)
        return memory.__dlpack__(**keywords)
    def __dlpack_device__(self):
        return 2, 0
memory, asked, x = dlscope.copy(device_array(range(8)), device="cuda:0"), [], Tensor()
)");
}

}  // namespace

TEST_CASE("a stream that is chosen is the one that the producer is asked with", "[host][work][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, producer_on_a_device());
  for (const std::string stream : {"2", "None", "-1"}) {
    HandTo work = hand_to(snapshot, "x", "dlscope", "y_" + std::to_string(stream.size()));
    work.stream = stream;
    const WorkEnded end = carry_out(host, work);
    INFO(stream << ": " << end.message);
    REQUIRE(end.outcome == WorkOutcome::done);
    const auto done = std::get<HandedOver>(end.result);
    CHECK(done.verdict == "SHARED");
    CHECK(done.line == work.name + " = dlscope.from_dlpack(x.__dlpack__(stream=" + stream + ", max_version=(1, 0)))");
    REQUIRE(done.calls.size() == 4);
    CHECK(done.calls[0].what == "x.__dlpack_device__()");
    CHECK(done.calls[1].what == "x.__dlpack__(stream=" + stream + ", max_version=(1, 0))");
    CHECK(done.calls[1].answer == "versioned capsule 'dltensor_versioned'");
    CHECK(done.calls[2].what == "dlscope.from_dlpack(x.__dlpack__(stream=" + stream + ", max_version=(1, 0)))");
    CHECK(done.calls[3].answer == "renamed 'used_dltensor_versioned'");
  }
  REQUIRE(console(host, "print('asked', [{'stream': each, 'max_version': (1, 0)} in asked for each in (2, None, -1)], flush=True)"));
  CHECK(host.wait_for_output("asked [True, True, True]"));
}

TEST_CASE("a stream that DLPack does not allow, or that the library cannot be given, is refused before a capsule is requested",
          "[host][work][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, producer_on_a_device() +
                                             "here = dlscope.asdlpack(bytearray(8))\nimport sys, types\n"
                                             "sys.modules['array_api_strict'] = types.ModuleType('array_api_strict')\n"
                                             "sys.modules['array_api_strict'].from_dlpack = dlscope.from_dlpack\n");
  const auto refusal = [&](const char* tensor, const char* library, const char* stream) {
    HandTo work = hand_to(snapshot, tensor, library, "y");
    work.stream = stream;
    const auto done = std::get<HandedOver>(carry_out(host, work).result);
    CHECK(done.verdict == "REFUSED");
    for (const auto& call : done.calls) CHECK(call.what.find("__dlpack__(") == std::string::npos);
    return done.error;
  };
  CHECK_THAT(refusal("x", "dlscope", "0"), ContainsSubstring("does not allow 0 on CUDA"));
  CHECK_THAT(refusal("x", "dlscope", "-7"), ContainsSubstring("'-7' is no stream"));
  CHECK_THAT(refusal("x", "dlscope", "seven"), ContainsSubstring("'seven' is no stream"));
  CHECK_THAT(refusal("x", "array_api_strict", "1"), ContainsSubstring("takes no capsule"));
  CHECK_THAT(refusal("here", "dlscope", "1"), ContainsSubstring("Host memory has no streams"));
  HandTo none = hand_to(snapshot, "here", "dlscope", "y");
  none.stream = "None";
  const auto shared = std::get<HandedOver>(carry_out(host, none).result);
  CHECK(shared.verdict == "SHARED");
  CHECK(shared.line == "y = dlscope.from_dlpack(here.__dlpack__(stream=None, max_version=(1, 0)))");
}

TEST_CASE("the calls with a chosen stream are told beforehand, and what the stream means", "[host][questions]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  look_after(host, "import dlscope\n");
  auto ask = [&, id = std::uint64_t{0}](const std::string& members) mutable {
    host.send(
        core::wire::Ask{++id, "exchange_plan", R"({"library": "dlscope", "copy": "always", "subject": "x", )" + members + "}"});
    const auto answer = host.wait_for<core::wire::Answer>();
    REQUIRE(answer);
    CHECK(answer->error.empty());
    return answer->text;
  };
  const std::string plan = ask(R"("device": "cuda:1", "stream": "0x7f10", "device_type": 2)");
  CHECK_THAT(plan, ContainsSubstring("\"x.__dlpack__(stream=32528, copy=True, dl_device=(2, 1), max_version=(1, 0))\""));
  CHECK_THAT(plan, ContainsSubstring("\"dlscope.from_dlpack(x.__dlpack__(stream=32528, copy=True, dl_device=(2, 1), max_version=(1, 0)))\""));
  CHECK_THAT(plan, ContainsSubstring("\"x.__dlpack_device__()\""));
  CHECK_THAT(plan, ContainsSubstring("0x7f10 is taken for the address of a stream's handle"));
  CHECK_THAT(plan, ContainsSubstring("\"refused\": \"\""));
  CHECK_THAT(ask(R"("device": "", "stream": "-1", "device_type": 10)"), ContainsSubstring("nobody wait"));
  CHECK_THAT(ask(R"("device": "", "stream": "0", "device_type": 10)"), ContainsSubstring("the default stream wait"));
  CHECK_THAT(ask(R"("device": "", "stream": "1", "device_type": 10)"), ContainsSubstring("does not allow 1 and 2 on ROCm"));
  CHECK_THAT(ask(R"("device": "", "stream": "1", "device_type": 14)"), ContainsSubstring("a SYCL queue"));
  CHECK_THAT(ask(R"("device": "", "stream": "1", "device_type": 8)"), ContainsSubstring("on CUDA and ROCm only"));
  CHECK_THAT(ask(R"("device": "", "stream": "None", "device_type": 1)"), ContainsSubstring("so nobody waits"));
  CHECK_THAT(ask(R"("device": "", "stream": "1", "device_type": 1)"),
             ContainsSubstring("Host memory has no streams") && ContainsSubstring("\"calls\": []"));
}
