// Numbers and layouts as text for people. Pure functions; the exact value always has its own form, for tooltips and copying.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/address.h"
#include "core/tensor/layout.h"

namespace dlscope::app {

// The append_ forms append to `out`: texts drawn every frame reuse its memory and do not allocate.

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

// "0x5581 2e40 4a80": groups of four digits.
void append_grouped_address(std::string& out, core::Address address);
[[nodiscard]] std::string grouped_address(core::Address address);
// A distance in memory: "16 B", "-4 bit"; "> 2^60 B" for a capped stride.
[[nodiscard]] std::string distance_text(std::int64_t bits);
[[nodiscard]] std::string plain_address(core::Address address);  // "0x55812e404a80": for copying

// {3, 4} -> "3 × 4"; {} -> "scalar". Very long shapes are cut with an ellipsis after `most` axes.
[[nodiscard]] std::string shape_text(std::span<const std::int64_t> shape, std::size_t most = 8);
// In elements: "4, 1"; a stride that is not a whole number of elements is shown in bytes ("10 B") or bits ("4 bit").
[[nodiscard]] std::string strides_text(core::LayoutView layout, std::size_t most = 8);
// In bytes: "16, 4"; in bits where a stride is not whole bytes.
[[nodiscard]] std::string strides_bytes_text(core::LayoutView layout, std::size_t most = 8);
// "(3, 4)", "(3,)", "()": as Python writes tuples.
[[nodiscard]] std::string tuple_text(std::span<const std::int64_t> numbers);
// C-order element number as an index: "[1, 1]"; "[]" for a scalar.
void append_index(std::string& out, core::LayoutView layout, std::uint64_t flat);
[[nodiscard]] std::string index_text(core::LayoutView layout, std::uint64_t flat);

// A text, or its two ends when the middle was cut out.
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
