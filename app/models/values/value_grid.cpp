#include "app/models/values/value_grid.h"

#include <algorithm>
#include <cassert>

#include "app/models/tensors/unreadable_values.h"
#include "core/base/checked_math.h"
#include "core/inventory/tensor_sign_bits.h"

namespace dlscope::app {

const char* text_without_value(core::MemoryReader::ReadStatus status) {
  switch (status) {
    case core::MemoryReader::ReadStatus::pending:
      return "reading …";
    case core::MemoryReader::ReadStatus::hung:
      return "not readable: the memory does not answer";
    case core::MemoryReader::ReadStatus::skipped:
      return "not read: other memory does not answer";
    default:
      return "cannot be read";
  }
}

ValueGrid::ValueGrid(core::SnapshotPtr snapshot, std::uint32_t tensor, AxisMapping mapping)
    : snapshot_(std::move(snapshot)),
      tensor_(&snapshot_->tensors[tensor]),
      mapping_(std::move(mapping)),
      shown_(snapshot_->layout(*tensor_), mapping_.slice),
      elements_(shown_.elements()),
      signs_(sign_bits_of(*snapshot_, *tensor_)) {
  assert(tensor_->has_layout && mapping_.fixed.size() == tensor_->rank);
}

std::uint64_t ValueGrid::rows() const {
  if (mapping_.wrap > 0) return (elements_ + mapping_.wrap - 1) / mapping_.wrap;
  return mapping_.row < 0 ? 1 : static_cast<std::uint64_t>(shown_.layout().shape[static_cast<std::size_t>(mapping_.row)]);
}

std::uint64_t ValueGrid::columns() const {
  if (mapping_.wrap > 0) return std::min(mapping_.wrap, elements_);
  return mapping_.column < 0 ? 1 : static_cast<std::uint64_t>(shown_.layout().shape[static_cast<std::size_t>(mapping_.column)]);
}

std::uint64_t ValueGrid::element(std::uint64_t row, std::uint64_t column) const {
  if (mapping_.wrap > 0) return shown_.in_tensor(row * mapping_.wrap + column);
  std::uint64_t flat = 0;
  const auto shape = shown_.layout().shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const int a = static_cast<int>(axis);
    const std::uint64_t at = a == mapping_.row      ? row
                             : a == mapping_.column ? column
                                                    : static_cast<std::uint64_t>(mapping_.fixed[axis]);
    flat = flat * static_cast<std::uint64_t>(shape[axis]) + at;
  }
  return mapping_.slice.empty() ? flat : shown_.in_tensor(flat);
}

std::optional<CellPlace> ValueGrid::place(std::uint64_t element) const {
  const auto shown = shown_.in_slice(element);
  return shown ? std::optional(place_of(shown_.layout(), mapping_, *shown)) : std::nullopt;
}

std::uint64_t ValueGrid::stepped(std::uint64_t element, FocusStep step) const {
  const auto shown = shown_.in_slice(element);
  return shown ? shown_.in_tensor(app::stepped(shown_.layout(), mapping_, *shown, step)) : element;
}

std::int64_t ValueGrid::row_index(std::uint64_t row) const {
  if (mapping_.wrap > 0) return shown_.index(0, static_cast<std::int64_t>(row * mapping_.wrap));
  return mapping_.row < 0 ? 0 : shown_.index(mapping_.row, static_cast<std::int64_t>(row));
}

std::int64_t ValueGrid::column_index(std::uint64_t column) const {
  if (mapping_.wrap > 0) return shown_.step(0) * static_cast<std::int64_t>(column);
  return mapping_.column < 0 ? 0 : shown_.index(mapping_.column, static_cast<std::int64_t>(column));
}

std::int64_t ValueGrid::bit_of(std::uint64_t row, std::uint64_t column) const {
  std::int64_t bit = shown_.offset_bits();  // cannot overflow: the layout is validated
  const auto strides = shown_.layout().stride_bits;
  if (mapping_.wrap > 0) return bit + static_cast<std::int64_t>(row * mapping_.wrap + column) * strides[0];
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    const int a = static_cast<int>(axis);
    const std::int64_t at = a == mapping_.row      ? static_cast<std::int64_t>(row)
                            : a == mapping_.column ? static_cast<std::int64_t>(column)
                                                   : mapping_.fixed[axis];
    bit += at * strides[axis];
  }
  return bit;
}

core::ByteRange ValueGrid::bytes(std::uint64_t row, std::uint64_t column) const {
  const std::int64_t bit = bit_of(row, column);
  const auto first = static_cast<std::uint64_t>(core::floor_div(bit, 8));
  const auto last = static_cast<std::uint64_t>(core::ceil_div(bit + tensor_->item_bits, 8));
  return {tensor_->address + first, tensor_->address + last};  // modular arithmetic: negative offsets wrap back
}

GridWindow ValueGrid::cut(GridWindow window) const {
  window.row = std::min(window.row, rows());
  window.column = std::min(window.column, columns());
  window.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(window.rows, rows() - window.row));
  window.columns = static_cast<std::uint32_t>(std::min<std::uint64_t>(window.columns, columns() - window.column));
  return window;
}

void ValueGrid::fetch(const core::MemoryReader& reader, GridWindow window, CellBytes& out) const {
  out.window = window = cut(window);
  out.restart(tensor_->item_bits);
  for (std::uint32_t r = 0; r < window.rows; ++r) {
    for (std::uint32_t c = 0; c < window.columns; ++c) {
      const bool there = has(window.row + r, window.column + c);  // else read the row's first element in its place
      out.add(tensor_->address, bit_of(window.row + r, there ? window.column + c : 0));
    }
  }
  out.read(reader);
  for (std::size_t i = 0; mapping_.wrap > 0 && i < window.cells(); ++i) {
    if (!has(window.row + i / window.columns, window.column + i % window.columns)) out.complete[i] = 0;
  }
}

void ValueGrid::write(const CellBytes& fetched, NumberFormat format, std::vector<GridCell>& out) const {
  out.resize(fetched.window.cells());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].readable = fetched.complete[i] != 0;
    out[i].awaited = false;
    if (!has(fetched.window.row + i / fetched.window.columns, fetched.window.column + i % fetched.window.columns)) {
      out[i] = {};
      continue;
    }
    if (!out[i].readable) {
      out[i].text = fetched.awaited() ? "…" : "?";
      out[i].awaited = fetched.awaited();
      out[i].value_class = core::ValueClass::normal;
      continue;
    }
    ElementText written = element_text(*snapshot_, *tensor_, fetched.of(i), fetched.bits[i], format, signs_);
    out[i].text = std::move(written.text);
    out[i].value_class = written.value_class;
  }
}

GridWindow ValueGrid::read(const core::MemoryReader& reader, GridWindow window, std::vector<GridCell>& out) const {
  CellBytes fetched;
  fetch(reader, window, fetched);
  write(fetched, {}, out);
  return fetched.window;
}

std::optional<GridCell> read_element(const core::Snapshot& snapshot, const core::TensorRecord& tensor, std::uint64_t element,
                                     const core::MemoryReader& reader, NumberFormat format) {
  if (!why_no_values(snapshot, tensor).empty() || element >= tensor.elements) return std::nullopt;
  core::ElementBytes read;
  read.restart(tensor.item_bits);
  read.add(tensor.address, core::bit_offset_of(snapshot.layout(tensor), element));
  read.read(reader);
  if (read.complete[0] == 0) return GridCell{.text = text_without_value(read.status), .value_class = core::ValueClass::normal};
  ElementText written = element_text(snapshot, tensor, read.of(0), read.bits[0], format, sign_bits_of(snapshot, tensor));
  return GridCell{.text = std::move(written.text), .value_class = written.value_class, .readable = true};
}

}  // namespace dlscope::app
