// AddressTerms: the parts of an element's address: data + byte_offset + index·stride for every axis.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

struct AddressTerm {
  int axis = 0;
  std::int64_t index = 0;
  std::int64_t stride_bits = 0;
  bool used = true;  // false: size 1, the index is always 0

  [[nodiscard]] std::int64_t bits() const { return used ? index * stride_bits : 0; }
};

struct AddressTerms {
  std::uint64_t element = 0;  // C-order number
  core::Address data = 0;
  std::uint64_t byte_offset = 0;
  core::Address address = 0;  // of the byte in which the element starts
  unsigned bit = 0;           // within that byte: nonzero only for packed types
  std::vector<AddressTerm> terms;
};

// The tensor must have a layout, and `element` must exist.
[[nodiscard]] AddressTerms address_terms(const core::Snapshot& snapshot, const core::TensorRecord& tensor, std::uint64_t element);

// "1·16 B", "3·4 bit".
[[nodiscard]] std::string term_text(const AddressTerm& term);

}  // namespace dlscope::app
