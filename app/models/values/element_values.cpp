#include "app/models/values/element_values.h"

#include <utility>

#include "core/base/checked_math.h"

namespace dlscope::app {
namespace {

constexpr std::uint32_t kMostBits = 512;  // a wider element is no number anybody reads in a cell

}  // namespace

void read_elements(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const core::MemoryReader& reader,
                   std::span<const std::uint64_t> elements, std::vector<GridCell>& out) {
  out.clear();
  if (tensor.item_bits > kMostBits) {
    out.assign(elements.size(), GridCell{.text = "…"});
    return;
  }
  const core::LayoutView layout = snapshot.layout(tensor);
  // A packed element may straddle two bytes; the second one is asked for only where that is so, because it may lie beyond
  // the last readable page.
  const std::size_t each = (tensor.item_bits + 7) / 8 + (tensor.item_bits % 8 != 0 ? 1 : 0);
  const SignBits signs = sign_bits_of(snapshot, tensor);
  std::vector<core::Address> addresses;
  std::vector<std::uint8_t> bits;
  for (const std::uint64_t element : elements) {
    const std::int64_t bit = core::bit_offset_of(layout, element), byte = core::floor_div(bit, 8);
    addresses.push_back(tensor.address + static_cast<std::uint64_t>(byte));
    bits.push_back(static_cast<std::uint8_t>(bit - byte * 8));
  }
  std::vector<std::byte> bytes(elements.size() * each);
  std::vector<std::uint8_t> complete(elements.size(), 0);
  reader.gather(addresses, each, bytes, complete);
  const auto answer = reader.last_answer();
  if (tensor.item_bits % 8 != 0 && answer == core::MemoryReader::Answer::now)
    read_without_spare_byte(reader, tensor.item_bits, addresses, bits, each, bytes, complete);
  const bool awaited = answer == core::MemoryReader::Answer::not_yet;
  out.reserve(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::span<std::byte> piece(bytes.data() + i * each, each);
    if (!complete[i]) {
      out.push_back(GridCell{.text = awaited ? "…" : "?", .awaited = awaited});
      continue;
    }
    ElementText text = element_text(snapshot, tensor, piece, bits[i], {}, signs);
    out.push_back({.text = std::move(text.text), .value_class = text.value_class, .readable = true});
  }
}

}  // namespace dlscope::app
