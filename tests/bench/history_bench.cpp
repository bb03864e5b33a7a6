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
#include "app/models/history/tensor_trail.h"
#include "core/wire/snapshot_codec.h"
#include "tests/support/sample_snapshot.h"
#include "tests/bench/timing.h"

namespace {

using namespace dlscope;
using dlscope::bench::seconds;

constexpr std::size_t kMoving = 50;
constexpr double kMiB = 1 << 20;

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
    if (number % 2 == 0 && behind_too) seen.push_back({.name = "loss", .address = 0x5581e0000000, .shape = {64}});
    return tests::snapshot_of(seen, number);
  }

  bool behind_too = false;  // a local comes behind all others when that in front goes

 private:
  static core::Address address(std::size_t place) { return 0x558120000040 + place * 320; }

  std::mt19937 random_;
  std::vector<tests::SampleTensor> tensors_;
  std::vector<std::size_t> free_;
};

// Since when, over all moments; once more; and after one more look. tensor: one that never changes.
void find_since_when(Program& program, app::MomentHistory& history, std::uint32_t tensor, double copy) {
  app::TensorTrail trail;
  const auto ask = [&](const char* what) {
    const std::uint64_t newest = history.newest()->number, first = history.moments().front()->number;
    const auto id = static_cast<std::uint32_t>(tensor + newest % 2);  // behind the local in front
    app::TensorHistoryPtr since;
    const double time =
        seconds([&] { since = app::find_since_when(history.moments(), {newest, id, id / 2, {}, false}, {}, {}, &trail); });
    check(since->facts.size() > 1 && since->moments == history.moments().size(), "since when");
    for (const app::SinceWhen& fact : since->facts)
      check(fact.fact == app::TensorFact::shares || fact.first == first, "since when a tensor is what it always was");
    fmt::print("  {}: {:.2f} ms, {:.3f} copies a moment\n", what, time * 1e3, time / copy / static_cast<double>(since->moments));
  };
  ask("first");
  ask("again");
  history.keep(program.look(history.newest()->number + 1), 1, "14:05:09");
  for (const app::KeptMomentPtr& moment : history.to_pack()) moment->pack(history.store());
  ask("after one more look");
}

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
  const std::uint32_t still = tensors / 2 / 10 * 10 + 3;
  fmt::print("since when, over {} moments:\n", history.moments().size());
  find_since_when(program, history, still, copy);
  fmt::print("over 20 where its number says nothing, because a local goes in front of it when another comes behind it:\n");
  program.behind_too = true;
  app::MomentHistory both;
  for (std::uint64_t number = 1; number <= 20; ++number) both.keep(program.look(number), 1, "14:05:09");
  for (const app::KeptMomentPtr& moment : both.to_pack()) moment->pack(both.store());
  find_since_when(program, both, still, copy);
}
