#include "app/models/layout/address_terms.h"

#include <fmt/core.h>

#include <array>

#include "app/models/text/format.h"

namespace dlscope::app {

AddressTerms address_terms(const core::Snapshot& snapshot, const core::TensorRecord& tensor, std::uint64_t element) {
  const core::LayoutView layout = snapshot.layout(tensor);
  std::array<std::int64_t, core::kMaxRank> index{};
  core::unravel(layout, element, {index.data(), layout.shape.size()});
  AddressTerms out;
  out.element = element;
  out.data = tensor.data;
  out.byte_offset = tensor.byte_offset;
  std::int64_t bits = 0;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    out.terms.push_back({static_cast<int>(d), index[d], layout.stride_bits[d], layout.shape[d] != 1});
    bits += out.terms.back().bits();
  }
  out.address = tensor.address + static_cast<core::Address>(bits >> 3);
  out.bit = static_cast<unsigned>(bits & 7);
  return out;
}

std::string term_text(const AddressTerm& term) { return fmt::format("{}·{}", term.index, distance_text(term.stride_bits)); }

}  // namespace dlscope::app
