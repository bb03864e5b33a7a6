// Many tasks in one host, of every kind, done and cancelled: memory, descriptors, maps and threads stay as they are.
#include <catch2/catch_test_macros.hpp>

#include "tests/embed/host/host_process.h"
#include "tests/embed/host/work_steps.h"
#include "tests/support/process_facts.h"

using namespace dlscope;
using namespace dlscope::tests;
using tests::facts_of;
using tests::ProcessFacts;

TEST_CASE("many tasks in one host leave nothing behind", "[host][work][endurance]") {
  if (test_pythons().empty()) SKIP("no CPython from 3.9 on was found: set DLSCOPE_TEST_PYTHONS");
  const int rounds = tests::endurance("DLSCOPE_ENDURANCE_TASKS", 600);
  HostProcess host(test_pythons().back());
  const auto snapshot = look_after(host,
                                   "import array\nx = array.array('f', range(20000))\ny = array.array('d', range(20000))\n"
                                   "grid = memoryview(x).cast('B').cast('f', (100, 200))\n");
  const core::wire::TensorRef x = ref_to(snapshot, "x"), y = ref_to(snapshot, "y"), grid = ref_to(snapshot, "grid");
  std::uint64_t id = 0;
  const auto carry_out_one = [&](int kind) {
    core::wire::Work work;
    switch (kind % 5) {
      case 0:
      case 1:
        work = core::wire::ReduceTensor{
            grid, {{0}, {1}, {}, core::CellValue::mean, {0, 0}}, {0, 0, 100, 200, 1 + kind % 7, 3}, 1u << 20};
        break;
      case 2:
        work = core::wire::CompareTensors{x, y, {}, false};
        break;
      case 3:
        work = core::wire::ComputeStatistics{y};
        break;
      default:
        work = core::wire::FindValue{x, core::SearchedValue::equal, "17", 0};
    }
    host.messages.clear();
    host.send(core::wire::Start{++id, std::move(work)});
    if (kind % 11 == 0) host.send(core::wire::Cancel{id});
    const auto end = end_of(host, id);
    if (end.outcome == core::wire::WorkOutcome::failed) FAIL(end.message);
  };
  for (int i = 0; i < 200; ++i) carry_out_one(i);
  const ProcessFacts before = facts_of(host.pid());
  for (int i = 1; i <= rounds; ++i) {
    carry_out_one(i);
    if (i % 1000 == 0) tests::tell("tasks, the host after", i, rounds, facts_of(host.pid()));
  }
  const ProcessFacts now = facts_of(host.pid());
  CHECK(now.descriptors == before.descriptors);
  CHECK(now.threads <= before.threads);
  if (tests::kMemoryIsKept) return;
  CHECK(now.maps <= before.maps + 8);
  CHECK(now.memory_kib <= before.memory_kib + (8 << 10));
}
