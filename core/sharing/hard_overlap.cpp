#include "core/sharing/hard_overlap.h"

#include <algorithm>

#include "core/sharing/costs.h"
#include "core/sharing/joint_window.h"
#include "core/sharing/residue_search.h"
#include "core/sharing/row_sweep.h"
#include "core/sharing/run_list.h"

namespace dlscope::core {
namespace {

// Steps of the closed form when no other method is left: a little over a second, during which the stop token is checked.
constexpr std::uint64_t kLastSteps = std::uint64_t{1} << 24;
constexpr std::uint64_t kSearchNodes = 10'000;
// The cost, in bit-set words written, of a byte of fresh memory, which the system has to zero.
constexpr std::uint64_t kWordsPerFreshByte = 1;
constexpr std::uint64_t kNever = ~std::uint64_t{0};

// Both sets in their common window, and the cost of the two methods that compare them bit by bit.
class JointWindow {
 public:
  JointWindow(const StridedSet& a, const StridedSet& b, ByteRange window, const OverlapBudget& budget)
      : a_(a),
        b_(b),
        window_(window),
        budget_(budget),
        unit_(joint_unit(a, b)),
        plan_a_(a, window, unit_),
        plan_b_(b, window, unit_) {
    if (empty()) return;
    const std::uint64_t scratch = plan_a_.scratch_bytes() + plan_b_.scratch_bytes();
    const std::uint64_t building = plan_a_.cost_words() + plan_b_.cost_words() + scratch * kWordsPerFreshByte;
    if (building <= budget.work && within_budget(budget, window.size() / unit_, scratch)) building_ = building;
    if (!a.in_bytes() || !b.in_bytes()) return;
    sweep_a_ = plan_sweep(plan_a_.window());
    sweep_b_ = plan_sweep(plan_b_.window());
    if (!sweep_a_.possible() || !sweep_b_.possible()) return;
    const std::uint64_t sweeping = sweep_a_.cost_words + sweep_b_.cost_words;
    if (sweeping <= budget.work && sweep_a_.scratch_bytes + sweep_b_.scratch_bytes <= budget.scratch_bytes) sweeping_ = sweeping;
  }

  [[nodiscard]] bool empty() const { return plan_a_.empty() || plan_b_.empty(); }
  [[nodiscard]] bool can_sweep() const { return sweeping_ != kNever; }
  // In bit-set words written; kNever: neither method fits the budget.
  [[nodiscard]] std::uint64_t cost() const { return std::min(building_, sweeping_); }
  [[nodiscard]] SetOverlap decide() const { return sweeping_ <= building_ ? sweep() : build(); }

  [[nodiscard]] SetOverlap sweep() const {
    const auto common =
        sweep_common(plan_a_.window(), sweep_a_, plan_b_.window(), sweep_b_, window_.size() / unit_, budget_.stop);
    if (!common) return unknown_overlap(OverlapMethod::sweep, budget_.stop);
    return found(OverlapMethod::sweep, common->count, common->lowest, common->in_a, common->in_b);
  }

  [[nodiscard]] SetOverlap build() const {
    const std::optional<BitWindow> a = plan_a_.build(budget_.stop);
    const std::optional<BitWindow> b = a ? plan_b_.build(budget_.stop) : std::nullopt;
    if (!a || !b) return unknown_overlap(OverlapMethod::bitset, budget_.stop);
    const std::optional<CommonBits> common = common_bits(*a, *b, budget_.stop);
    const auto in_a = common ? count_bits(*a, budget_.stop) : std::nullopt;
    const auto in_b = in_a ? count_bits(*b, budget_.stop) : std::nullopt;
    if (!in_b) return unknown_overlap(OverlapMethod::bitset, budget_.stop);
    return found(OverlapMethod::bitset, common->count, common->lowest, *in_a, *in_b);
  }

 private:
  // All counts are in units. in_a and in_b are the size of the whole set if the window contains all of it.
  SetOverlap found(OverlapMethod method, std::uint64_t count, std::uint64_t lowest, std::uint64_t in_a,
                   std::uint64_t in_b) const {
    return shared_by(method, {count * unit_, window_.begin + lowest * unit_, window_ == a_.range() && count == in_a,
                              window_ == b_.range() && count == in_b});
  }

  const StridedSet& a_;
  const StridedSet& b_;
  ByteRange window_;
  const OverlapBudget& budget_;
  std::uint64_t unit_;
  WindowPlan plan_a_, plan_b_;
  SweepPlan sweep_a_, sweep_b_;
  std::uint64_t building_ = kNever, sweeping_ = kNever;
};

SetOverlap by_run_lists(const StridedSet& a, const StridedSet& b, ByteRange window, const std::stop_token& stop) {
  const auto runs_a = list_runs(a, window, stop);
  const auto runs_b = runs_a ? list_runs(b, window, stop) : std::nullopt;
  if (!runs_a || !runs_b) return unknown_overlap(OverlapMethod::layout, stop);
  const std::optional<CommonRuns> common = common_of_runs(*runs_a, *runs_b, stop);
  if (!common) return unknown_overlap(OverlapMethod::layout, stop);
  return shared_by(OverlapMethod::layout,
                   {common->count, common->lowest, window == a.range() && common->count == size_of_runs(*runs_a),
                    window == b.range() && common->count == size_of_runs(*runs_b)});
}

}  // namespace

SetOverlap hard_overlap(const PreparedSet& prepared_a, const PreparedSet& prepared_b, ByteRange window,
                        const OverlapBudget& budget, std::uint64_t& spent) {
  const StridedSet& a = prepared_a.set;
  const StridedSet& b = prepared_b.set;
  const JointWindow joint(a, b, window, budget);
  if (joint.empty()) return nothing_shared(OverlapMethod::bitset);
  const bool fits = joint.cost() != kNever;
  const std::uint64_t words = fits ? joint.cost() : budget.work;  // the most that the other methods may cost

  if (a.in_bytes() && b.in_bytes() && (!fits || words / kWordsPerNode > kSearchNodes)) {
    const std::uint64_t nodes = std::min(kSearchNodes, budget.work / kWordsPerNode);
    spent += nodes * kWordsPerNode;
    if (search_common_byte(a, b, nodes, budget.stop) == false) return nothing_shared(OverlapMethod::search);
  }
  if (prepared_a.top != nullptr && prepared_b.top != nullptr && words / kWordsPerStep > kFirstSteps) {
    const std::uint64_t steps = std::min(words / kWordsPerStep, kLastSteps);
    std::uint64_t steps_left = steps;
    const auto distance = static_cast<std::int64_t>(b.base - a.base);
    CommonBytes common;
    const bool done = common_bytes(*prepared_a.top, *prepared_b.top, distance, steps_left, budget.stop, common);
    spent += (steps - steps_left) * kWordsPerStep;
    if (done) {
      return shared_by(OverlapMethod::layout, {common.count, a.base + common.lowest, common.count == prepared_a.top->size,
                                               common.count == prepared_b.top->size});
    }
  }
  const std::uint64_t runs_a = runs_to_visit(a, window);
  const std::uint64_t runs_b = runs_to_visit(b, window);
  const bool few = runs_a <= kMaxRuns && runs_b <= kMaxRuns && (runs_a + runs_b) * sizeof(ByteRange) <= budget.scratch_bytes;
  if (few && (runs_a + runs_b) * kWordsPerRun <= words) {
    spent += (runs_a + runs_b) * kWordsPerRun;
    return by_run_lists(a, b, window, budget.stop);
  }
  if (!fits || budget.stop.stop_requested()) return unknown_overlap(OverlapMethod::bitset, budget.stop);
  spent += words;
  return joint.decide();
}

SetOverlap overlap_by_row_sweep(const StridedSet& a, const StridedSet& b, const OverlapBudget& budget) {
  if (a.empty() || b.empty() || !a.range().meets(b.range())) return {};
  const JointWindow joint(a, b, {std::max(a.base, b.base), std::min(a.end(), b.end())}, budget);
  if (joint.empty()) return nothing_shared(OverlapMethod::sweep);
  return joint.can_sweep() ? joint.sweep() : unknown_overlap(OverlapMethod::sweep, budget.stop);
}

SetOverlap overlap_by_bit_sets(const StridedSet& a, const StridedSet& b, const OverlapBudget& budget) {
  if (a.empty() || b.empty() || !a.range().meets(b.range())) return {};
  const JointWindow joint(a, b, {std::max(a.base, b.base), std::min(a.end(), b.end())}, budget);
  return joint.empty() ? nothing_shared(OverlapMethod::bitset) : joint.build();
}

}  // namespace dlscope::core
