#include "app/models/values/value_grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "core/base/checked_math.h"

namespace dlscope::app {
namespace {

// Of a vector element only the first lanes are read: one may claim 65535 of them.
constexpr std::size_t kMostBytesPerCell = 256;

// Bytes to read for an element of that many bits: one more for a packed one, which may straddle two.
std::size_t bytes_each(std::uint32_t item_bits) {
  return std::min((item_bits + 7) / 8 + (item_bits % 8 != 0 ? std::size_t{1} : 0), kMostBytesPerCell);
}

std::string empty_words(std::span<const std::int64_t> shape) {
  const auto axis = std::ranges::find(shape, 0) - shape.begin();
  return fmt::format("It has no elements: axis {} has length 0.", axis);
}

// What was found when its memory was tried.
std::string why_unreadable(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  for (const core::RemarkRecord& remark : snapshot.slice(snapshot.remarks, tensor.remarks)) {
    if (remark.code == core::RemarkCode::extent_unreadable) return ": " + std::string(snapshot.str(remark.message));
  }
  return {};
}

}  // namespace

void read_without_spare_byte(const core::MemoryReader& reader, std::uint32_t item_bits, std::span<const core::Address> addresses,
                             std::span<const std::uint8_t> bits, std::size_t each, std::span<std::byte> bytes,
                             std::span<std::uint8_t> complete) {
  std::vector<std::size_t> again;
  std::vector<core::Address> places;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (complete[i] != 0 || (bits[i] + std::size_t{item_bits} + 7) / 8 >= each) continue;
    again.push_back(i);
    places.push_back(addresses[i]);
  }
  if (again.empty()) return;
  const std::size_t needed = each - 1;
  std::vector<std::byte> read(again.size() * needed);
  std::vector<std::uint8_t> done(again.size(), 0);
  reader.gather(places, needed, read, done);
  for (std::size_t k = 0; k < again.size(); ++k) {
    complete[again[k]] = done[k];
    std::copy_n(read.begin() + static_cast<std::ptrdiff_t>(k * needed), needed,
                bytes.begin() + static_cast<std::ptrdiff_t>(again[k] * each));
  }
}

const char* words_without_value(core::MemoryReader::Answer answer) {
  switch (answer) {
    case core::MemoryReader::Answer::not_yet:
      return "reading …";
    case core::MemoryReader::Answer::never:
      return "not readable: the memory does not answer";
    default:
      return "cannot be read";
  }
}

std::string ValueGrid::why_not(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  if (!tensor.has_metadata) return "No protocol described this tensor, so nothing is known about its bytes.";
  if (!tensor.has_layout) return "Its shape and strides are impossible, so its elements have no place.";
  if (tensor.elements == 0) return empty_words(snapshot.shape(tensor));
  if (tensor.space == core::kNoSpace)
    return "Its data pointer is a handle, not an address: only the library that made it can read it.";
  if (tensor.data == 0) return "Its data pointer is NULL.";
  if (tensor.space != core::kHostSpace) {
    const bool named = tensor.space < snapshot.spaces.size();
    return fmt::format("Its memory is on {}; dlscope reads host memory only so far.",
                       named ? "a device, " + std::string(snapshot.str(snapshot.spaces[tensor.space].name)) : "a device");
  }
  if (tensor.has_claimed_device && tensor.claimed_device != tensor.device)
    return "The object and its capsule name different devices, so nothing at this address is read.";
  if (!tensor.readable) return "Its memory cannot be read" + why_unreadable(snapshot, tensor) + ".";
  return {};
}

ValueGrid::ValueGrid(core::SnapshotPtr snapshot, std::uint32_t tensor, AxisMapping mapping)
    : snapshot_(std::move(snapshot)),
      tensor_(&snapshot_->tensors[tensor]),
      mapping_(std::move(mapping)),
      signs_(sign_bits_of(*snapshot_, *tensor_)) {
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

GridWindow ValueGrid::cut(GridWindow window) const {
  window.row = std::min(window.row, rows());
  window.column = std::min(window.column, columns());
  window.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(window.rows, rows() - window.row));
  window.columns = static_cast<std::uint32_t>(std::min<std::uint64_t>(window.columns, columns() - window.column));
  return window;
}

void ValueGrid::fetch(const core::MemoryReader& reader, GridWindow window, CellBytes& out) const {
  out.window = window = cut(window);
  out.each = bytes_each(tensor_->item_bits);
  const std::size_t count = window.cells();
  out.addresses.clear();
  out.bits.clear();
  for (std::uint32_t r = 0; r < window.rows; ++r) {
    for (std::uint32_t c = 0; c < window.columns; ++c) {
      const std::int64_t bit = bit_of(window.row + r, window.column + c);
      const std::int64_t byte = core::floor_div(bit, 8);
      out.addresses.push_back(tensor_->address + static_cast<std::uint64_t>(byte));
      out.bits.push_back(static_cast<std::uint8_t>(bit - byte * 8));
    }
  }
  out.bytes.assign(count * out.each, std::byte{0});
  out.complete.assign(count, 0);
  reader.gather(out.addresses, out.each, out.bytes, out.complete);
  out.answer = reader.last_answer();
  if (tensor_->item_bits % 8 != 0 && out.answer == core::MemoryReader::Answer::now)
    read_without_spare_byte(reader, tensor_->item_bits, out.addresses, out.bits, out.each, out.bytes, out.complete);
}

void ValueGrid::write(const CellBytes& fetched, NumberFormat format, std::vector<GridCell>& out) const {
  out.resize(fetched.window.cells());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].readable = fetched.complete[i] != 0;
    out[i].awaited = false;
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
  if (!ValueGrid::why_not(snapshot, tensor).empty() || element >= tensor.elements) return std::nullopt;
  const std::int64_t bit = core::bit_offset_of(snapshot.layout(tensor), element);
  const std::int64_t byte = core::floor_div(bit, 8);
  const auto within = static_cast<std::size_t>(bit - byte * 8);
  std::array<std::byte, kMostBytesPerCell> bytes{};
  const std::size_t needed = std::min((within + tensor.item_bits + 7) / 8, bytes.size());
  const std::span piece(bytes.data(), needed);
  if (reader.read(tensor.address + static_cast<core::Address>(byte), piece) != needed)
    return GridCell{.text = words_without_value(reader.last_answer()), .value_class = core::ValueClass::normal};
  ElementText written = element_text(snapshot, tensor, piece, within, format, sign_bits_of(snapshot, tensor));
  return GridCell{.text = std::move(written.text), .value_class = written.value_class, .readable = true};
}

}  // namespace dlscope::app
