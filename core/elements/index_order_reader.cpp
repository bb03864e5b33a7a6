#include "core/elements/index_order_reader.h"

#include <algorithm>

#include "core/base/checked_math.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kShortestStretch = 64;  // elements; shorter ones are cheaper gathered
constexpr std::uint64_t kPageBytes = 4096;

std::uint64_t trailing_dense_run(LayoutView layout) {
  std::uint64_t run = 1;
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    const auto length = static_cast<std::uint64_t>(layout.shape[d]);
    if (length > 1 && static_cast<std::uint64_t>(layout.stride_bits[d]) != run * layout.item_bits) break;
    run *= length;
  }
  return run;
}

}  // namespace

IndexOrderReader::IndexOrderReader(LayoutView layout, Address address, const MemoryReader& reader, std::size_t most_bytes)
    : layout_(layout), address_(address), reader_(reader), dense_run_(trailing_dense_run(layout)) {
  for (const std::int64_t length : layout.shape) elements_ *= static_cast<std::uint64_t>(length);
  packed_ = layout.item_bits % 8 != 0;
  each_ = std::min((layout.item_bits + 7) / 8 + (packed_ ? std::size_t{1} : 0), most_bytes);
  stretches_ = !packed_ && layout.item_bits / 8 == each_ && dense_run_ >= kShortestStretch;
}

void IndexOrderReader::gather(std::span<const std::int64_t> bit_offsets, ElementPieces& out) const {
  out.each = each_;
  out.addresses.clear();
  out.bits.clear();
  for (const std::int64_t bit : bit_offsets) {
    const std::int64_t byte = floor_div(bit, 8);
    out.addresses.push_back(address_ + static_cast<Address>(byte));  // modular: negative offsets wrap back
    out.bits.push_back(static_cast<std::uint8_t>(bit - byte * 8));
  }
  const std::size_t count = bit_offsets.size();
  out.bytes.assign(count * each_, std::byte{0});
  out.complete.assign(count, 0);
  reader_.gather(out.addresses, each_, out.bytes, out.complete);
  for (std::size_t i = 0; packed_ && i < count; ++i) {
    if (out.complete[i]) continue;  // the spare byte may lie beyond the last page: ask for the needed ones alone
    const std::size_t needed = std::min((out.bits[i] + std::size_t{layout_.item_bits} + 7) / 8, each_);
    out.complete[i] = reader_.read(out.addresses[i], std::span(out.bytes).subspan(i * each_, needed)) == needed ? 1 : 0;
  }
}

std::uint64_t IndexOrderReader::range(std::uint64_t first, std::uint64_t most, ElementPieces& out) const {
  most = std::min(most, elements_ - first);
  if (stretches_) {
    const std::uint64_t count = std::min(most, dense_run_ - first % dense_run_);
    out.each = each_;
    out.addresses.clear();
    out.bits.clear();
    out.bytes.resize(count * each_);
    const Address at = address_ + static_cast<Address>(bit_offset_of(layout_, first) / 8);
    const std::uint64_t whole = reader_.read(at, out.bytes) / each_;
    // A page that cannot be read ends the stretch; at its front the stretch is what begins in that page.
    const std::uint64_t in_page = ceil_div(kPageBytes - at % kPageBytes, std::uint64_t{each_});
    const std::uint64_t told = whole > 0 ? whole : std::min(count, in_page);
    out.complete.assign(told, whole > 0 ? 1 : 0);
    out.bytes.resize(told * each_);
    return told;
  }
  std::vector<std::int64_t> offsets(std::min(most, kGathered));
  for (std::uint64_t i = 0; i < offsets.size(); ++i) offsets[i] = bit_offset_of(layout_, first + i);
  gather(offsets, out);
  return offsets.size();
}

}  // namespace dlscope::core
