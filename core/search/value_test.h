// ValueTest: tests whether an element is one of the values searched for. Made once for a dtype. Values of the common dtypes are
// compared by their bits, many at a time, at memory speed; all others are decoded (core/tensor/element.h). thread: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/search/value_search.h"
#include "core/tensor/dtype.h"
#include "core/tensor/sign_bits.h"

namespace dlscope::core {

// Whether values of this dtype can be special; integers cannot.
[[nodiscard]] bool can_be_special(DType dtype);

// The words w of a float with low <= (w & mask) <= high.
struct PartWords {
  std::uint64_t mask = 0, low = 1, high = 1;
};

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
  // Calls found(index) for each match in turn, until it returns false. Returns how many values were passed, the last match
  // included.
  std::uint64_t each_match(std::span<const std::byte> values, std::size_t each,
                           const std::function<bool(std::uint64_t)>& found) const;

 private:
  // A word w matches if low <= (w & mask) <= high for one of the two ranges.
  struct Range {
    std::uint64_t low = 1, high = 0;  // empty
  };
  ValueTest(DType dtype, SearchedValue sought, SignBits signs) : dtype_(dtype), signs_(signs), sought_(sought) {}
  void prepare_words();
  [[nodiscard]] Result<void> prepare_equal(std::string_view text);
  [[nodiscard]] Result<void> prepare_float(std::string_view text);
  [[nodiscard]] Result<void> prepare_complex(std::string_view text);
  [[nodiscard]] Result<void> prepare_integer(std::string_view text);  // and bools; "True" and "False" count as 1 and 0
  [[nodiscard]] bool is_item(const std::byte* at) const;
  [[nodiscard]] bool value_matches(std::span<const std::byte> piece, std::size_t bit, unsigned lane) const;
  // Calls use() with what compares values of `each` bytes word by word; false: they have to be decoded.
  template <class Use>
  bool by_words(std::size_t each, const Use& use) const;

  DType dtype_;
  SignBits signs_;  // they matter to `equal` only: what is special stays so with any sign
  SearchedValue sought_;
  std::array<double, 2> parts_{};            // with `equal` and a float or complex dtype: the value, as it is stored
  std::array<PartWords, 2> part_words_{};    // with `equal` and a complex dtype: of each part
  unsigned word_bytes_ = 0;                  // 0: values have to be decoded
  std::uint64_t mask_ = ~std::uint64_t{0};
  std::array<Range, 2> ranges_{};
  std::array<bool, 256> byte_matches_{};  // of a dtype of at most 8 bits: whether this byte matches
  std::vector<std::byte> item_;           // of_item()
};

}  // namespace dlscope::core
