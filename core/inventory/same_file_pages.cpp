#include "core/inventory/same_file_pages.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>

#include "core/sharing/prepared_set.h"
#include "core/sharing/work_budget.h"

namespace dlscope::core {
namespace {

// The bytes of one tensor in one mapping, by their numbers (AliasedPart::shift).
struct Piece {
  ByteRange numbers;
  std::size_t part;
  std::uint32_t tensor;
};

class PieceList {
 public:
  explicit PieceList(std::span<const AliasedPart> parts) : parts_(parts) {}

  void add(std::uint32_t tensor, ByteRange extent) {
    // Most tensors lie in no such mapping, and neighbours in the list are often neighbours in memory.
    if (gap_.begin <= extent.begin && extent.end <= gap_.end) return;
    auto at = std::ranges::upper_bound(parts_, extent.begin, {}, [](const AliasedPart& part) { return part.range.end; });
    if (at == parts_.end() || at->range.begin >= extent.end) {
      gap_.begin = at == parts_.begin() ? 0 : std::prev(at)->range.end;
      gap_.end = at == parts_.end() ? std::numeric_limits<Address>::max() : at->range.begin;
      return;
    }
    for (; at != parts_.end() && at->range.begin < extent.end; ++at) {
      const ByteRange here{std::max(at->range.begin, extent.begin), std::min(at->range.end, extent.end)};
      pieces_.push_back({{here.begin + at->shift, here.end + at->shift}, static_cast<std::size_t>(at - parts_.begin()), tensor});
    }
  }
  [[nodiscard]] std::vector<Piece> take() { return std::move(pieces_); }

 private:
  std::span<const AliasedPart> parts_;
  ByteRange gap_;  // without any part
  std::vector<Piece> pieces_;
};

// Calls `meets` for every two pieces of different mappings that have a number in common. It returns false to end.
template <class Meets>
void sweep(std::vector<Piece>& pieces, Meets meets) {
  std::ranges::sort(pieces, {}, [](const Piece& piece) { return piece.numbers.begin; });
  std::vector<std::pair<std::size_t, std::vector<Piece>>> open;  // by mapping: pieces that may reach the next one
  for (const Piece& piece : pieces) {
    std::erase_if(open, [&](auto& mapping) {
      std::erase_if(mapping.second, [&](const Piece& other) { return other.numbers.end <= piece.numbers.begin; });
      return mapping.second.empty();
    });
    std::vector<Piece>* own = nullptr;
    for (auto& [part, others] : open) {
      if (part == piece.part) {
        own = &others;
        continue;
      }
      for (const Piece& other : others) {
        if (!meets(piece, other)) return;
      }
    }
    if (own == nullptr) own = &open.emplace_back(piece.part, std::vector<Piece>()).second;
    own->push_back(piece);
  }
}

MemoryView view_by_number(const Snapshot& snapshot, const TensorRecord& tensor, Address shift) {
  MemoryView view = snapshot.memory_view(tensor);
  view.address += shift;
  view.extent = {view.extent.begin + shift, view.extent.end + shift};
  return view;
}

template <class Values, class Key = std::identity>
void sort_without_repeats(Values& values, Key key = {}) {
  std::ranges::sort(values, {}, key);
  const auto repeated = std::ranges::unique(values, {}, key);
  values.erase(repeated.begin(), repeated.end());
}

}  // namespace

FilePagePairs pairs_in_same_file_pages(const Snapshot& snapshot, std::span<const std::uint8_t> takes_part,
                                        const PrivateAliases& aliases, const SharingLimits& limits) {
  FilePagePairs out;
  const std::span<const AliasedPart> parts = aliases.parts();
  if (parts.empty()) return out;
  PieceList list(parts);
  for (std::uint32_t id = 0; id < snapshot.tensors.size(); ++id) {
    const TensorRecord& t = snapshot.tensors[id];
    if (takes_part[id] != 0 && t.space == kHostSpace) list.add(id, t.extent);
  }
  WorkBudget work(limits.budget, limits.work);
  const auto may_be_same = [&](const Piece& a, const Piece& b) {
    const TensorRecord &first = snapshot.tensors[a.tensor], &second = snapshot.tensors[b.tensor];
    if (a.tensor == b.tensor || first.extent.meets(second.extent)) return false;  // compared by their addresses
    const AliasedPart &in_a = parts[a.part], &in_b = parts[b.part];
    if (in_a.shared && in_b.shared && first.page_shift != 0 && second.page_shift != 0) return false;  // compared by page_shift
    const bool whole = a.numbers.size() == first.extent.size() && b.numbers.size() == second.extent.size();
    if (!whole) return true;
    const PreparedView prepared_a(view_by_number(snapshot, first, in_a.shift));
    const PreparedView prepared_b(view_by_number(snapshot, second, in_b.shift));
    const SetOverlap overlap = work.compare(prepared_a.get(), prepared_b.get());
    out.over_budget = out.over_budget || overlap.why == UnknownWhy::over_budget;
    return !overlap.known() || overlap.shares();
  };
  std::vector<Piece> pieces = list.take();
  sweep(pieces, [&](const Piece& a, const Piece& b) {
    if (limits.stop.stop_requested()) out.missing_pairs = UnknownWhy::stopped;
    if (out.pairs.size() >= limits.max_pairs) out.missing_pairs = UnknownWhy::pair_bound;
    if (out.missing_pairs != UnknownWhy::none) return false;
    if (!may_be_same(a, b)) return true;
    SharingPair pair;
    std::tie(pair.a, pair.b) = std::minmax(a.tensor, b.tensor);
    pair.relation = Relation::unknown;
    pair.why = UnknownWhy::same_file_pages;
    out.pairs.push_back(pair);
    return true;
  });
  sort_without_repeats(out.pairs, [](const SharingPair& pair) { return std::pair(pair.a, pair.b); });
  if (out.missing_pairs == UnknownWhy::none) {
    for (const SharingPair& pair : out.pairs) out.tensors.insert(out.tensors.end(), {pair.a, pair.b});
  } else {
    for (const Piece& piece : pieces) out.tensors.push_back(piece.tensor);
  }
  sort_without_repeats(out.tensors);
  return out;
}

}  // namespace dlscope::core
