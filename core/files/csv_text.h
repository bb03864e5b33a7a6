// CsvText: values of a tensor as lines of text, the last axis across and every other axis down. Lines that begin with # are comments: the first
// says which tensor it is, and where there are more than two axes one in front of each table says which table it is.
// thread: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/tensor/dtype.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// More text than this is refused.
inline constexpr std::uint64_t kMostCsvBytes = std::uint64_t{4} << 30;

// How long the text may be, at most.
[[nodiscard]] std::uint64_t csv_bytes_at_most(DType dtype, LayoutView layout);

class CsvText {
 public:
  // The layout's numbers outlive it.
  CsvText(std::string_view name, DType dtype, LayoutView layout);

  // The comment that says what it is.
  [[nodiscard]] std::string first_line() const;
  // The next `count` values in C order, in as many whole bytes each as one needs, behind what `out` holds.
  void append(const std::byte* values, std::uint64_t count, std::string& out);

 private:
  void begin_value(std::string& out);

  std::string name_;
  DType dtype_;
  LayoutView layout_;
  std::uint64_t across_, table_;  // values of a line; of a table
  std::uint64_t done_ = 0;
};

}  // namespace dlscope::core
