// Numbers and layouts as a person reads them. Pure functions; the exact value always has a form of its own, for
// tooltips and for copying.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/address.h"
#include "core/tensor/layout.h"

namespace dlscope::app {

// 48 -> "48 B", 1572864 -> "1.5 MiB".
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);
// 1572864 -> "1 572 864 B".
[[nodiscard]] std::string exact_bytes(std::uint64_t bytes);
// 100000 -> "100 000".
[[nodiscard]] std::string grouped(std::uint64_t number);
// "1 tensor", "14 tensors".
[[nodiscard]] std::string counted(std::uint64_t number, const char* singular, const char* plural);

// "0x5581 2e40 4a80": groups of four, for reading.
[[nodiscard]] std::string grouped_address(core::Address address);
// "0x55812e404a80": for copying.
[[nodiscard]] std::string plain_address(core::Address address);

// {3, 4} -> "3 × 4"; {} -> "scalar". Very long shapes are cut with an ellipsis after `most` axes.
[[nodiscard]] std::string shape_text(std::span<const std::int64_t> shape, std::size_t most = 8);
// In elements: "4, 1"; an axis that is no whole number of elements is shown in bytes ("10 B") or bits ("4 bit").
[[nodiscard]] std::string strides_text(core::LayoutView layout, std::size_t most = 8);
// In bytes: "16, 4"; bits where it is not whole bytes.
[[nodiscard]] std::string strides_bytes_text(core::LayoutView layout, std::size_t most = 8);
// "(3, 4)", "(3,)", "()": as Python writes tuples.
[[nodiscard]] std::string tuple_text(std::span<const std::int64_t> numbers);
// C-order element number as an index: "[1, 1]"; "[]" for a scalar.
[[nodiscard]] std::string index_text(core::LayoutView layout, std::uint64_t flat);

// At most `most` code points, with an ellipsis in the middle.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

}  // namespace dlscope::app
