#include "app/models/hex/byte_owners.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/models/focus/focus_text.h"
#include "app/models/layout/element_hits.h"
#include "app/models/tensors/memory_place.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "core/base/checked_math.h"

namespace dlscope::app {
namespace {

constexpr std::uint64_t kSteps = 200'000;   // search steps for all bytes of a screen
constexpr std::size_t kMaxDeep = 1000;     // tensors stacked too deep to draw, which are tried one by one
constexpr std::size_t kNameLength = 40;

// Offset in bits from element [0,...,0] to the byte. The extent of a validated layout is shorter than 2^63 bits.
std::int64_t bit_of(const core::TensorRecord& tensor, core::Address address) {
  return static_cast<std::int64_t>(address - tensor.address) * 8;
}

std::optional<ElementHits> hits_of(const SnapshotIndex& index, const core::TensorRecord& tensor) {
  core::LayoutBounds bounds;
  const core::LayoutView layout = index.snapshot->layout(tensor);
  if (!tensor.has_layout || core::check_layout(layout, bounds) != core::LayoutFault::none) return std::nullopt;
  return ElementHits(layout, bounds);
}

}  // namespace

void ByteOwners::find(const SnapshotIndex* index, std::uint64_t generation, core::SpaceId space, core::Address first,
                      std::size_t count, std::uint32_t preferred) {
  const bool same_place = space_ == space && first_ == first && owners_.size() == count && preferred_ == preferred;
  if (same_place && generation_ == generation && had_index_ == (index != nullptr)) return;
  generation_ = generation;
  had_index_ = index != nullptr;
  space_ = space;
  first_ = first;
  preferred_ = preferred;
  owners_.assign(count, {});
  tensors_.clear();
  if (index == nullptr || count == 0) return;
  look_for_tensors(*index);
  std::uint64_t steps = kSteps;
  for (const std::uint32_t tensor : tensors_) assign(*index, tensor, steps);
}

void ByteOwners::add(const SnapshotIndex& index, std::uint32_t tensor) {
  const core::TensorRecord& record = index.tensor(tensor);
  const core::Address last = first_ + (owners_.size() - 1);
  if (record.space != space_ || !has_place(record) || record.extent.begin > last || record.extent.end <= first_) return;
  if (tensors_.size() < kMaxTensors && std::ranges::find(tensors_, tensor) == tensors_.end()) tensors_.push_back(tensor);
}

void ByteOwners::look_for_tensors(const SnapshotIndex& index) {
  if (preferred_ < index.size()) add(index, preferred_);
  const core::Address last = first_ + (owners_.size() - 1);
  for (const MapLane& lane : index.map.lanes) {
    if (lane.space != space_) continue;
    auto block = std::ranges::upper_bound(lane.blocks, first_, {}, [](const MapBlock& b) { return b.range.end; });
    for (; block != lane.blocks.end() && block->range.begin <= last; ++block) {
      for (std::uint32_t row = 0; row < block->rows; ++row) {
        const auto bars = index.map.row_of(*block, row);
        auto bar = std::ranges::upper_bound(bars, first_, {}, [](const MapTensor& t) { return t.extent.end; });
        for (; bar != bars.end() && bar->extent.begin <= last && tensors_.size() < kMaxTensors; ++bar) add(index, bar->tensor);
      }
      const auto deep = index.map.row_of(*block, kMaxMapRows);
      for (const MapTensor& one : deep.first(std::min(deep.size(), kMaxDeep))) add(index, one.tensor);
    }
  }
}

// Assigns bytes that belong to no element yet. A hole of one tensor may be an element of the next.
void ByteOwners::assign(const SnapshotIndex& index, std::uint32_t tensor, std::uint64_t& steps) {
  const core::TensorRecord& record = index.tensor(tensor);
  const auto hits = hits_of(index, record);
  if (!hits) return;
  const core::LayoutView layout = index.snapshot->layout(record);
  for (std::size_t i = 0; i < owners_.size(); ++i) {
    ByteOwner& owner = owners_[i];
    const core::Address at = first_ + i;
    if (owner.kind == ByteOwner::Kind::element || !record.extent.contains(at)) continue;
    const std::int64_t bit = bit_of(record, at);
    const Hits found = hits->touching(bit, bit + 8, steps);
    if (!found.count && !found.element) {
      if (owner.kind == ByteOwner::Kind::nobody) owner = {.kind = ByteOwner::Kind::undecided, .tensor = tensor};
    } else if (!found.element) {
      if (owner.kind != ByteOwner::Kind::hole) owner = {.kind = ByteOwner::Kind::hole, .tensor = tensor};
    } else {
      const std::int64_t begins = core::bit_offset_of(layout, *found.element);
      owner = {.kind = ByteOwner::Kind::element, .begins = begins >= bit, .tensor = tensor, .element = *found.element};
    }
  }
}

ByteElements elements_at(const SnapshotIndex& index, std::uint32_t id, core::Address address) {
  const core::TensorRecord& tensor = index.tensor(id);
  if (!tensor.extent.contains(address)) return {.first = {}, .count = 0};
  const auto hits = hits_of(index, tensor);
  if (!hits) return {.first = {}, .count = {}, .decided = false};
  std::uint64_t steps = kSteps;
  const std::int64_t bit = bit_of(tensor, address);
  const Hits found = hits->touching(bit, bit + 8, steps);
  ByteElements out{.first = found.element, .count = found.count, .decided = found.count || found.element};
  if (out.first) {
    const std::int64_t begins = core::bit_offset_of(index.snapshot->layout(tensor), *out.first);
    out.byte = static_cast<unsigned>(bit / 8 - core::floor_div(begins, 8));
  }
  return out;
}

std::string owner_text(const SnapshotIndex& index, const ByteOwner& owner, core::Address address) {
  if (owner.kind == ByteOwner::Kind::nobody) return "in no listed tensor";
  const core::TensorRecord& tensor = index.tensor(owner.tensor);
  const std::string name = shortened_name(index.snapshot->name(tensor), kNameLength);
  if (owner.kind == ByteOwner::Kind::hole) return fmt::format("a hole: between the elements of {}, not in any of them", name);
  const ByteElements at = elements_at(index, owner.tensor, address);
  if (!at.decided || !at.first) return fmt::format("within {}; which of its elements takes too long to find out", name);
  const core::LayoutView layout = index.snapshot->layout(tensor);
  std::string text = name + index_text(layout, *at.first);
  const std::int64_t begins = core::bit_offset_of(layout, *at.first);
  const std::int64_t bytes = core::ceil_div(begins + layout.item_bits, 8) - core::floor_div(begins, 8);
  if (bytes > 1) text += fmt::format(", byte {} of {}", at.byte, bytes);
  if (!at.count) return text + "; other indices reach it, too many to count here";
  if (*at.count > 1) text += fmt::format("; {} it", counted(*at.count - 1, "more index reaches", "more indices reach"));
  return text;
}

Focus focus_on_owner(const SnapshotIndex& index, const ByteOwner& owner) {
  if (owner.kind == ByteOwner::Kind::nobody) return {};
  if (owner.kind == ByteOwner::Kind::element) return focus_on(index, owner.tensor, owner.element);
  return {.tensor = owner.tensor, .element = std::nullopt, .space = index.tensor(owner.tensor).space, .bytes = {}};
}

}  // namespace dlscope::app
