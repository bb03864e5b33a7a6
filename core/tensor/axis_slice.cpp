#include "core/tensor/axis_slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace dlscope::core {
namespace {

// The first and the last index are of the axis. `size` is not negative.
bool fits(const AxisSlice& slice, std::int64_t size) {
  if (slice.count < 0 || slice.count > size) return false;
  if (slice.step != 0 && slice.count == 0) return slice.start >= 0 && slice.start <= size;
  if (slice.start < 0 || slice.start >= size) return false;
  if (slice.step == 0) return slice.count == 1;
  std::int64_t way = 0, last = 0;
  return !__builtin_mul_overflow(slice.count - 1, slice.step, &way) && !__builtin_add_overflow(slice.start, way, &last) &&
         last >= 0 && last < size;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Result<std::int64_t> read_index(std::string_view text) {
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size() && !digits.empty()) return value;
  return fail(ErrorKind::invalid, fmt::format("“{}” is not a whole number", text));
}

Result<std::optional<std::int64_t>> read_bound(std::string_view text) {
  const std::string_view one = trimmed(text);
  if (one.empty()) return std::optional<std::int64_t>();
  const auto value = read_index(one);
  if (!value) return std::unexpected(value.error());
  return std::optional(*value);
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(at);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// As Python's slice.indices().
Result<AxisSlice> read_range(std::string_view text, std::uint32_t axis, std::int64_t size) {
  const auto parts = split(text, ':');
  if (parts.size() > 3) return fail(ErrorKind::invalid, fmt::format("“{}” has more than two colons", text));
  std::optional<std::int64_t> bound[3];
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto read = read_bound(parts[i]);
    if (!read) return std::unexpected(read.error());
    bound[i] = *read;
  }
  const std::int64_t step = bound[2].value_or(1);
  constexpr std::int64_t kMost = std::int64_t{1} << 62;  // more than any axis has
  if (step == 0 || step > kMost || step < -kMost) return fail(ErrorKind::invalid, fmt::format("a step of {} is no step", step));
  const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const auto clamped = [&](std::optional<std::int64_t> value, std::int64_t otherwise) {
    if (!value) return otherwise;
    return *value < 0 ? std::max(low, *value < -size ? low : *value + size) : std::min(high, *value);
  };
  const std::int64_t start = clamped(bound[0], step > 0 ? low : high), stop = clamped(bound[1], step > 0 ? high : low);
  const std::int64_t way = step > 0 ? stop - start : start - stop, stride = step > 0 ? step : -step;
  const std::int64_t count = way <= 0 ? 0 : (way - 1) / stride + 1;
  if (count == 0) return AxisSlice{axis, 0, 0, 1};
  return AxisSlice{axis, start, count, count == 1 ? 1 : step};
}

Result<AxisSlice> read_item(std::string_view text, std::uint32_t axis, std::int64_t size) {
  if (text.find(':') != std::string_view::npos) return read_range(text, axis, size);
  const auto index = read_index(text);
  if (!index) return std::unexpected(index.error());
  if (*index < -size || *index >= size)
    return fail(ErrorKind::invalid, fmt::format("index {} is outside axis {}, which has {}", *index, axis, size));
  return AxisSlice{axis, *index < 0 ? *index + size : *index, 1, 0};
}

bool is_whole(const AxisSlice& slice, std::int64_t size) { return slice.start == 0 && slice.count == size && slice.step == 1; }

std::string text_of_axis(const AxisSlice& slice, std::int64_t size) {
  if (slice.step == 0) return std::to_string(slice.start);
  if (slice.count == 0) return "0:0";
  // The last index decides where it may stop: one further, and nothing where that is before the axis begins.
  const std::int64_t last = slice.start + (slice.count - 1) * slice.step, stop = slice.step > 0 ? last + 1 : last - 1;
  const bool to_end = slice.step > 0 ? size - last <= slice.step : last + slice.step < 0;
  const bool from_begin = slice.start == (slice.step > 0 ? 0 : size - 1);
  std::string text = from_begin ? "" : std::to_string(slice.start);
  text += ':';
  if (!to_end) text += std::to_string(stop);
  if (slice.step != 1) text += fmt::format(":{}", slice.step);
  return text;
}

}  // namespace

Result<SlicedLayout> slice_layout(LayoutView whole, std::span<const AxisSlice> slice) {
  std::vector<const AxisSlice*> of_axis(whole.shape.size(), nullptr);
  bool empty = false;
  for (const AxisSlice& one : slice) {
    if (one.axis >= of_axis.size() || of_axis[one.axis] != nullptr)
      return fail(ErrorKind::invalid, fmt::format("the slice names axis {} {}", one.axis,
                                                  one.axis >= of_axis.size() ? "of a tensor that has fewer" : "twice"));
    if (!fits(one, whole.shape[one.axis]))
      return fail(ErrorKind::invalid,
                  fmt::format("the slice goes beyond axis {}, which has {}", one.axis, whole.shape[one.axis]));
    of_axis[one.axis] = &one;
    empty = empty || one.count == 0;
  }
  SlicedLayout out;
  for (std::size_t axis = 0; axis < of_axis.size(); ++axis) {
    const AxisSlice* const one = of_axis[axis];
    empty = empty || whole.shape[axis] == 0;
    if (one != nullptr && whole.shape[axis] > 1) out.offset_bits += one->start * whole.stride_bits[axis];
    if (one != nullptr && one->step == 0) continue;
    out.shape.push_back(one != nullptr ? one->count : whole.shape[axis]);
    const std::int64_t step = one != nullptr && one->count > 1 ? one->step : 1;
    out.stride_bits.push_back(step * whole.stride_bits[axis]);
  }
  if (empty) out.offset_bits = 0;
  return out;
}

std::string slice_expression(std::string_view subject, std::span<const std::int64_t> shape, std::span<const AxisSlice> slice) {
  std::vector<std::string> items(shape.size(), ":");
  std::size_t last = 0;  // one past the last axis of which not everything is taken
  for (const AxisSlice& one : slice) {
    if (one.axis >= items.size() || is_whole(one, shape[one.axis])) continue;
    items[one.axis] = text_of_axis(one, shape[one.axis]);
    last = std::max<std::size_t>(last, one.axis + 1);
  }
  if (last == 0) return std::string(subject);
  std::string text;
  for (std::size_t axis = 0; axis < last; ++axis) text += (axis == 0 ? "" : ", ") + items[axis];
  return fmt::format("{}[{}]", subject, text);
}

Result<std::vector<AxisSlice>> read_slice(std::string_view text, std::span<const std::int64_t> shape) {
  text = trimmed(text);
  if (text.starts_with('[') && text.ends_with(']')) text = trimmed(text.substr(1, text.size() - 2));
  std::vector<AxisSlice> slice;
  if (text.empty()) return slice;
  auto items = split(text, ',');
  if (items.size() > 1 && items.back().empty()) items.pop_back();  // as in x[1,]
  const auto dots = std::ranges::count(items, std::string_view("..."));
  if (dots > 1) return fail(ErrorKind::invalid, "there is more than one “...”");
  const std::size_t named = items.size() - static_cast<std::size_t>(dots);
  if (named > shape.size())
    return fail(ErrorKind::invalid, fmt::format("there are {} indices for {} axes", named, shape.size()));
  std::size_t axis = 0;
  for (const std::string_view item : items) {
    if (item == "...") {
      axis += shape.size() - named;
      continue;
    }
    const auto one = read_item(item, static_cast<std::uint32_t>(axis), shape[axis]);
    if (!one) return std::unexpected(one.error());
    if (!is_whole(*one, shape[axis])) slice.push_back(*one);
    ++axis;
  }
  return slice;
}

}  // namespace dlscope::core
