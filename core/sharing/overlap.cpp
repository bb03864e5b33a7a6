#include "core/sharing/overlap.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/sharing/joint_window.h"
#include "core/sharing/nested_overlap.h"
#include "core/sharing/prepared_view.h"
#include "core/sharing/residue_search.h"
#include "core/sharing/run_list.h"
#include "core/sharing/strided_set.h"

namespace dlscope::core {
namespace {

// Steps of the closed form that are always allowed: about what the other methods cost at the least.
constexpr std::uint64_t kFirstSteps = 2048;
// Steps when nothing else is left: a good second, and the stop token is asked.
constexpr std::uint64_t kLastSteps = std::uint64_t{1} << 24;
constexpr std::uint64_t kSearchNodes = 10'000;
// Bit-set words that take about the time of one node of the search, of one step of the closed form, of one listed run.
constexpr std::uint64_t kWordsPerNode = 8;
constexpr std::uint64_t kWordsPerStep = 32;
constexpr std::uint64_t kWordsPerRun = 32;
constexpr std::uint64_t kMostRuns = std::uint64_t{1} << 22;

// What a method found out about the window that both sets reach into.
struct Common {
  std::uint64_t count = 0;
  Address lowest = 0;
  bool is_all_of_a = false;
  bool is_all_of_b = false;
};

// A method that gave up did so because it was asked to stop, or else because its work was over the budget.
Overlap unknown(OverlapMethod method, const std::stop_token& stop) {
  return {.relation = Relation::unknown,
          .method = method,
          .why = stop.stop_requested() ? UnknownWhy::stopped : UnknownWhy::over_budget,
          .shared_bytes = std::nullopt,
          .witness = std::nullopt};
}

Overlap nothing_shared(OverlapMethod method, Relation relation = Relation::interleaved) {
  return {.relation = relation, .method = method, .shared_bytes = 0, .witness = std::nullopt};
}

void set_shared(Overlap& out, OverlapMethod method, const Common& common) {
  out.method = method;
  out.shared_bytes = common.count;
  if (common.count == 0) {
    out.relation = Relation::interleaved;
    return;
  }
  out.witness.emplace(Witness{common.lowest, 0, 0});
  if (common.is_all_of_a)
    out.relation = common.is_all_of_b ? Relation::identical : Relation::contained;
  else
    out.relation = common.is_all_of_b ? Relation::contains : Relation::overlaps;
}

Overlap shared(OverlapMethod method, const Common& common) {
  Overlap out;
  set_shared(out, method, common);
  return out;
}

ByteRange intersection(ByteRange a, ByteRange b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

Overlap of_runs(const StridedSet& a, const StridedSet& b, ByteRange window) {
  return shared(OverlapMethod::extent, {window.size(), window.begin, window.size() == a.span, window.size() == b.span});
}

// False: more steps than are left, or stopped. (An optional<Overlap> would be copied about: a third of the whole time.)
bool by_closed_form(const NestedLevel& a, const NestedLevel& b, Address base_a, std::int64_t distance, std::uint64_t& steps_left,
                    const std::stop_token& stop, Overlap& out) {
  const std::optional<CommonBytes> common = common_bytes(a, b, distance, steps_left, stop);
  if (!common) return false;
  set_shared(out, OverlapMethod::layout,
             {common->count, base_a + common->lowest, common->count == a.size, common->count == b.size});
  return true;
}

Overlap by_run_lists(const StridedSet& a, const StridedSet& b, ByteRange window, const std::stop_token& stop) {
  const auto runs_a = list_runs(a, window, stop);
  const auto runs_b = runs_a ? list_runs(b, window, stop) : std::nullopt;
  if (!runs_a || !runs_b) return unknown(OverlapMethod::layout, stop);
  const CommonRuns common = common_of_runs(*runs_a, *runs_b);
  return shared(OverlapMethod::layout, {common.count, common.lowest, window == a.range() && common.count == size_of_runs(*runs_a),
                                        window == b.range() && common.count == size_of_runs(*runs_b)});
}

Overlap by_bit_sets(const StridedSet& a, const StridedSet& b, ByteRange window, std::uint64_t unit, const WindowPlan& plan_a,
                    const WindowPlan& plan_b, const std::stop_token& stop) {
  const std::optional<BitWindow> bits_a = plan_a.build(stop);
  const std::optional<BitWindow> bits_b = bits_a ? plan_b.build(stop) : std::nullopt;
  if (!bits_a || !bits_b) return unknown(OverlapMethod::bitset, stop);
  const std::uint64_t count = count_common_bits(bits_a->words(), bits_b->words());
  if (count == 0) return nothing_shared(OverlapMethod::bitset);
  const Address lowest = window.begin + lowest_common_bit(bits_a->words(), bits_b->words()) * unit;
  return shared(OverlapMethod::bitset, {count * unit, lowest, window == a.range() && count == count_bits(bits_a->words()),
                                        window == b.range() && count == count_bits(bits_b->words())});
}

// The pairs that no closed form settles at once: whichever exact method is expected to be cheapest, after the two that
// can only say "nothing shared".
Overlap hard_case(const StridedSet& a, const StridedSet& b, ByteRange window, const NestedChain* chain_a,
                  const NestedChain* chain_b, const OverlapBudget& budget, std::uint64_t& spent) {
  const std::uint64_t unit = joint_unit(a, b);
  const WindowPlan plan_a(a, window, unit);
  const WindowPlan plan_b(b, window, unit);
  const std::uint64_t cost = plan_a.cost_words() + plan_b.cost_words();
  const bool fits =
      cost <= budget.work && within_budget(budget, window.size() / unit, plan_a.scratch_bytes() + plan_b.scratch_bytes());
  const std::uint64_t words = fits ? cost : budget.work;  // what the other methods may take

  const bool bytes = a.in_bytes() && b.in_bytes();
  if (bytes && (!fits || words / kWordsPerNode > kSearchNodes)) {
    const std::uint64_t nodes = std::min(kSearchNodes, budget.work / kWordsPerNode);
    spent += nodes * kWordsPerNode;
    if (search_common_byte(a, b, nodes, budget.stop) == false) return nothing_shared(OverlapMethod::search);
  }
  if (chain_a != nullptr && chain_b != nullptr && words / kWordsPerStep > kFirstSteps) {
    const auto distance = static_cast<std::int64_t>(b.base - a.base);
    const std::uint64_t steps = std::min(words / kWordsPerStep, kLastSteps);
    std::uint64_t steps_left = steps;
    Overlap out;
    const bool done = by_closed_form(chain_a->top(), chain_b->top(), a.base, distance, steps_left, budget.stop, out);
    spent += (steps - steps_left) * kWordsPerStep;
    if (done) return out;
  }
  const std::uint64_t runs_a = runs_to_visit(a, window);
  const std::uint64_t runs_b = runs_to_visit(b, window);
  const bool few = runs_a <= kMostRuns && runs_b <= kMostRuns && (runs_a + runs_b) * sizeof(ByteRange) <= budget.scratch_bytes;
  if (few && (runs_a + runs_b) * kWordsPerRun <= words) {
    spent += (runs_a + runs_b) * kWordsPerRun;
    return by_run_lists(a, b, window, budget.stop);
  }
  if (!fits || budget.stop.stop_requested()) return unknown(OverlapMethod::bitset, budget.stop);
  spent += cost;
  return by_bit_sets(a, b, window, unit, plan_a, plan_b, budget.stop);
}

bool are_equal(const StridedSet& a, const StridedSet& b) {
  return a.base == b.base && a.phase == b.phase && a.unit_bits == b.unit_bits &&
         std::ranges::equal(a.axes, b.axes,
                            [](const Axis& x, const Axis& y) { return x.stride == y.stride && x.count == y.count; });
}

Overlap of_equal_sets(const StridedSet& set, const OverlapBudget& budget, std::uint64_t& spent) {
  const std::optional<std::uint64_t> count = count_bytes(set, budget, spent);
  if (!count) return unknown(OverlapMethod::layout, budget.stop);
  return shared(OverlapMethod::layout, {*count, set.base, true, true});
}

}  // namespace

const char* relation_name(Relation relation) {
  switch (relation) {
    case Relation::disjoint:
      return "disjoint";
    case Relation::identical:
      return "identical";
    case Relation::contains:
      return "contains";
    case Relation::contained:
      return "contained";
    case Relation::overlaps:
      return "overlaps";
    case Relation::interleaved:
      return "interleaved";
    case Relation::unknown:
      return "unknown";
  }
  return "unknown";
}

const char* overlap_method_name(OverlapMethod method) {
  switch (method) {
    case OverlapMethod::extent:
      return "extent";
    case OverlapMethod::layout:
      return "layout";
    case OverlapMethod::residue:
      return "residue";
    case OverlapMethod::search:
      return "search";
    case OverlapMethod::bitset:
      return "bitset";
  }
  return "extent";
}

Overlap overlap_of_sets(const StridedSet& a, const StridedSet& b, const OverlapBudget& budget, std::uint64_t& spent) {
  if (a.empty() || b.empty() || !a.range().meets(b.range())) return nothing_shared(OverlapMethod::extent, Relation::disjoint);
  const ByteRange window = intersection(a.range(), b.range());
  if (a.dense() && b.dense()) return of_runs(a, b, window);
  if (are_equal(a, b)) return of_equal_sets(a, budget, spent);
  if (!a.in_bytes() || !b.in_bytes()) return hard_case(a, b, window, nullptr, nullptr, budget, spent);
  if (!a.nested || !b.nested) {
    if (residues_are_disjoint(a, b)) return nothing_shared(OverlapMethod::residue);
    return hard_case(a, b, window, nullptr, nullptr, budget, spent);
  }
  const NestedChain chain_a(a);
  const NestedChain chain_b(b);
  const auto distance = static_cast<std::int64_t>(b.base - a.base);
  std::uint64_t steps_left = kFirstSteps;
  Overlap out;
  const bool done = by_closed_form(chain_a.top(), chain_b.top(), a.base, distance, steps_left, budget.stop, out);
  spent += (kFirstSteps - steps_left) * kWordsPerStep;
  if (done) return out;
  if (residues_are_disjoint(a, b)) return nothing_shared(OverlapMethod::residue);
  return hard_case(a, b, window, &chain_a, &chain_b, budget, spent);
}

Overlap overlap_of(const PreparedView& a, const PreparedView& b, const OverlapBudget& budget, std::uint64_t& spent) {
  Overlap out = overlap_of_sets(a.set, b.set, budget, spent);
  if (!out.witness) return out;
  Witness& witness = *out.witness;
  const auto find = [&](const PreparedView& in, std::uint64_t& number) {
    if (!in.knows_lowest || witness.address != in.set.base) return find_element(*in.view, witness.address, budget, number, spent);
    number = in.lowest_number;
    return true;
  };
  if (find(a, witness.a_flat) && find(b, witness.b_flat)) return out;
  return unknown(out.method, budget.stop);
}

Overlap overlap(const MemoryView& a, const MemoryView& b, const OverlapBudget& budget) {
  if (!a.extent.meets(b.extent) || a.extent.empty() || b.extent.empty()) {
    return nothing_shared(OverlapMethod::extent, Relation::disjoint);
  }
  AxisStorage storage_a, storage_b;
  const PreparedView prepared_a{.view = &a, .set = bytes_of(a, storage_a)};
  const PreparedView prepared_b{.view = &b, .set = bytes_of(b, storage_b)};
  std::uint64_t spent = 0;
  return overlap_of(prepared_a, prepared_b, budget, spent);
}

}  // namespace dlscope::core
