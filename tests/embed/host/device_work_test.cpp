// Tasks over the memory of a CUDA device, against a real host whose program uses the fake driver.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstring>

#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"
#include "tests/embed/host/work_steps.h"
#include "tests/support/cuda_program.h"
#include "tests/support/put_part.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::wire::WorkEnded;
using core::wire::WorkOutcome;

namespace {

float value_at(const core::wire::DeviceBytes& bytes, std::size_t piece) {
  float value = 0;
  std::memcpy(&value, bytes.bytes.data() + piece * sizeof value, sizeof value);
  return value;
}

}  // namespace

TEST_CASE("values on a device are found, summarised, drawn and compared by the host", "[host][work][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, tests::cuda_program(R"(
x = device_array([1.0] * 300000 + [float("nan"), 2.5, 2.5])
same = device_array([1.0] * 300000 + [float("nan"), 2.5, 3.5])
grid = device_array(range(1200), (30, 40), (4, 120))
here = memoryview((ctypes.c_float * 6)(*range(6)))
)"));
  const auto search = carry_out(host, core::wire::FindValue{ref_to(snapshot, "x"), core::SearchedValue::equal, "2.5", 0});
  REQUIRE(search.outcome == WorkOutcome::done);
  CHECK(std::get<core::ValueMatches>(search.result).matches == 2);
  CHECK(std::get<core::ValueMatches>(search.result).first == 300001);
  const auto statistics = carry_out(host, core::wire::ComputeStatistics{ref_to(snapshot, "x")});
  REQUIRE(statistics.outcome == WorkOutcome::done);
  const auto& summary = std::get<core::Statistics>(statistics.result).summary;
  CHECK((summary.seen == 300003 && summary.nan == 1 && summary.first_special.index == 300000));
  const auto compared = carry_out(host, core::wire::CompareTensors{ref_to(snapshot, "x"), ref_to(snapshot, "same"), {}, false});
  REQUIRE(compared.outcome == WorkOutcome::done);
  CHECK(std::get<core::Comparison>(compared.result).different == 1);
  CHECK(std::get<core::Comparison>(compared.result).first == 300002);

  // Transposed: row 3, column 5 is the value 5 * 30 + 3.
  core::wire::ReduceTensor picture{
      ref_to(snapshot, "grid"), {{0}, {1}, {}, core::CellValue::mean, {0, 0}}, {0, 0, 30, 40, 1, 1}, 1u << 20};
  host.send(core::wire::Start{700, picture});
  CHECK(end_of(host, 700).outcome == WorkOutcome::done);
  core::Texels exact;
  exact.resize({0, 0, 30, 40});
  for (const auto& message : host.messages) {
    const auto* part = std::get_if<core::wire::Part>(&message);
    if (part != nullptr && part->id == 700) tests::put_part(std::get<core::Texels>(part->part), exact);
  }
  CHECK(exact.mean[3 * 40 + 5] == 153);

  const auto survey = carry_out(host, core::wire::SurveyTensors{ref_to(snapshot, "x").revision});
  CHECK(survey.outcome == WorkOutcome::done);
}

TEST_CASE("pieces of a device's memory are read on request, and only of what the driver knows", "[host][work][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, tests::cuda_program("x = device_array(range(1000))\n"));
  const core::Address at = snapshot->tensors[ref_to(snapshot, "x").tensor].address;
  const auto read = [&](std::vector<core::Address> addresses, std::int32_t ordinal = 0) {
    return carry_out(host, core::wire::ReadDevice{ordinal, 4, std::move(addresses)});
  };
  const WorkEnded some = read({at, at + 40, at + 3996, at + 4000, 0x10000});
  REQUIRE(some.outcome == WorkOutcome::done);
  const auto& bytes = std::get<core::wire::DeviceBytes>(some.result);
  CHECK(bytes.complete == std::vector<std::uint8_t>{1, 1, 1, 0, 0});
  CHECK((value_at(bytes, 0) == 0 && value_at(bytes, 1) == 10 && value_at(bytes, 2) == 999));
  CHECK_THAT(bytes.problem, ContainsSubstring("is no memory that the driver knows"));
  const WorkEnded elsewhere = read({at}, 1);
  CHECK(elsewhere.outcome == WorkOutcome::failed);
  CHECK_THAT(elsewhere.message, ContainsSubstring("no active primary context on cuda:1"));
  CHECK(read({}).outcome == WorkOutcome::done);

  // While a graph is captured, which waiting for the default stream would break, nothing of ours touches it.
  core::wire::Run busy;
  busy.source =
      "import os\nos.mkfifo('gate')\ndriver.fake_cuda_fail(b'cuStreamIsCapturing', 906, 0)\nwaits = "
      "driver.fake_cuda_calls(b'cuStreamWaitEvent')\nprint('begins', flush=True)\n"
      "open('gate').read()\nprint('waited', driver.fake_cuda_calls(b'cuStreamWaitEvent') - waits, flush=True)\n"
      "driver.fake_cuda_fail(b'cuStreamIsCapturing', 0, 0)\n";
  busy.fresh_namespace = false;
  busy.run = 2;
  host.send(busy);
  REQUIRE(host.wait_for_output("begins"));
  CHECK(value_at(std::get<core::wire::DeviceBytes>(read({at + 40}).result), 0) == 10);
  host.folder().write("gate", "");
  CHECK(host.wait_for_output("waited 0"));

  // A program that goes on is looked at as it is now, and nothing of ours stays in it.
  core::wire::Run more;
  more.source =
      "shadow(x)[10] = 77\nleft = [driver.fake_cuda_count(w) for w in (b'stream', b'event', b'pinned', b'pending', b'module')]\n"
      "print('left', left, flush=True)\n";
  more.fresh_namespace = false;
  more.run = 3;
  host.send(more);
  CHECK(host.wait_for_output("left [0, 0, 0, 0, 0]"));
  const WorkEnded again = read({at + 40});
  CHECK(value_at(std::get<core::wire::DeviceBytes>(again.result), 0) == 77);

  core::wire::Run crash;
  crash.source = "ctypes.string_at(1)\n";
  crash.fresh_namespace = false;
  crash.run = 4;
  host.send(crash);
  REQUIRE(host.wait_for_crash());
  const WorkEnded after = read({at});
  CHECK(after.outcome == WorkOutcome::failed);
  CHECK_THAT(after.message, ContainsSubstring("the process has crashed"));
}
