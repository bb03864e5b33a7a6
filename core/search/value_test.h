// ValueTest: whether an element is one of the values that somebody looks for. Made once for a dtype; the common dtypes are tested by
// their bits, a stretch at a time, at the speed of memory; everything else is decoded (core/tensor/element.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/search/value_search.h"
#include "core/tensor/dtype.h"

namespace dlscope::core {

// Whether values of this dtype can be special at all: integers cannot.
[[nodiscard]] bool can_be_special(DType dtype);

class ValueTest {
 public:
  // text: with `equal`, a number as Python writes it: "3", "-0.5", "1e-3", "nan", "inf", "True". Fails in words: no number, a dtype
  // that is not known, an integer that the dtype cannot hold, a complex or vector dtype with `equal`.
  [[nodiscard]] static Result<ValueTest> make(DType dtype, SearchedValue sought, std::string_view text = {});

  // One element, which begins `bit` bits into `piece`. Any lane counts, and either part of a complex value.
  [[nodiscard]] bool matches(std::span<const std::byte> piece, std::size_t bit) const;

  // Values (single lanes) that lie one after the other in `each` bytes; those of fewer than 8 bits in the low bits of a byte.
  struct Matches {
    std::uint64_t count = 0;
    std::uint64_t first = 0;  // with count > 0
  };
  [[nodiscard]] Matches in_stretch(std::span<const std::byte> values, std::size_t each) const;

 private:
  // How words are compared: a word w matches when low <= (w & mask) <= high (or when it does so for the second range).
  struct Range {
    std::uint64_t low = 1, high = 0;  // empty
  };
  ValueTest(DType dtype, SearchedValue sought) : dtype_(dtype), sought_(sought) {}
  void prepare_words();
  [[nodiscard]] Result<void> prepare_equal(std::string_view text);
  [[nodiscard]] bool value_matches(std::span<const std::byte> piece, std::size_t bit, unsigned lane) const;

  DType dtype_;
  SearchedValue sought_;
  double number_ = 0;                        // equal: a float
  unsigned word_bytes_ = 0;                  // 0: decode
  std::uint64_t mask_ = ~std::uint64_t{0};
  std::array<Range, 2> ranges_{};
};

}  // namespace dlscope::core
