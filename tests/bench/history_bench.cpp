// The history of many looks at many tensors: the memory of the kept moments, what keeping one costs, and the two searches, each beside a
// copy of the same records in the same run. Nothing is timed whose answer is not first checked.
//   history_bench [TENSORS=100000] [MOMENTS=50]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "app/models/history/since_when.h"
#include "app/models/history/snapshot_differences.h"
#include "tests/support/sample_snapshot.h"

namespace {

using namespace dlscope;

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Of this process, in MiB.
double resident() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * 4096 / (1 << 20);
}

void check(bool right, const char* what) {
  if (right) return;
  fmt::print("wrong: {}\n", what);
  std::exit(1);
}

// The same tensors as another look finds them: every hundredth has moved.
core::SnapshotPtr looked_again(const core::Snapshot& before, std::uint64_t look) {
  auto out = std::make_shared<core::Snapshot>(before);
  for (std::size_t id = look % 100; id < out->tensors.size(); id += 100) {
    core::TensorRecord& tensor = out->tensors[id];
    tensor.address += 0x10000000;
    tensor.data += 0x10000000;
    tensor.extent.begin += 0x10000000;
    tensor.extent.end += 0x10000000;
  }
  out->info.revision = look;
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const auto tensors = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 100'000);
  const int moments = argc > 2 ? std::atoi(argv[2]) : 50;
  const core::SnapshotPtr first = tests::many_snapshot(tensors);
  app::MomentHistory history;
  const double before = resident();
  double keeping = 0;
  for (int i = 1; i <= moments; ++i) {
    core::SnapshotPtr next = looked_again(*first, static_cast<std::uint64_t>(i));
    keeping = std::max(keeping, seconds([&] { history.keep(std::move(next), 1, "14:05:09"); }));
  }
  const double after = resident();
  const app::KeptMomentPtr last = history.newest(), previous = history.before(last->number);
  check(last->number == static_cast<std::uint64_t>(moments) && previous, "the newest moment");
  check(history.bytes() <= history.most_bytes(), "the bound");
  fmt::print(
      "{} tensors, {} looks: {} kept, {} dropped; {:.1f} MiB of records each, {:.0f} MiB in all, the process grew by {:.0f} "
      "MiB\n",
      tensors, moments, history.moments().size(), history.given_up(), static_cast<double>(last->bytes) / (1 << 20),
      static_cast<double>(history.bytes()) / (1 << 20), after - before);
  const double copy = seconds([&] { check(core::Snapshot(*last->snapshot).tensors.size() == tensors, "the copy"); });
  fmt::print("keeping a moment: at most {:.3f} ms; a copy of its records {:.1f} ms\n", keeping * 1e3, copy * 1e3);
  app::DifferencesPtr found;
  const double differing = seconds([&] { found = app::find_differences(previous, last); });
  check(found->count(app::Change::moved) == (tensors + 49) / 50, "how many have moved");
  fmt::print("differences of two moments: {:.1f} ms, {:.1f} copies\n", differing * 1e3, differing / copy);
  app::TensorHistoryPtr since;
  const double searching =
      seconds([&] { since = app::look_for_since_when(history.moments(), {last->number, tensors / 2 - tensors / 2 % 10 + 3, 1, {}, false}); });
  check(!since->facts.empty() && since->facts.front().fact == app::TensorFact::shares, "since when");
  fmt::print("since when, over {} moments: {:.1f} ms, {:.1f} copies each\n", since->moments, searching * 1e3,
             searching / copy / static_cast<double>(since->moments));
}
