// SnapshotBuilder: how much of each allocation the tensors use, and which tensors keep one alive that is mostly unused.
#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/append_format.h"
#include "core/inventory/snapshot_builder.h"

namespace dlscope::core {
namespace {

// Bytes that tensors touch in a range: those of a group, or, with kUnknown64, of a tensor of which that is not known.
struct Touched {
  SpaceId space = kNoSpace;
  ByteRange range;
  std::uint64_t bytes = kUnknown64;
};

// Answers how many bytes of a range are touched. Groups share no byte with each other, so their numbers may be added.
class TouchedBytes {
 public:
  explicit TouchedBytes(std::vector<Touched> touched) : touched_(std::move(touched)) {
    if (!std::ranges::is_sorted(touched_, {}, place)) std::ranges::sort(touched_, {}, place);
    upto_.resize(touched_.size() + 1);
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      const Touched& each = touched_[i];
      const bool known = each.bytes != kUnknown64;
      const bool follows = i > 0 && touched_[i - 1].space == each.space;
      upto_[i + 1] = {upto_[i].bytes + (known ? each.bytes : 0), upto_[i].unknown + (known ? 0 : 1),
                      follows ? std::max(upto_[i].furthest, each.range.end) : each.range.end};
    }
  }

  // kUnknown64: something that meets the range reaches beyond it, or its bytes are not known.
  [[nodiscard]] std::uint64_t in(SpaceId space, ByteRange range) const {
    const std::size_t first = first_at(space, range.begin), last = first_at(space, range.end);
    const bool reaches_in = first > 0 && touched_[first - 1].space == space && upto_[first].furthest > range.begin;
    const bool reaches_out = last > first && upto_[last].furthest > range.end;
    if (reaches_in || reaches_out || upto_[last].unknown != upto_[first].unknown) return kUnknown64;
    return upto_[last].bytes - upto_[first].bytes;
  }

 private:
  static std::tuple<SpaceId, Address> place(const Touched& each) { return {each.space, each.range.begin}; }
  // The first that begins at the address or after it.
  [[nodiscard]] std::size_t first_at(SpaceId space, Address address) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(touched_, std::tuple(space, address), {}, place) - touched_.begin());
  }

  // Of all before an index: sums, and the highest end in the space of the last.
  struct Upto {
    std::uint64_t bytes = 0, unknown = 0;
    Address furthest = 0;
  };
  std::vector<Touched> touched_;
  std::vector<Upto> upto_;
};

// Where its bytes lie is not known: it may use any memory of its library.
bool may_lie_anywhere(const TensorRecord& t) { return !t.has_layout || is_copy_for_export(t); }

bool is_kept_by_its_tensors(AllocationSource source) {
  // A mapping costs addresses rather than memory; the driver's allocation is kept by whoever made it: a caching allocator.
  return source != AllocationSource::mapping && source != AllocationSource::driver;
}

std::string kept_alive_text(const AllocationRecord& allocation, std::size_t keepers, std::uint64_t own_bytes) {
  std::string text;
  if (keepers > 1) append_format(text, "with {} other {} ", keepers - 1, keepers == 2 ? "tensor" : "tensors");
  text += "keeps ";
  append_human_bytes(text, allocation.range.size());
  const bool is_alone = own_bytes == allocation.used_bytes;
  text += keepers > 1 ? " alive, together they use " : is_alone ? " alive, uses " : " alive, all tensors in it use ";
  append_human_bytes(text, allocation.used_bytes);
  return text;
}

}  // namespace

void SnapshotBuilder::measure_allocations() {
  Snapshot& s = *snapshot_;
  if (s.allocations.empty()) return;
  std::vector<Touched> touched;
  touched.reserve(s.groups.size());
  for (const GroupRecord& group : s.groups) {
    // Pages that are mapped again are other addresses' memory, too.
    touched.push_back({group.space, group.range, group.page_shift == 0 ? group.distinct_bytes : kUnknown64});
  }
  std::vector<std::uint32_t> unplaced_libraries;  // offsets of their names
  const auto is_unplaced = [&](const TensorRecord& t) {
    return std::ranges::find(unplaced_libraries, t.library.offset) != unplaced_libraries.end();
  };
  for (std::uint32_t id = 0; id < s.tensors.size(); ++id) {
    const TensorRecord& t = s.tensors[id];
    if (has_bytes_at_address(t) && is_compared_[id] == 0) touched.push_back({t.space, t.extent, kUnknown64});
    if (may_lie_anywhere(t) && !is_unplaced(t)) unplaced_libraries.push_back(t.library.offset);
  }
  const TouchedBytes all(std::move(touched));
  for (AllocationRecord& each : s.allocations) {
    const bool may_be_anothers = each.source == AllocationSource::storage && !unplaced_libraries.empty();
    if (is_kept_by_its_tensors(each.source) && !may_be_anothers) each.used_bytes = all.in(kHostSpace, each.range);
  }
  for (const TensorRecord& t : s.tensors) {
    if (t.allocation < s.allocations.size() && is_unplaced(t)) s.allocations[t.allocation].used_bytes = kUnknown64;
  }
}

// Those to whose owner something else has a reference than the tensors that were found: a thread's local, a cache, an object that
// was not looked into. It may use the rest, and keeps the allocation whatever becomes of the tensors.
std::vector<ByteRange> SnapshotBuilder::allocations_kept_by_others() const {
  const auto key = [](const CountedReferences& each) { return std::tuple(each.allocation.begin, each.allocation.end, each.referrer); };
  std::vector<CountedReferences> counted = counted_references_;
  std::ranges::sort(counted, {}, key);
  std::vector<ByteRange> out;
  for (auto first = counted.begin(); first != counted.end();) {
    std::uint32_t references = 0, referrers = 0;
    const ByteRange of = first->allocation;
    Address last = 0;
    for (; first != counted.end() && first->allocation == of; ++first) {
      references = std::max(references, first->count);
      if (std::exchange(last, first->referrer) != first->referrer) ++referrers;
    }
    if (references > referrers) out.push_back(of);
  }
  return out;
}

void SnapshotBuilder::note_kept_alive() {
  const Snapshot& s = *snapshot_;
  const std::vector<ByteRange> kept_by_others = allocations_kept_by_others();
  const auto place = [](const ByteRange& range) { return std::tuple(range.begin, range.end); };
  struct Keeper {
    const AllocationRecord* kept;
    std::uint32_t tensor;
  };
  std::vector<Keeper> keepers;
  for (std::uint32_t id = 0; id < s.tensors.size(); ++id) {
    if (s.tensors[id].allocation >= s.allocations.size()) continue;
    const AllocationRecord& kept = s.allocations[s.tensors[id].allocation];
    const std::uint64_t unused = s.unused_bytes(s.tensors[id]);
    if (unused == kUnknown64 || unused <= kept.used_bytes || unused < kLeastUnused) continue;
    if (!std::ranges::binary_search(kept_by_others, place(kept.range), {}, place)) keepers.push_back({&kept, id});
  }
  const auto range = [](const Keeper& each) { return std::tuple(each.kept->range.begin, each.kept->range.end); };
  std::ranges::stable_sort(keepers, {}, range);
  for (auto first = keepers.begin(); first != keepers.end();) {
    const auto same = [&, of = range(*first)](const Keeper& each) { return range(each) == of; };
    const auto last = std::find_if_not(first, keepers.end(), same);
    const auto count = static_cast<std::size_t>(last - first);
    for (; first != last; ++first) {
      add_remark(first->tensor, RemarkCode::keeps_alive_unused,
                 kept_alive_text(*first->kept, count, s.tensors[first->tensor].distinct_bytes));
    }
  }
}

}  // namespace dlscope::core
