#include "app/models/values/shown_values.h"

#include <algorithm>
#include <utility>

#include "app/models/focus/element_bytes.h"

namespace dlscope::app {

ShownValues ShownValues::of_tensor(const SnapshotIndex& index, std::uint32_t tensor) {
  return {.part = {index.snapshot, tensor}, .tensor = tensor};
}

std::optional<std::uint64_t> ShownValues::value_at(const Focus& focus) const {
  if (part.snapshot == nullptr || focus.tensor != tensor || !focus.element || values_per_element == 0) return std::nullopt;
  const std::uint64_t elements = record().elements;
  if (*focus.element >= elements / values_per_element) return std::nullopt;
  const std::uint64_t first = *focus.element * values_per_element;
  if (values_per_element == 1 || focus.bytes.empty()) return first;
  const core::Address begin = element_bytes(*part.snapshot, record(), first).begin;
  const std::uint64_t at = (focus.bytes.begin - begin) / std::max(layout_of_field.bytes, 1U);  // in front of it: a large number
  return at < values_per_element ? first + at : first;
}

Focus ShownValues::focus_on(std::uint64_t value) const {
  const core::TensorRecord& shown = record();
  if (!shown.has_layout || value >= shown.elements || values_per_element == 0)
    return {.tensor = tensor, .element = {}, .space = lit_space(shown), .bytes = {}};
  const core::ByteRange bytes = element_bytes(*part.snapshot, shown, value);
  return {.tensor = tensor, .element = value / values_per_element, .space = lit_space(shown), .bytes = bytes};
}

void FieldChoices::choose(const SnapshotIndex& index, std::uint32_t tensor, std::uint16_t field) {
  const core::Snapshot& snapshot = *index.snapshot;
  const core::TensorRecord& record = index.tensor(tensor);
  const std::string name(snapshot.name(record));
  std::erase_if(choices_, [&](const Choice& choice) { return choice.tensor == name; });
  const auto fields = core::fields_of(snapshot, record);
  if (field >= fields.size()) return;
  choices_.push_back({name, std::string(snapshot.str(fields[field].name)), field});
  if (choices_.size() > kMaxTensors) choices_.pop_front();
}

std::uint16_t FieldChoices::field_of(const SnapshotIndex& index, std::uint32_t tensor) const {
  const core::Snapshot& snapshot = *index.snapshot;
  const auto fields = core::fields_of(snapshot, index.tensor(tensor));
  if (fields.empty() || choices_.empty()) return core::kNone16;
  const auto choice = std::ranges::find(choices_, snapshot.name(index.tensor(tensor)), &Choice::tensor);
  if (choice == choices_.end()) return core::kNone16;
  const auto is_it = [&](const core::ItemFieldRecord& field) { return snapshot.str(field.name) == choice->field; };
  if (choice->number < fields.size() && is_it(fields[choice->number])) return choice->number;
  const auto found = std::ranges::find_if(fields, is_it);
  return found == fields.end() ? core::kNone16 : static_cast<std::uint16_t>(found - fields.begin());
}

const ShownValues& FieldChoices::shown(const IndexPtr& index, std::uint64_t generation, std::uint32_t selected) {
  if (!index || selected >= index->size()) {
    index_ = nullptr;
    return shown_ = {};
  }
  const std::uint16_t field = field_of(*index, selected);
  if (index == index_ && generation == generation_ && shown_.tensor == selected && shown_.field == field) return shown_;
  index_ = index;
  generation_ = generation;
  shown_ = ShownValues::of_tensor(*index, selected);
  if (field == core::kNone16) return shown_;
  auto part = core::part_view(index->snapshot, selected, field);
  if (!part) return shown_;  // a field without a layout: all of the tensor is shown
  const core::FieldLayout& layout = core::fields_of(*index->snapshot, index->tensor(selected))[field].layout;
  shown_.part = std::move(*part);
  shown_.field = field;
  shown_.layout_of_field = layout;
  shown_.values_per_element = layout.axes > 0 ? layout.count : 1;
  return shown_;
}

}  // namespace dlscope::app
