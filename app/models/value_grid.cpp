#include "app/models/value_grid.h"

#include <algorithm>
#include <cassert>

#include "core/base/checked_math.h"

namespace dlscope::app {
namespace {

using core::ValueClass;

// All lanes of one element: "1.0", or "(1.0, 2.0)". The class is the first remarkable one.
GridCell cell_of(core::DType dtype, std::span<const std::byte> bytes, std::size_t bit) {
  GridCell cell{.text = {}, .value_class = ValueClass::normal, .readable = true};
  for (unsigned lane = 0; lane < dtype.lanes; ++lane) {
    const core::Value value = core::decode_element(dtype, bytes, bit, lane);
    if (lane > 0) cell.text += ", ";
    cell.text += core::format_value(dtype, value);
    if (lane == 0 || cell.value_class == ValueClass::normal || cell.value_class == ValueClass::zero)
      cell.value_class = value.value_class;
  }
  if (dtype.lanes > 1) cell.text = "(" + cell.text + ")";
  return cell;
}

std::string python_word(const GridCell& cell) {
  if (!cell.readable) return "None";
  switch (cell.value_class) {
    case ValueClass::nan:
      return "float('nan')";
    case ValueClass::positive_infinity:
      return "float('inf')";
    case ValueClass::negative_infinity:
      return "float('-inf')";
    default:
      return cell.text;
  }
}

std::string c_word(const GridCell& cell) {
  if (!cell.readable) return "0 /* unreadable */";
  switch (cell.value_class) {
    case ValueClass::nan:
      return "NAN";
    case ValueClass::positive_infinity:
      return "INFINITY";
    case ValueClass::negative_infinity:
      return "-INFINITY";
    default:
      break;
  }
  if (cell.text == "True") return "true";
  return cell.text == "False" ? "false" : cell.text;
}

}  // namespace

AxisMapping default_mapping(int rank) {
  return {.row = rank >= 2 ? rank - 2 : -1,
          .column = rank >= 1 ? rank - 1 : -1,
          .fixed = std::vector<std::int64_t>(static_cast<std::size_t>(rank), 0)};
}

std::string ValueGrid::why_not(const core::Snapshot&, const core::TensorRecord& tensor) {
  if (!tensor.has_metadata) return "No protocol described this tensor, so nothing is known about its bytes.";
  if (!tensor.has_layout) return "Its shape and strides are impossible, so its elements have no place.";
  if (tensor.elements == 0) return "It has no elements.";
  if (tensor.data == 0) return "Its data pointer is NULL.";
  if (tensor.space != core::kHostSpace) return "Its memory is on a device; dlscope reads host memory only so far.";
  if (!tensor.readable) return "Its memory cannot be read: part of it is not mapped in the process.";
  return {};
}

ValueGrid::ValueGrid(core::SnapshotPtr snapshot, std::uint32_t tensor, AxisMapping mapping)
    : snapshot_(std::move(snapshot)), tensor_(&snapshot_->tensors[tensor]), mapping_(std::move(mapping)) {
  assert(tensor_->has_layout && mapping_.fixed.size() == tensor_->rank);
}

std::uint64_t ValueGrid::rows() const {
  return mapping_.row < 0 ? 1 : static_cast<std::uint64_t>(snapshot_->shape(*tensor_)[static_cast<std::size_t>(mapping_.row)]);
}

std::uint64_t ValueGrid::columns() const {
  return mapping_.column < 0 ? 1
                             : static_cast<std::uint64_t>(snapshot_->shape(*tensor_)[static_cast<std::size_t>(mapping_.column)]);
}

std::uint64_t ValueGrid::element(std::uint64_t row, std::uint64_t column) const {
  std::uint64_t flat = 0;
  const auto shape = snapshot_->shape(*tensor_);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const int a = static_cast<int>(axis);
    const std::uint64_t at = a == mapping_.row      ? row
                             : a == mapping_.column ? column
                                                    : static_cast<std::uint64_t>(mapping_.fixed[axis]);
    flat = flat * static_cast<std::uint64_t>(shape[axis]) + at;
  }
  return flat;
}

std::int64_t ValueGrid::bit_of(std::uint64_t row, std::uint64_t column) const {
  std::int64_t bit = 0;  // cannot overflow: the layout was validated
  const auto strides = snapshot_->stride_bits(*tensor_);
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

GridWindow ValueGrid::read(const core::MemoryReader& reader, GridWindow window, std::vector<GridCell>& out) const {
  window.row = std::min(window.row, rows());
  window.column = std::min(window.column, columns());
  window.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(window.rows, rows() - window.row));
  window.columns = static_cast<std::uint32_t>(std::min<std::uint64_t>(window.columns, columns() - window.column));
  const std::size_t count = std::size_t{window.rows} * window.columns;

  const bool packed = tensor_->item_bits % 8 != 0;
  const std::size_t each = (tensor_->item_bits + 7) / 8 + (packed ? 1 : 0);  // a packed element may straddle two bytes
  std::vector<core::Address> addresses;
  std::vector<std::size_t> bits;  // where in its piece an element starts
  addresses.reserve(count);
  bits.reserve(count);
  for (std::uint32_t r = 0; r < window.rows; ++r) {
    for (std::uint32_t c = 0; c < window.columns; ++c) {
      const std::int64_t bit = bit_of(window.row + r, window.column + c);
      const std::int64_t byte = core::floor_div(bit, 8);
      addresses.push_back(tensor_->address + static_cast<std::uint64_t>(byte));
      bits.push_back(static_cast<std::size_t>(bit - byte * 8));
    }
  }
  std::vector<std::byte> bytes(count * each);
  std::vector<std::uint8_t> complete(count, 0);
  reader.gather(addresses, each, bytes, complete);
  for (std::size_t i = 0; packed && i < count; ++i) {
    if (complete[i]) continue;  // the spare byte may lie beyond the last page: ask for the needed ones alone
    const std::size_t needed = (bits[i] + tensor_->item_bits + 7) / 8;
    complete[i] = reader.read(addresses[i], std::span(bytes).subspan(i * each, needed)) == needed ? 1 : 0;
  }
  out.clear();
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const std::byte> piece(bytes.data() + i * each, each);
    out.push_back(complete[i] ? cell_of(tensor_->dtype, piece, bits[i])
                              : GridCell{.text = "?", .value_class = ValueClass::normal, .readable = false});
  }
  return window;
}

std::string cells_as_text(const std::vector<GridCell>& cells, std::uint32_t columns, CopyFormat format) {
  const char* open = format == CopyFormat::python ? "[" : "{";
  const char* close = format == CopyFormat::python ? "]" : "}";
  std::string out = format == CopyFormat::csv ? "" : open;
  for (std::size_t at = 0; columns > 0 && at < cells.size(); at += columns) {
    if (at > 0) out += format == CopyFormat::csv ? "" : ",\n ";
    if (format != CopyFormat::csv) out += open;
    for (std::size_t c = at; c < std::min<std::size_t>(at + columns, cells.size()); ++c) {
      if (c > at) out += format == CopyFormat::csv ? "," : ", ";
      out += format == CopyFormat::python ? python_word(cells[c]) : format == CopyFormat::c ? c_word(cells[c]) : cells[c].text;
    }
    out += format == CopyFormat::csv ? "\n" : close;
  }
  return format == CopyFormat::csv ? out : out + close;
}

}  // namespace dlscope::app
