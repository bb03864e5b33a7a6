// Small layouts made by chance but always the same, and what is true of them by looking at every element: for tests of
// models that answer in closed form.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "core/tensor/layout.h"

namespace dlscope::tests {

// Up to four axes of up to five, strides of either sign, 0 and no whole number of elements; sometimes dense, sometimes
// axes of size 1. Never empty.
inline core::Layout random_layout(std::mt19937& chance) {
  const auto upto = [&](int n) { return static_cast<std::int64_t>(chance() % static_cast<unsigned>(n + 1)); };
  constexpr std::uint32_t kBits[] = {4, 8, 16, 32, 6};
  core::Layout layout{{}, {}, kBits[upto(4)]};
  const auto rank = static_cast<std::size_t>(upto(4));
  for (std::size_t d = 0; d < rank; ++d) layout.shape.push_back(1 + upto(4));
  if (upto(2) == 0) {
    layout = core::Layout::c_order(layout.shape, layout.item_bits);
    for (std::size_t d = rank; d-- > 1;) {  // its axes in some other order
      const auto other = static_cast<std::size_t>(upto(static_cast<int>(d)));
      std::swap(layout.shape[d], layout.shape[other]);
      std::swap(layout.stride_bits[d], layout.stride_bits[other]);
    }
    for (std::int64_t& stride : layout.stride_bits) stride *= upto(3) == 0 ? -1 : 1;
    return layout;
  }
  const std::int64_t unit = upto(1) == 0 ? layout.item_bits : 2;
  for (std::size_t d = 0; d < rank; ++d) layout.stride_bits.push_back((upto(20) - 8) * unit);
  return layout;
}

// The first bit of every element, in C order.
inline std::vector<std::int64_t> starts_of(const core::Layout& layout) {
  const std::uint64_t elements = core::validate(layout)->elements;
  std::vector<std::int64_t> out;
  for (std::uint64_t i = 0; i < elements; ++i) out.push_back(core::bit_offset_of(layout, i));
  return out;
}

}  // namespace dlscope::tests
