// Numbers and layouts as a person reads them. Pure functions; the exact value always has a form of its own, for
// tooltips and for copying.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/address.h"
#include "core/tensor/layout.h"

namespace dlscope::app {

// The append_ forms write behind what `out` holds: texts of a frame use the same room again and allocate nothing.

// 48 -> "48 B", 1572864 -> "1.5 MiB".
void append_human_bytes(std::string& out, std::uint64_t bytes);
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);
// 1572864 -> "1 572 864 B".
[[nodiscard]] std::string exact_bytes(std::uint64_t bytes);
// 100000 -> "100 000".
void append_grouped(std::string& out, std::uint64_t number);
[[nodiscard]] std::string grouped(std::uint64_t number);
// "1 tensor", "14 tensors".
[[nodiscard]] std::string counted(std::uint64_t number, const char* singular, const char* plural);

// "0x5581 2e40 4a80": groups of four, for reading.
void append_grouped_address(std::string& out, core::Address address);
[[nodiscard]] std::string grouped_address(core::Address address);
// "0x55812e404a80": for copying.
// A distance in memory: "16 B", "-4 bit"; "> 2^60 B" for a capped stride.
[[nodiscard]] std::string distance_text(std::int64_t bits);
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
void append_index(std::string& out, core::LayoutView layout, std::uint64_t flat);
[[nodiscard]] std::string index_text(core::LayoutView layout, std::uint64_t flat);

// A text, or both its ends when what lies between was left out.
struct CutText {
  std::string_view front = {}, back = {};
  bool cut = false;

  void append_to(std::string& out) const;
  [[nodiscard]] std::string str() const;
};
// At most `most` code points, with an ellipsis in the middle.
[[nodiscard]] CutText cut_in_middle(std::string_view text, std::size_t most);
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

}  // namespace dlscope::app
