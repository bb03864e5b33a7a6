#include "app/window/host/device_questions.h"

#include <catch2/catch_test_macros.hpp>
#include <future>

#include "tests/app/window/parts/fake_link.h"

namespace dlscope::tests {
namespace {

using core::Address;
using core::wire::DeviceBytes;
using core::wire::ReadDevice;
using core::wire::WorkOutcome;

// A device of 1000 bytes at 4096, each of which is its offset.
DeviceBytes answer_to(const ReadDevice& work) {
  DeviceBytes out;
  for (const Address address : work.addresses) {
    const bool there = address >= 4096 && address + work.each <= 5096;
    out.complete.push_back(there ? 1 : 0);
    for (std::uint32_t i = 0; i < work.each; ++i)
      out.bytes.push_back(there ? static_cast<std::byte>(address + i - 4096) : std::byte{});
  }
  return out;
}

struct Bench {
  FakeHost host;
  FakeLink link{host};
  app::DeviceQuestions questions{{}};

  Bench() { questions.begin(); }
  // Carries on until the reader has its answer.
  template <class Result>
  Result serve(std::future<Result> reading) {
    while (reading.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
      questions.put_to(link);
      for (; served < host.work.size(); ++served)
        questions.take({served + 1, WorkOutcome::done, {}, answer_to(std::get<ReadDevice>(host.work[served]))});
    }
    return reading.get();
  }
  std::size_t served = 0;
};

}  // namespace

TEST_CASE("a reader of a device's memory is answered by the host, in pieces and to the end of what is there", "[window][cuda]") {
  Bench bench;
  const app::DeviceReader reader(0, bench.questions.ask());
  const std::vector<Address> addresses{4096, 4196, 5095, 6000};
  std::vector<std::byte> out(8);
  std::vector<std::uint8_t> complete(4);
  bench.serve(std::async(std::launch::async, [&] { reader.gather(addresses, 2, out, complete); return true; }));
  CHECK(complete == std::vector<std::uint8_t>{1, 1, 0, 0});
  CHECK((out[0] == std::byte{0} && out[1] == std::byte{1} && out[2] == std::byte{100}));
  std::vector<std::byte> rest(300);
  CHECK(bench.serve(std::async(std::launch::async, [&] { return reader.read(5000, rest); })) == 96);  // up to the end
  CHECK(rest[95] == static_cast<std::byte>(999 % 256));
}

TEST_CASE("without a host, and when it goes, nobody waits for a device", "[window][cuda]") {
  Bench bench;
  const app::DeviceReader reader(0, bench.questions.ask());
  std::byte byte{};
  auto waiting = std::async(std::launch::async, [&] { return reader.read(4096, {&byte, 1}); });
  while (bench.host.work.empty()) bench.questions.put_to(bench.link);
  bench.questions.end();
  CHECK(waiting.get() == 0);
  CHECK(reader.read(4096, {&byte, 1}) == 0);  // at once
  CHECK_FALSE(bench.questions.take({1, WorkOutcome::done, {}, {}}));  // late: nobody's any more
}

TEST_CASE("an answer of another size than was asked for is none", "[window][cuda]") {
  Bench bench;
  const app::DeviceReader reader(0, bench.questions.ask());
  std::byte byte{};
  auto waiting = std::async(std::launch::async, [&] { return reader.read(4096, {&byte, 1}); });
  while (bench.host.work.empty()) bench.questions.put_to(bench.link);
  CHECK(bench.questions.take({1, WorkOutcome::done, {}, DeviceBytes{std::vector<std::byte>(3), {1}, {}}}));
  CHECK(waiting.get() == 0);
}

}  // namespace dlscope::tests
