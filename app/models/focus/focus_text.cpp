#include "app/models/focus/focus_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/models/focus/element_bytes.h"
#include "app/models/jobs/budgets.h"
#include "app/models/layout/layout_text.h"
#include "app/models/tensors/sharing_text.h"
#include "app/models/tensors/size_text.h"
#include "app/models/text/element_description.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxAlso = 3, kMaxAlsoInFull = 12, kMaxAsked = 24;
constexpr std::size_t kShortName = 14;
constexpr std::size_t kNameLength = 40;

// Names, with indices, of other tensors that hold the byte; decides for at most `most` of them.
struct Also {
  std::string message, first;
  std::size_t named = 0;
  bool more = false;
};

Also also_text(const SnapshotIndex& index, const Focus& focus, core::Address at, std::size_t most) {
  Also also;
  std::size_t asked = 0;
  for (const std::uint32_t pair_id : index.pairs_of(focus.tensor)) {
    const core::PairRecord& pair = index.pair(pair_id);
    if (!shares_bytes(pair)) break;
    if (also.named == most || asked++ == kMaxAsked) {
      also.more = true;
      break;
    }
    const std::uint32_t other = partner_of(pair, focus.tensor);
    const core::Snapshot& snapshot = *index.snapshot;
    const auto element = core::element_at(snapshot.memory_view(index.tensor(other)), at, budget_per_frame());
    if (!element) continue;
    const std::string name = shortened_name(snapshot.name(index.tensor(other)), kNameLength);
    const std::string there = name + index_text(snapshot.layout(index.tensor(other)), *element);
    if (also.named == 0) also.first = there;
    also.message += (also.named++ == 0 ? "also " : ", ") + there;
  }
  if (also.more && also.named > 0) also.message += ", …";
  return also;
}

// " and 2 more" after `named` of `of` names; "" when all were named.
std::string and_more(std::size_t named, std::size_t of, bool uncounted) {
  if (uncounted) return " and more";
  return of > named ? fmt::format(" and {} more", of - named) : std::string();
}

// The tensors that a whole tensor shares bytes with: the sentence about the first, then forms with fewer and fewer names.
void add_partners(const SnapshotIndex& index, std::uint32_t id, FocusLine& line) {
  const core::Snapshot& snapshot = *index.snapshot;
  const auto pairs = index.pairs_of(id);
  std::size_t sharing = 0;
  while (sharing < pairs.size() && sharing <= kMaxAsked && shares_bytes(index.pair(pairs[sharing]))) ++sharing;
  if (sharing == 0) return;
  const bool uncounted = sharing > kMaxAsked;
  line.also = line.all_also = relation_sentence(snapshot, index.pair(pairs.front()), id);
  const auto name = [&](std::size_t i) {
    return shortened_name(snapshot.name(index.tensor(partner_of(index.pair(pairs[i]), id))), kShortName);
  };
  const std::size_t named = std::min(sharing, kMaxAlso);
  line.also_names = "shares bytes with " + name(0);
  for (std::size_t i = 1; i < named; ++i) line.also_names += ", " + name(i);
  line.also_names += and_more(named, sharing, uncounted);
  line.also_few = "shares with " + name(0) + and_more(1, sharing, uncounted);
  line.also_count = uncounted ? "shares bytes" : fmt::format("shares with {}", sharing);
}

// "x axis 1: size 4, stride 4 B (1 element)"
FocusLine axis_line(const SnapshotIndex& index, std::uint32_t id, const std::string& name, int axis) {
  const core::Snapshot& snapshot = *index.snapshot;
  const core::TensorRecord& tensor = index.tensor(id);
  const std::int64_t size = snapshot.shape(tensor)[static_cast<std::size_t>(axis)];
  return {.place = fmt::format("{} axis {}: size {}, {}", name, axis, size, stride_text(snapshot, tensor, axis))};
}

FocusLine tensor_line(const SnapshotIndex& index, std::uint32_t id, const std::string& name) {
  const core::Snapshot& snapshot = *index.snapshot;
  const core::TensorRecord& tensor = index.tensor(id);
  FocusLine line{.place = fmt::format("{}: {}, {}", name, snapshot.dtype_name(tensor), shape_in_words(snapshot.shape(tensor)))};
  if (has_place(tensor)) {
    line.address = "at " + grouped_address(tensor.address);
    line.formula = line.address + ", " + size_text(tensor);
  }
  add_partners(index, id, line);
  return line;
}

}  // namespace

FocusLine focus_line(const SnapshotIndex& index, const Focus& focus, std::string value) {
  if (!focus.on_tensor() || focus.tensor >= index.size()) return {};
  const core::Snapshot& snapshot = *index.snapshot;
  const core::TensorRecord& tensor = index.tensor(focus.tensor);
  const std::string name = shortened_name(snapshot.name(tensor), kNameLength);
  if (!tensor.has_layout) return {.place = name + ": not described"};
  if (focus.axis >= 0 && focus.axis < tensor.rank) return axis_line(index, focus.tensor, name, focus.axis);
  if (!focus.element || *focus.element >= tensor.elements) return tensor_line(index, focus.tensor, name);
  const core::LayoutView layout = snapshot.layout(tensor);
  const auto at = tensor.address + static_cast<core::Address>(core::bit_offset_of(layout, *focus.element) >> 3);
  if (core::is_copy_for_export(tensor)) return {.place = name + index_text(layout, *focus.element), .value = std::move(value)};
  FocusLine line{.place = name + index_text(layout, *focus.element),
                 .formula = address_formula(snapshot, tensor, *focus.element),
                 .address = grouped_address(at),
                 .value = std::move(value)};
  const Also few = also_text(index, focus, at, kMaxAlso);
  line.also = few.message;
  line.all_also = few.more ? also_text(index, focus, at, kMaxAlsoInFull).message : few.message;
  if (few.named > 0) {
    line.also_few = "also " + few.first + and_more(1, few.named, few.more);
    line.also_count = fmt::format("also {}{}", few.named, few.more ? " and more" : " more");
  }
  return line;
}

FocusLine fitted(const FocusLine& line, float room, float gap, const std::function<float(std::string_view)>& measure) {
  struct Level {
    const std::string FocusLine::*where;
    const std::string FocusLine::*also;
  };
  static const std::string FocusLine::*const kNothing = nullptr;
  const Level levels[] = {{&FocusLine::formula, &FocusLine::also},
                          {&FocusLine::address, &FocusLine::also},
                          {&FocusLine::address, &FocusLine::also_names},
                          {kNothing, &FocusLine::also},
                          {&FocusLine::address, &FocusLine::also_few},
                          {kNothing, &FocusLine::also_names},
                          {kNothing, &FocusLine::also_few},
                          {kNothing, &FocusLine::also_count},
                          {kNothing, kNothing}};
  const auto width = [&](const std::string& text) { return text.empty() ? 0.0F : measure(text) + gap; };
  FocusLine out{.place = line.place, .value = line.value};
  for (const Level& level : levels) {
    const std::string where = level.where != nullptr ? line.*level.where : std::string();
    const std::string also = level.also != nullptr ? line.*level.also : std::string();
    if (level.also != nullptr && also.empty() && !line.also.empty()) continue;  // no such short form
    if (width(line.place) + width(where) + width(line.value) + width(also) - gap > room) continue;
    out.formula = where;
    out.also = also;
    return out;
  }
  // Not even place and value fit: shorten the name, keep the index as long as possible.
  const std::size_t bracket = line.place.rfind('[');
  if (bracket != std::string::npos && bracket > 0)
    out.place = shortened_name(line.place.substr(0, bracket), kShortName) + line.place.substr(bracket);
  if (width(out.place) + width(out.value) - gap > room) out.value.clear();
  return out;
}

std::string whole_text(const FocusLine& line) {
  std::string text = line.place;
  if (!line.value.empty()) text += " = " + line.value;
  for (const std::string* part : {&line.formula, &line.all_also}) {
    if (!part->empty()) text += "\n" + *part;
  }
  return text;
}

std::string focus_sentence(const SnapshotIndex& index, const Focus& focus) {
  const FocusLine line = focus_line(index, focus);
  std::string text = line.place;
  if (!line.formula.empty()) text += (focus.element ? " → " : " ") + line.formula;
  if (!line.value.empty()) text += "   " + line.value;
  return line.also.empty() ? text : text + "   " + line.also;
}

Focus focus_at(const SnapshotIndex& index, std::uint32_t id, core::Address address) {
  const core::TensorRecord& tensor = index.tensor(id);
  Focus focus{.tensor = id, .element = std::nullopt, .space = lit_space(tensor), .bytes = {address, address + 1}};
  if (!tensor.has_layout || tensor.extent.empty()) return focus;
  focus.element = core::element_at(index.snapshot->memory_view(tensor), address, budget_per_frame());
  if (focus.element) focus.bytes = element_bytes(*index.snapshot, tensor, *focus.element);
  return focus;
}

Focus focus_on(const SnapshotIndex& index, std::uint32_t id, std::uint64_t element) {
  const core::TensorRecord& tensor = index.tensor(id);
  Focus focus{.tensor = id, .element = std::nullopt, .space = lit_space(tensor), .bytes = {}};
  if (!tensor.has_layout || element >= tensor.elements) return focus;
  focus.element = element;
  focus.bytes = element_bytes(*index.snapshot, tensor, element);
  return focus;
}

}  // namespace dlscope::app
