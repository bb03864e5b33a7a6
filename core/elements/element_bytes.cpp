#include "core/elements/element_bytes.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/elements/memory_order.h"

namespace dlscope::core {

void ElementBytes::restart(std::uint32_t element_bits, std::size_t expected) {
  item_bits = element_bits;
  each = std::min((item_bits + 7) / 8 + (item_bits % 8 != 0 ? std::size_t{1} : 0), kMaxEach);
  addresses.clear();
  bits.clear();
  addresses.reserve(expected);
  bits.reserve(expected);
}

void ElementBytes::add(Address base, std::int64_t bit) {
  const std::int64_t byte = floor_div(bit, 8);
  addresses.push_back(base + static_cast<std::uint64_t>(byte));  // modular: negative offsets wrap back
  bits.push_back(static_cast<std::uint8_t>(bit - byte * 8));
}

void ElementBytes::add(LayoutView layout, Address base, std::uint64_t first, std::uint64_t count) {
  AffineAxes order;  // by C-order number
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    if (layout.shape[d] > 1) order.axes.push_back({layout.stride_bits[d], static_cast<std::uint64_t>(layout.shape[d])});
  }
  AffineCursor cursor(order, first, first + count);
  for (AffineRun run; cursor.next(run);) {
    for (std::uint64_t i = 0; i < run.count; ++i) add(base, run.first + run.step * static_cast<std::int64_t>(i));
  }
}

// Elements that lie one after another, in stretches of one length each; 1: anywhere.
std::size_t ElementBytes::stretch() const {
  if (each * 8 != item_bits) return 1;
  const auto follows = [&](std::size_t i) { return addresses[i] == addresses[i - 1] + each; };
  std::size_t length = 1;
  while (length < size() && follows(length)) ++length;
  if (length == 1 || size() % length != 0) return 1;
  for (std::size_t i = length; i < size(); ++i) {
    if (i % length != 0 && !follows(i)) return 1;
  }
  return length;
}

void ElementBytes::read(const MemoryReader& reader) {
  bytes.assign(size() * each, std::byte{0});
  complete.assign(size(), 0);
  status = MemoryReader::ReadStatus::fresh;
  if (addresses.empty()) return;
  const std::size_t length = stretch();
  if (length == 1) {
    reader.gather(addresses, each, bytes, complete);
  } else {
    starts_.clear();
    for (std::size_t i = 0; i < size(); i += length) starts_.push_back(addresses[i]);
    whole_.assign(starts_.size(), 0);
    reader.gather(starts_, each * length, bytes, whole_);
    for (std::size_t i = 0; i < size(); ++i) complete[i] = whole_[i / length];
  }
  status = reader.last_status();
  if (status != MemoryReader::ReadStatus::fresh) return;
  // A stretch of which a part cannot be read is read element by element; a packed element whose spare byte cannot be read, because it
  // lies beyond the last readable page, without it.
  const bool packed = item_bits % 8 != 0;
  std::vector<std::size_t> again;
  for (std::size_t i = 0; i < size(); ++i) {
    const bool hopeful = length > 1 || (packed && (bits[i] + std::size_t{item_bits} + 7) / 8 < each);
    if (complete[i] == 0 && hopeful) again.push_back(i);
  }
  if (!again.empty()) read_again(reader, packed ? each - 1 : each, again);
}

void ElementBytes::read_again(const MemoryReader& reader, std::size_t needed, std::span<const std::size_t> elements) {
  std::vector<Address> places;
  for (const std::size_t element : elements) places.push_back(addresses[element]);
  std::vector<std::byte> read(elements.size() * needed);
  std::vector<std::uint8_t> done(elements.size(), 0);
  reader.gather(places, needed, read, done);
  status = reader.last_status();
  for (std::size_t k = 0; k < elements.size(); ++k) {
    complete[elements[k]] = done[k];
    std::copy_n(read.begin() + static_cast<std::ptrdiff_t>(k * needed), needed,
                bytes.begin() + static_cast<std::ptrdiff_t>(elements[k] * each));
  }
}

}  // namespace dlscope::core
