// CsvText: the values of a tensor as comma-separated lines; one line per row of the last axis. Lines that begin with # are
// comments: the first names the tensor, and with more than two axes one before each 2-D table gives its indices. Dates, texts and
// records are written as the window shows them, but whole, and in double quotes where they have a comma or such a quote.
// thread: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/tensor/dtype.h"
#include "core/tensor/item_type.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// A tensor whose text may be longer is refused.
inline constexpr std::uint64_t kMaxCsvBytes = std::uint64_t{4} << 30;

struct CsvType {
  std::string name;
  DType dtype = {};                // of the numbers
  const ItemType* item = nullptr;  // of values that are no numbers; borrowed
};

// An upper bound of the text's length.
[[nodiscard]] std::uint64_t csv_bytes_at_most(const CsvType& type, LayoutView layout);

class CsvText {
 public:
  // Borrows the layout's numbers.
  CsvText(std::string_view name, CsvType type, LayoutView layout);

  // The comment that names the tensor.
  [[nodiscard]] std::string first_line() const;
  // Appends the text of the next `count` values in C order to `out`. Each value takes a whole number of bytes in `values`, and
  // numbers are in this machine's byte order.
  void append(const std::byte* values, std::uint64_t count, std::string& out);

 private:
  void begin_value(std::string& out);
  void append_value(std::span<const std::byte> value, std::string& out) const;

  std::string name_;
  CsvType type_;
  LayoutView layout_;
  std::uint64_t across_, table_;  // values per line; per table
  std::uint64_t done_ = 0;
};

}  // namespace dlscope::core
