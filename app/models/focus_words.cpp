#include "app/models/focus_words.h"

#include <fmt/format.h>

#include "app/models/format.h"
#include "app/models/layout_words.h"
#include "app/models/sharing_words.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMostAlso = 3;
constexpr std::size_t kNameLength = 40;

// Looking for an element happens on the UI thread: layouts that need more work than this are left without an index.
core::OverlapBudget small_budget() {
  core::OverlapBudget budget;
  budget.window_bytes = 1u << 16;
  budget.scratch_bytes = 1u << 16;
  budget.work = 1'000'000;
  return budget;
}

std::string also_words(const SnapshotIndex& index, const Focus& focus, core::Address at) {
  std::string words;
  std::size_t named = 0;
  for (const std::uint32_t pair_id : index.pairs_of(focus.tensor)) {
    const core::PairRecord& pair = index.pair(pair_id);
    if (!shares_bytes(pair)) break;
    if (named == kMostAlso) return words + ", …";
    const std::uint32_t other = partner_of(pair, focus.tensor);
    const core::Snapshot& snapshot = *index.snapshot;
    const auto element = core::element_at(snapshot.memory_view(index.tensor(other)), at, small_budget());
    if (!element) continue;
    words += named++ == 0 ? "also " : ", ";
    words +=
        shortened(snapshot.name(index.tensor(other)), kNameLength) + index_text(snapshot.layout(index.tensor(other)), *element);
  }
  return words;
}

core::ByteRange element_bytes(const core::TensorRecord& tensor, const core::LayoutView& layout, std::uint64_t element) {
  const std::int64_t first = core::bit_offset_of(layout, element);
  const std::int64_t last = first + static_cast<std::int64_t>(layout.item_bits) + 7;
  return {tensor.address + static_cast<core::Address>(first >> 3), tensor.address + static_cast<core::Address>(last >> 3)};
}

}  // namespace

std::string focus_sentence(const SnapshotIndex& index, const Focus& focus) {
  if (!focus.on_tensor() || focus.tensor >= index.size()) return {};
  const core::Snapshot& snapshot = *index.snapshot;
  const core::TensorRecord& tensor = index.tensor(focus.tensor);
  const std::string name = shortened(snapshot.name(tensor), kNameLength);
  if (!tensor.has_layout) return name + ": not described";
  if (!focus.element) {
    std::string text = fmt::format("{}: {}", name, core::dtype_name(tensor.dtype) + " " + shape_text(snapshot.shape(tensor)));
    if (!tensor.extent.empty()) text += fmt::format(" at {}, {}", grouped_address(tensor.address), human_bytes(tensor.nbytes));
    const auto pairs = index.pairs_of(focus.tensor);
    if (!pairs.empty() && shares_bytes(index.pair(pairs.front()))) {
      text += "   " + relation_sentence(snapshot, index.pair(pairs.front()), focus.tensor);
    }
    return text;
  }
  const core::LayoutView layout = snapshot.layout(tensor);
  std::string text =
      fmt::format("{}{} → {}", name, index_text(layout, *focus.element), address_formula(snapshot, tensor, *focus.element));
  const auto at = tensor.address + static_cast<core::Address>(core::bit_offset_of(layout, *focus.element) >> 3);
  const std::string also = also_words(index, focus, at);
  return also.empty() ? text : text + "   " + also;
}

Focus focus_at(const SnapshotIndex& index, std::uint32_t id, core::Address address) {
  const core::TensorRecord& tensor = index.tensor(id);
  Focus focus{.tensor = id, .element = std::nullopt, .space = tensor.space, .bytes = {address, address + 1}};
  if (!tensor.has_layout || tensor.extent.empty()) return focus;
  const core::LayoutView layout = index.snapshot->layout(tensor);
  focus.element = core::element_at(index.snapshot->memory_view(tensor), address, small_budget());
  if (focus.element) focus.bytes = element_bytes(tensor, layout, *focus.element);
  return focus;
}

Focus focus_on(const SnapshotIndex& index, std::uint32_t id, std::uint64_t element) {
  const core::TensorRecord& tensor = index.tensor(id);
  Focus focus{.tensor = id, .element = std::nullopt, .space = tensor.space, .bytes = {}};
  if (!tensor.has_layout || element >= tensor.elements) return focus;
  focus.element = element;
  focus.bytes = element_bytes(tensor, index.snapshot->layout(tensor), element);
  return focus;
}

}  // namespace dlscope::app
