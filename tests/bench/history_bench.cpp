// The history of many looks at many tensors, as stop after stop of a big program takes them: addresses as an allocator gives them out, 50
// tensors that move from look to look, a local that comes and goes in front of all others. The memory of the kept moments, what packing and
// unpacking one costs, and the two searches, each beside a copy of the same records in the same run. Nothing is timed whose answer is not
// first checked.
//   history_bench [TENSORS=100000] [MOMENTS=60]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "app/models/history/moment_history.h"
#include "app/models/history/since_when.h"
#include "app/models/history/snapshot_differences.h"
#include "core/wire/snapshot_codec.h"
#include "tests/support/sample_snapshot.h"

namespace {

using namespace dlscope;

constexpr std::size_t kMoving = 50;
constexpr double kMiB = 1 << 20;

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
  return resident * 4096 / kMiB;
}

void check(bool right, const char* what) {
  if (right) return;
  fmt::print("wrong: {}\n", what);
  std::exit(1);
}

std::vector<std::byte> bytes_of(const core::Snapshot& snapshot) {
  std::vector<std::byte> out(core::wire::encoded_size(snapshot));
  check(core::wire::encode_snapshot(snapshot, out) == out.size(), "encoding");
  return out;
}

// A program whose tensors lie in no order of their names; every tenth is a view of the one before.
class Program {
 public:
  explicit Program(std::size_t count) : random_(7) {
    std::vector<std::size_t> places(count + count / 4);
    std::iota(places.begin(), places.end(), 0);
    std::ranges::shuffle(places, random_);
    for (std::size_t i = 0; i < count; ++i) {
      const bool view = i % 10 == 9;
      tensors_.push_back({.name = fmt::format("model.blocks[{}].layers['{}'].weight", i / 12, i % 12),
                          .address = view ? tensors_.back().address + 16 : address(places[i]),
                          .shape = {3 + static_cast<std::int64_t>(i % 5), 4}});
    }
    free_.assign(places.begin() + static_cast<std::ptrdiff_t>(count), places.end());
  }

  core::SnapshotPtr look(std::uint64_t number) {
    for (std::size_t i = 0; i < kMoving; ++i)
      tensors_[random_() % tensors_.size() / 10 * 10].address = address(free_[random_() % free_.size()]);
    std::vector<tests::SampleTensor> seen;
    if (number % 2 == 1) seen.push_back({.name = "batch", .address = 0x5581e0000000, .shape = {64}});
    seen.insert(seen.end(), tensors_.begin(), tensors_.end());
    return tests::snapshot_of(seen, number);
  }

 private:
  static core::Address address(std::size_t place) { return 0x558120000040 + place * 320; }

  std::mt19937 random_;
  std::vector<tests::SampleTensor> tensors_;
  std::vector<std::size_t> free_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto tensors = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 100'000);
  const int moments = argc > 2 ? std::atoi(argv[2]) : 60;
  Program program(tensors);
  app::MomentHistory history;
  const double before = resident();
  double keeping = 0, packing = 0;
  std::size_t first = 0;
  std::vector<std::byte> wanted;
  for (int i = 1; i <= moments; ++i) {
    const core::SnapshotPtr next = program.look(static_cast<std::uint64_t>(i));
    if (i == moments / 2) wanted = bytes_of(*next);
    keeping = std::max(keeping, seconds([&] { history.keep(next, 1, "14:05:09"); }));
    history.note_look(next, std::vector<std::uint32_t>(next->groups.size(), 3), nullptr);
    for (app::KeptMoments dropped = history.take_dropped(), whole = history.to_pack(); !dropped.empty() || !whole.empty();
         dropped = history.take_dropped(), whole = history.to_pack()) {
      packing = std::max(packing, seconds([&] {
        dropped.clear();
        for (const app::KeptMomentPtr& moment : whole) moment->pack(history.store());
      }));
      whole.clear();
      keeping = std::max(keeping, seconds([&] { history.count_again(); }));
    }
    if (i == 2) first = history.bytes() - history.newest()->own_bytes();
  }
  const double after = resident();
  const app::KeptMomentPtr last = history.newest(), previous = history.before(last->number);
  check(last->number == static_cast<std::uint64_t>(moments) && previous, "the newest moment");
  check(history.bytes() <= history.most_bytes(), "the bound");
  const std::size_t packed = history.bytes() - last->own_bytes();
  const auto others = static_cast<double>(history.moments().size() - 2);
  fmt::print(
      "{} tensors, {} looks: {} kept, {} dropped; {:.1f} MiB of records each. The newest is whole, the oldest packed takes "
      "{:.1f} MiB, each other "
      "{:.2f} MiB; {:.0f} MiB in all, the process grew by {:.0f} MiB\n",
      tensors, moments, history.moments().size(), history.given_up(), static_cast<double>(last->record_bytes) / kMiB,
      static_cast<double>(first) / kMiB, static_cast<double>(packed - first) / kMiB / others,
      static_cast<double>(history.bytes()) / kMiB, after - before);
  const core::SnapshotPtr newest = last->snapshot();
  const double copy = seconds([&] { check(core::Snapshot(*newest).tensors.size() == newest->tensors.size(), "the copy"); });
  core::SnapshotPtr unpacked;
  const app::KeptMomentPtr middle = history.find(static_cast<std::uint64_t>(moments / 2));
  const double unpacking = seconds([&] { unpacked = middle->snapshot(); });
  check(!middle->is_whole() && bytes_of(*unpacked) == wanted, "what was unpacked");
  fmt::print(
      "a copy of its records {:.1f} ms; keeping a moment: at most {:.2f} ms; in a job: packing at most {:.1f} ms, unpacking "
      "{:.1f} ms\n",
      copy * 1e3, keeping * 1e3, packing * 1e3, unpacking * 1e3);
  app::DifferencesPtr found;
  const double differing = seconds([&] { found = app::find_differences(previous, last); });
  const std::uint64_t moved = found->count(app::Change::moved);
  check(moved > kMoving / 2 && moved <= kMoving, "how many have moved");
  fmt::print("differences of two moments: {:.1f} ms, {:.1f} copies\n", differing * 1e3, differing / copy);
  app::TensorHistoryPtr since;
  const std::uint32_t looked_for = tensors / 2 / 10 * 10 + 3 + (moments % 2 == 1 ? 1 : 0);
  const double searching =
      seconds([&] { since = app::look_for_since_when(history.moments(), {last->number, looked_for, 1, {}, false}); });
  check(!since->facts.empty() && since->facts.front().fact == app::TensorFact::shares && since->facts[1].first == 1,
        "since when");
  fmt::print("since when, over {} moments: {:.1f} ms, {:.1f} copies each\n", since->moments, searching * 1e3,
             searching / copy / static_cast<double>(since->moments));
}
