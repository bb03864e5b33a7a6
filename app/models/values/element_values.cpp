#include "app/models/values/element_values.h"

#include <utility>

#include "core/inventory/tensor_sign_bits.h"

namespace dlscope::app {
namespace {

constexpr std::uint32_t kMaxBits = 512;  // a wider element is not readable in a cell

}  // namespace

GridCell cell_of(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const core::ElementBytes& read,
                 std::size_t number, core::SignBits signs) {
  if (read.complete[number] == 0) return {.text = read.awaited() ? "…" : "?", .awaited = read.awaited()};
  if (tensor.item_bits > kMaxBits) return {.text = "…"};
  ElementText text = element_text(snapshot, tensor, read.of(number), read.bits[number], {}, signs);
  return {.text = std::move(text.text), .value_class = text.value_class, .readable = true};
}

void read_elements(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const core::MemoryReader& reader,
                   std::span<const std::uint64_t> elements, std::vector<GridCell>& out) {
  out.clear();
  if (tensor.item_bits > kMaxBits) {
    out.assign(elements.size(), GridCell{.text = "…"});
    return;
  }
  const core::LayoutView layout = snapshot.layout(tensor);
  const core::SignBits signs = sign_bits_of(snapshot, tensor);
  core::ElementBytes read;
  read.restart(tensor.item_bits, elements.size());
  for (const std::uint64_t element : elements) read.add(tensor.address, core::bit_offset_of(layout, element));
  read.read(reader);
  out.reserve(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) out.push_back(cell_of(snapshot, tensor, read, i, signs));
}

}  // namespace dlscope::app
