// ValueTest: tests whether an element is one of the values searched for. Made once for a dtype. Values of nearly all dtypes are
// compared by their bits, many at a time (search_kernels.h); all others are decoded (core/tensor/element.h). thread: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/search/search_kernels.h"
#include "core/search/value_search.h"
#include "core/tensor/dtype.h"
#include "core/tensor/sign_bits.h"

namespace dlscope::core {

// Whether values of this dtype can be special; integers cannot.
[[nodiscard]] bool can_be_special(DType dtype);

class ValueTest {
 public:
  // text: with `equal`, a number as Python writes it: "3", "-0.5", "1e-3", "nan", "inf", "True", "1+2j". Fails when the text is not a
  // number, the dtype is unknown or cannot hold the integer, or, with `equal`, the dtype is a vector.
  // A complex number is equal to the text where both of its parts are, 0 to -0 too; "3" has the imaginary part 0. Unlike in NumPy, a part
  // that is typed as nan is equal to NaN: "nan+0j" finds those with a NaN real part and no imaginary one. "nan" alone finds, as for
  // the other classes, those of which either part is NaN.
  // signs: of the values that are tested. `text` is the value as the library means it; what is tested are the stored ones.
  [[nodiscard]] static Result<ValueTest> make(DType dtype, SearchedValue sought, std::string_view text = {}, SignBits signs = {});

  // Finds the items that are these bytes, which are not empty, from the first to the last: texts (core/tensor/typed_item.h).
  [[nodiscard]] static ValueTest of_item(std::vector<std::byte> item);

  // Tests the element that begins `bit` bits into `piece`: true if any of its lanes, or either part of a complex value, matches.
  [[nodiscard]] bool matches(std::span<const std::byte> piece, std::size_t bit) const;

  // Test contiguous values (single lanes) of `each` bytes; a value of fewer than 8 bits is in the low bits of its byte.
  [[nodiscard]] std::uint64_t count(std::span<const std::byte> values, std::size_t each) const;
  [[nodiscard]] std::optional<std::uint64_t> first(std::span<const std::byte> values, std::size_t each) const;
  // Whether one of them matches.
  [[nodiscard]] bool is_match(const std::byte* value, std::size_t each) const;

 private:
  ValueTest(DType dtype, SearchedValue sought, SignBits signs) : dtype_(dtype), signs_(signs), sought_(sought) {}
  void prepare_words();
  void prepare_bytes();
  [[nodiscard]] Result<void> prepare_equal(std::string_view text);
  [[nodiscard]] Result<void> prepare_float(std::string_view text);
  [[nodiscard]] Result<void> prepare_complex(std::string_view text);
  [[nodiscard]] Result<void> prepare_integer(std::string_view text);  // and bools; "True" and "False" count as 1 and 0
  [[nodiscard]] bool is_item(const std::byte* at) const;
  [[nodiscard]] bool value_matches(std::span<const std::byte> piece, std::size_t bit, unsigned lane) const;
  [[nodiscard]] bool by_words(std::size_t each) const;

  DType dtype_;
  SignBits signs_;  // they matter to `equal` only: what is special stays so with any sign
  SearchedValue sought_;
  std::array<double, 2> parts_{};         // with `equal` and a float or complex dtype: the value, as it is stored
  std::uint64_t lowest_ = 1, highest_ = 0;  // with `equal` and an integer or a bool: the bits of what is sought
  unsigned word_bytes_ = 0;               // 0: values have to be decoded
  bool each_part_ = false;                // with `equal` and a complex dtype: both parts have to match, each its own words
  std::array<WordRanges, 2> words_{};     // what matches; the second one for the second part
  std::vector<std::byte> item_;           // of_item()
};

}  // namespace dlscope::core
