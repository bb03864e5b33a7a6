#include "app/models/layout/axis_mapping.h"

#include <algorithm>
#include <array>

namespace dlscope::app {
namespace {

struct Index {
  std::array<std::int64_t, core::kMaxRank> at{};

  Index(core::LayoutView layout, std::uint64_t element) { core::unravel(layout, element, {at.data(), layout.shape.size()}); }
  [[nodiscard]] std::int64_t& operator[](int axis) { return at[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] std::uint64_t flat(core::LayoutView layout) const {
    std::uint64_t number = 0;
    for (std::size_t d = 0; d < layout.shape.size(); ++d)
      number = number * static_cast<std::uint64_t>(layout.shape[d]) + static_cast<std::uint64_t>(at[d]);
    return number;
  }
};

struct Move {
  int axis = -1;
  bool forward = false, to_the_end = false;
};

Move move_of(core::LayoutView layout, const AxisMapping& mapping, FocusStep step) {
  const bool to_the_end = step >= FocusStep::top;
  switch (step) {
    case FocusStep::up:
    case FocusStep::top:
      return {mapping.row, false, to_the_end};
    case FocusStep::down:
    case FocusStep::bottom:
      return {mapping.row, true, to_the_end};
    case FocusStep::left:
    case FocusStep::leftmost:
      return {mapping.column, false, to_the_end};
    case FocusStep::right:
    case FocusStep::rightmost:
      return {mapping.column, true, to_the_end};
    case FocusStep::page_up:
    case FocusStep::first_page:
      return {paging_axis(layout, mapping), false, to_the_end};
    case FocusStep::page_down:
    case FocusStep::last_page:
      return {paging_axis(layout, mapping), true, to_the_end};
    case FocusStep::first:
    case FocusStep::last:
      break;  // they move along no single axis
  }
  return {};
}

// For a vector of n elements, `wrap` per row. Left and right continue in the adjacent row; a step to a missing element is
// ignored.
std::uint64_t stepped_in_rows(std::uint64_t n, std::uint64_t wrap, std::uint64_t element, FocusStep step) {
  const std::uint64_t row_begin = element / wrap * wrap, column = element - row_begin;
  switch (step) {
    case FocusStep::left:
      return element > 0 ? element - 1 : element;
    case FocusStep::right:
      return std::min(element + 1, n - 1);
    case FocusStep::up:
      return element >= wrap ? element - wrap : element;
    case FocusStep::down:
      return element + wrap < n ? element + wrap : element;
    case FocusStep::leftmost:
      return row_begin;
    case FocusStep::rightmost:
      return std::min(row_begin + wrap, n) - 1;
    case FocusStep::top:
      return column;
    case FocusStep::bottom:
      return column + (n - 1 - column) / wrap * wrap;
    default:
      return element;
  }
}

}  // namespace

bool on_axis_line(const AxisMapping& mapping, int axis, CellPlace through, CellPlace cell) {
  if (axis < 0) return false;
  if (mapping.wrap > 0) return axis == mapping.column;
  return (axis == mapping.row && cell.column == through.column) || (axis == mapping.column && cell.row == through.row);
}

std::string slice_text(const AxisMapping& mapping) {
  std::string text = "[";
  for (int d = 0; d < static_cast<int>(mapping.fixed.size()); ++d) {
    if (d > 0) text += ", ";
    text += d == mapping.row || d == mapping.column ? ":" : std::to_string(mapping.fixed[static_cast<std::size_t>(d)]);
  }
  return text + "]";
}

AxisMapping default_mapping(int rank) {
  return {.row = rank >= 2 ? rank - 2 : -1,
          .column = rank >= 1 ? rank - 1 : -1,
          .fixed = std::vector<std::int64_t>(static_cast<std::size_t>(rank), 0)};
}

CellPlace place_of(core::LayoutView layout, const AxisMapping& mapping, std::uint64_t element) {
  if (mapping.wrap > 0) return {.row = element / mapping.wrap, .column = element % mapping.wrap};
  Index index(layout, element);
  return {.row = mapping.row < 0 ? 0 : static_cast<std::uint64_t>(index[mapping.row]),
          .column = mapping.column < 0 ? 0 : static_cast<std::uint64_t>(index[mapping.column])};
}

bool show_element(core::LayoutView layout, AxisMapping& mapping, std::uint64_t element) {
  Index index(layout, element);
  bool moved = false;
  for (int d = 0; d < layout.rank(); ++d) {
    std::int64_t& fixed = mapping.fixed[static_cast<std::size_t>(d)];
    if (d == mapping.row || d == mapping.column || fixed == index[d]) continue;
    fixed = index[d];
    moved = true;
  }
  return moved;
}

UnwrappedCells unwrapped(core::LayoutView layout, const AxisMapping& mapping, CellPlace anchor, CellPlace head) {
  UnwrappedCells out{mapping, anchor, head};
  if (mapping.wrap == 0) return out;
  const auto last = static_cast<std::uint64_t>(layout.shape[0]) - 1;
  const auto flat = [&](CellPlace place) { return CellPlace{0, std::min(place.row * mapping.wrap + place.column, last)}; };
  out.mapping.wrap = 0;
  out.anchor = flat(anchor);
  out.head = flat(head);
  return out;
}

std::uint64_t wrap_that_fits(std::uint64_t fit) {
  if (fit < 10) return std::max<std::uint64_t>(fit, 1);
  return fit < 50 ? fit / 5 * 5 : fit / 10 * 10;
}

int paging_axis(core::LayoutView layout, const AxisMapping& mapping) {
  for (int d = layout.rank(); d-- > 0;) {
    if (d != mapping.row && d != mapping.column && layout.shape[static_cast<std::size_t>(d)] > 1) return d;
  }
  return -1;
}

std::uint64_t stepped(core::LayoutView layout, const AxisMapping& mapping, std::uint64_t element, FocusStep step) {
  if (step == FocusStep::first) return 0;
  if (step == FocusStep::last) {
    std::uint64_t elements = 1;
    for (const std::int64_t n : layout.shape) elements *= static_cast<std::uint64_t>(n);
    return elements - 1;
  }
  if (mapping.wrap > 0) return stepped_in_rows(static_cast<std::uint64_t>(layout.shape[0]), mapping.wrap, element, step);
  const Move move = move_of(layout, mapping, step);
  if (move.axis < 0 || move.axis >= layout.rank()) return element;
  Index index(layout, element);
  const std::int64_t last = layout.shape[static_cast<std::size_t>(move.axis)] - 1;
  std::int64_t& at = index[move.axis];
  if (move.to_the_end)
    at = move.forward ? last : 0;
  else
    at = std::clamp<std::int64_t>(at + (move.forward ? 1 : -1), 0, last);
  return index.flat(layout);
}

}  // namespace dlscope::app
