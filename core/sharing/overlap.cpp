#include "core/sharing/overlap.h"

#include <algorithm>

#include "core/sharing/costs.h"
#include "core/sharing/hard_overlap.h"
#include "core/sharing/prepared_set.h"
#include "core/sharing/residue_search.h"
#include "core/sharing/strided_set.h"

namespace dlscope::core {
namespace {

bool are_equal(const StridedSet& a, const StridedSet& b) {
  return a.base == b.base && a.phase == b.phase && a.unit_bits == b.unit_bits &&
         std::ranges::equal(a.axes, b.axes,
                            [](const Axis& x, const Axis& y) { return x.stride == y.stride && x.count == y.count; });
}

SetOverlap of_equal_sets(const StridedSet& set, const OverlapBudget& budget, std::uint64_t& spent) {
  const std::optional<std::uint64_t> count = count_bytes(set, budget, spent);
  if (!count) return unknown_overlap(OverlapMethod::layout, budget.stop);
  return shared_by(OverlapMethod::layout, {*count, set.base, true, true});
}

// Adds the witness: the lowest shared address, and for each view the C-order index of an element there.
Overlap with_elements(const SetOverlap& sets, const MemoryView& a, const MemoryView& b, const OverlapBudget& budget) {
  Overlap out{
      .relation = sets.relation, .method = sets.method, .why = sets.why, .shared_bytes = std::nullopt, .witness = std::nullopt};
  if (!sets.known()) return out;
  out.shared_bytes = sets.shared_bytes;
  if (!sets.shares()) return out;
  Witness& witness = out.witness.emplace(Witness{sets.witness, 0, 0});
  std::uint64_t spent = 0;
  if (find_element(a, witness.address, budget, witness.a_flat, spent) &&
      find_element(b, witness.address, budget, witness.b_flat, spent)) {
    return out;
  }
  return with_elements(unknown_overlap(sets.method, budget.stop), a, b, budget);
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
    case OverlapMethod::sweep:
      return "sweep";
  }
  return "extent";
}

SetOverlap overlap_of_sets(const PreparedSet& prepared_a, const PreparedSet& prepared_b, const OverlapBudget& budget,
                           std::uint64_t& spent) {
  const StridedSet& a = prepared_a.set;
  const StridedSet& b = prepared_b.set;
  if (a.empty() || b.empty() || !a.range().meets(b.range())) return {};
  const ByteRange window{std::max(a.base, b.base), std::min(a.end(), b.end())};
  if (a.dense() && b.dense()) {
    return shared_by(OverlapMethod::extent, {window.size(), window.begin, window.size() == a.span, window.size() == b.span});
  }
  if (prepared_a.top != nullptr && prepared_b.top != nullptr) {
    std::uint64_t steps_left = kFirstSteps;
    CommonBytes common;
    const auto distance = static_cast<std::int64_t>(b.base - a.base);
    const bool done = common_bytes(*prepared_a.top, *prepared_b.top, distance, steps_left, budget.stop, common);
    spent += (kFirstSteps - steps_left) * kWordsPerStep;
    if (done) {
      return shared_by(OverlapMethod::layout, {common.count, a.base + common.lowest, common.count == prepared_a.top->size,
                                               common.count == prepared_b.top->size});
    }
  }
  if (are_equal(a, b)) return of_equal_sets(a, budget, spent);
  if (a.in_bytes() && b.in_bytes() && residues_are_disjoint(a, b)) return nothing_shared(OverlapMethod::residue);
  return hard_overlap(prepared_a, prepared_b, window, budget, spent);
}

Overlap overlap(const MemoryView& a, const MemoryView& b, const OverlapBudget& budget) {
  if (!a.extent.meets(b.extent) || a.extent.empty() || b.extent.empty()) return {.shared_bytes = 0, .witness = std::nullopt};
  const PreparedView prepared_a(a), prepared_b(b);
  std::uint64_t spent = 0;
  return with_elements(overlap_of_sets(prepared_a.get(), prepared_b.get(), budget, spent), a, b, budget);
}

}  // namespace dlscope::core
