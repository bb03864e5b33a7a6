#include "core/sharing/set_comparisons.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/sharing/parts_of_work.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kPairsPerPart = 512, kPartsPerThread = 16;
constexpr std::size_t kPairsPerLook = 8;  // whether to stop: closed forms that are long take a tenth of a millisecond each
// Of the budget of all, a part gets an equal share, but no more than this. A pair that needs more than half of what it gets is
// hard. Only half, so that no method is chosen, or gives up, because a comparison comes near its limit.
constexpr std::uint64_t kWorkPerPart = std::uint64_t{1} << 25, kWorkPerPair = std::uint64_t{1} << 20;
// Hard pairs are compared one by one, this many at a time, each with an equal share of what is left. Their work also bounds their
// memory, of which a byte costs at least one unit of work.
constexpr std::size_t kHardPairs = 64, kHardPairsPerThread = 4;
constexpr std::uint64_t kWorkPerHardPair = std::uint64_t{1} << 28;

class Comparisons {
 public:
  Comparisons(std::span<const SetPair> pairs, std::span<SetOverlap> out, WorkBudget& budget, std::size_t threads)
      : pairs_(pairs), out_(out), budget_(budget), threads_(threads) {}

  bool run() {
    const std::vector<std::uint32_t> hard = compare_easy();
    for (std::size_t first = 0; first < hard.size() && !budget_.stopped(); first += kHardPairs)
      compare_hard(std::span(hard).subspan(first, std::min(kHardPairs, hard.size() - first)));
    return !budget_.stopped();
  }

 private:
  struct NoScratch {};

  // Compares pair k, which may take half of `work`, and adds to `spent`. False: that does not suffice.
  bool suffices(std::uint64_t work, const OverlapBudget& each, std::size_t k, std::uint64_t& spent) {
    WorkBudget own(each, work);
    out_[k] = own.compare(*pairs_[k].a, *pairs_[k].b);
    const std::uint64_t used = work - own.left();
    if (!out_[k].known() || used > work / 2) return false;
    spent += used;
    return true;
  }

  // Returns the hard pairs, in order.
  std::vector<std::uint32_t> compare_easy() {
    struct Part {
      std::uint64_t spent = 0;
      std::vector<std::uint32_t> hard;
    };
    std::vector<Part> parts((pairs_.size() + kPairsPerPart - 1) / kPairsPerPart);
    if (parts.empty()) return {};
    const OverlapBudget each = budget_.now();
    const std::uint64_t work = std::min(kWorkPerPart, budget_.left() / parts.size());
    const std::size_t threads = threads_for_parts(threads_, parts.size(), kPartsPerThread);
    for_each_part<NoScratch>(parts.size(), threads, [&](std::size_t i, NoScratch) {
      Part& part = parts[i];
      const std::size_t end = std::min((i + 1) * kPairsPerPart, pairs_.size());
      for (std::size_t k = i * kPairsPerPart; k < end; ++k) {
        if (k % kPairsPerLook == 0 && budget_.stopped()) return;
        const std::uint64_t left = work - std::min(work, part.spent);
        if (!suffices(std::min(kWorkPerPair, left), each, k, part.spent)) part.hard.push_back(static_cast<std::uint32_t>(k));
      }
    });
    std::vector<std::uint32_t> hard;
    for (const Part& part : parts) {
      budget_.spend(part.spent);
      hard.insert(hard.end(), part.hard.begin(), part.hard.end());
    }
    return hard;
  }

  // At most kHardPairs. Those for which their share does not suffice are compared again, in order, with the budget of all.
  void compare_hard(std::span<const std::uint32_t> hard) {
    struct Outcome {
      std::uint64_t spent = 0;
      bool done = false;
    };
    std::array<Outcome, kHardPairs> outcomes;
    const OverlapBudget each = budget_.now();
    const std::uint64_t work = std::min(kWorkPerHardPair, budget_.left() / kHardPairs);
    const std::size_t threads = threads_for_parts(threads_, hard.size(), kHardPairsPerThread);
    for_each_part<NoScratch>(hard.size(), threads, [&](std::size_t i, NoScratch) {
      if (!budget_.stopped()) outcomes[i].done = suffices(work, each, hard[i], outcomes[i].spent);
    });
    for (std::size_t i = 0; i < hard.size() && !budget_.stopped(); ++i) {
      const SetPair pair = pairs_[hard[i]];
      if (outcomes[i].done)
        budget_.spend(outcomes[i].spent);
      else
        out_[hard[i]] = budget_.compare(*pair.a, *pair.b);
    }
  }

  std::span<const SetPair> pairs_;
  std::span<SetOverlap> out_;
  WorkBudget& budget_;
  std::size_t threads_;
};

}  // namespace

bool compare_sets(std::span<const SetPair> pairs, std::span<SetOverlap> out, WorkBudget& budget, std::size_t threads) {
  return Comparisons(pairs, out, budget, threads).run();
}

}  // namespace dlscope::core
