#include "app/models/focus/go_to.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <expected>
#include <optional>
#include <vector>

#include "app/models/focus/focus_text.h"
#include "app/models/tensors/memory_place.h"
#include "app/models/text/address_text.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kNameLength = 40;
constexpr std::size_t kMaxDeep = 1000;  // tensors stacked too deep to draw that are looked at

Destination problem(std::string message) { return {.focus = {}, .problem = std::move(message), .field_value = {}}; }

// "3, 4", "3 4", with or without brackets of one kind around it; nullopt when it is anything else.
std::optional<std::vector<std::int64_t>> parse_index(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')')))
    text = trimmed(text.substr(1, text.size() - 2));
  std::vector<std::int64_t> numbers;
  while (!text.empty()) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || numbers.size() == static_cast<std::size_t>(core::kMaxRank)) return std::nullopt;
    numbers.push_back(number);
    const auto used = static_cast<std::size_t>(end - text.data());
    const std::string_view rest = trimmed(text.substr(used));
    if (!rest.empty() && rest.front() != ',' && rest.size() == text.size() - used) return std::nullopt;  // "3x"
    text = !rest.empty() && rest.front() == ',' ? trimmed(rest.substr(1)) : rest;
  }
  return numbers;
}

// In one space: a tensor with an element at the address, else one around it.
std::uint32_t tensor_in(const SnapshotIndex& index, const MapLane& lane, core::Address address) {
  const auto block = lane.block_at_address(address);
  if (!block) return core::kNone32;
  std::uint32_t around = core::kNone32;
  const auto has_element = [&](const MapTensor& bar) {
    if (!bar.extent.contains(address)) return false;
    if (around == core::kNone32) around = bar.tensor;
    return focus_at(index, bar.tensor, address).element.has_value();
  };
  for (std::uint32_t row = 0; row < lane.blocks[*block].rows; ++row) {
    const auto bars = index.map.row_of(lane.blocks[*block], row);
    const auto bar = std::ranges::upper_bound(bars, address, {}, [](const MapTensor& t) { return t.extent.end; });
    if (bar != bars.end() && has_element(*bar)) return bar->tensor;
  }
  // Those that are stacked too deep to draw may overlap each other: they are tried one by one.
  const auto deep = index.map.row_of(lane.blocks[*block], kMaxMapRows);
  for (const MapTensor& bar : deep.first(std::min(deep.size(), kMaxDeep))) {
    if (has_element(bar)) return bar.tensor;
  }
  return around;
}

// The tensor to show for an address: the selected one if it covers it, else one in the same memory, the host's or any other.
std::uint32_t tensor_at(const SnapshotIndex& index, std::uint32_t selected, core::Address address) {
  core::SpaceId preferred = core::kHostSpace;
  if (selected < index.size()) {
    const core::TensorRecord& tensor = index.tensor(selected);
    if (has_place(tensor) && tensor.extent.contains(address)) return selected;
    preferred = tensor.space;
  }
  std::vector<const MapLane*> lanes;
  for (const MapLane& lane : index.map.lanes) lanes.push_back(&lane);
  const auto place = [&](const MapLane* lane) { return lane->space == preferred ? 0 : lane->space == core::kHostSpace ? 1 : 2; };
  std::ranges::stable_sort(lanes, {}, place);
  for (const MapLane* const lane : lanes) {
    if (const std::uint32_t found = tensor_in(index, *lane, address); found != core::kNone32) return found;
  }
  return core::kNone32;
}

Destination to_address(const SnapshotIndex& index, std::uint32_t selected, core::Address address) {
  const std::uint32_t tensor = tensor_at(index, selected, address);
  if (tensor == core::kNone32) return problem("No listed tensor holds " + grouped_address(address) + ".");
  return {.focus = focus_at(index, tensor, address), .problem = {}, .field_value = {}};
}

// The C-order number of an element, or the sentence that says why there is none.
std::expected<std::uint64_t, std::string> number_of(std::span<const std::int64_t> shape, const std::vector<std::int64_t>& index,
                                                    const std::string& name) {
  std::uint64_t element = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) return std::unexpected(fmt::format("{} has no elements: axis {} has length 0.", name, axis));
    const std::int64_t at = index[axis] < 0 ? index[axis] + shape[axis] : index[axis];
    if (at < 0 || at >= shape[axis])
      return std::unexpected(
          fmt::format("Axis {} of {} goes from 0 to {}; {} is outside.", axis, name, shape[axis] - 1, index[axis]));
    element = element * static_cast<std::uint64_t>(shape[axis]) + static_cast<std::uint64_t>(at);
  }
  return element;
}

Destination to_index(const SnapshotIndex& index, std::uint32_t id, const std::vector<std::int64_t>& numbers,
                     std::span<const std::int64_t> field_shape) {
  const core::TensorRecord& tensor = index.tensor(id);
  const std::string name = shortened_name(index.snapshot->name(tensor), kNameLength);
  if (!tensor.has_layout) return problem(name + " has no shape that is known.");
  const auto shape = index.snapshot->shape(tensor);
  const std::string of_field = field_shape.size() > shape.size()
                                   ? fmt::format(", or {} for a value of the field", field_shape.size())
                                   : std::string();
  const bool in_field = field_shape.size() > shape.size() && numbers.size() == field_shape.size();
  if (numbers.size() != shape.size() && !in_field)
    return problem(fmt::format("{} has {}: give {}{}.", name, counted(shape.size(), "axis", "axes"),
                               counted(shape.size(), "number", "numbers"), of_field));
  const auto found = number_of(in_field ? field_shape : shape, numbers, in_field ? "the field" : name);
  if (!found) return problem(found.error());
  if (in_field) return {.focus = {}, .problem = {}, .field_value = *found};
  return {.focus = focus_on(index, id, *found), .problem = {}, .field_value = {}};
}

Destination to_number(const SnapshotIndex& index, std::uint32_t id, std::string_view digits) {
  std::uint64_t element = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), element);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
    return problem("After # comes the number of an element, as in #17.");
  const Focus focus = focus_on(index, id, element);
  if (!focus.element) return problem(fmt::format("There is no element number {}.", element));
  return {.focus = focus, .problem = {}, .field_value = {}};
}

}  // namespace

Destination go_to(const SnapshotIndex& index, std::uint32_t selected, std::string_view text,
                  std::span<const std::int64_t> field_shape) {
  text = trimmed(text);
  if (text.empty()) return problem("Type an index, an address or a name.");
  if (const auto address = parse_address(text)) return to_address(index, selected, *address);
  // Names before indices: "data[3]" may be a name.
  if (const auto named = index.find(text))
    return {.focus = focus_on(index, *named, core::kUnknown64), .problem = {}, .field_value = {}};
  const std::size_t bracket = text.rfind('[');
  if (bracket != std::string_view::npos && bracket > 0) {
    const auto named = index.find(trimmed(text.substr(0, bracket)));
    const auto numbers = parse_index(text.substr(bracket));
    if (named && numbers)
      return to_index(index, *named, *numbers, *named == selected ? field_shape : std::span<const std::int64_t>());
  }
  const auto numbers = parse_index(text);
  const bool by_number = text.front() == '#';
  if (!numbers && !by_number) return problem(fmt::format("There is no tensor called {}.", shortened(text, kNameLength)));
  if (selected == core::kNone32 || selected >= index.size()) return problem("Select a tensor first, or give its name.");
  return by_number ? to_number(index, selected, text.substr(1)) : to_index(index, selected, *numbers, field_shape);
}

}  // namespace dlscope::app
