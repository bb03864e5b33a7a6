#include "core/files/csv_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "core/tensor/element.h"

namespace dlscope::core {
namespace {

// The name comes from the user's program, so line breaks in it are replaced: they would end the comment.
std::string without_line_ends(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return out;
}

std::uint64_t product(std::span<const std::int64_t> shape) {
  std::uint64_t all = 1;
  for (const std::int64_t n : shape) all *= static_cast<std::uint64_t>(n);
  return all;
}

bool is_code(DType dtype, DTypeCode code) { return dtype.code == static_cast<std::uint8_t>(code); }

// The longest text of one value, with its separator.
unsigned characters_at_most(DType dtype) {
  if (is_code(dtype, DTypeCode::bool_)) return 6;
  if (is_code(dtype, DTypeCode::complex)) return dtype.bits > 64 ? 51 : 33;
  if (is_code(dtype, DTypeCode::int_) || is_code(dtype, DTypeCode::uint)) return dtype.bits * 3U / 10 + 3;
  return dtype.bits > 32 || dtype.bits <= 8 ? 25 : 16;  // 25 also for floats of 8 bits and fewer, which are written exactly
}

}  // namespace

std::uint64_t csv_bytes_at_most(DType dtype, LayoutView layout) {
  constexpr std::uint64_t kFirstLine = 1024, kIndex = 21;
  const std::size_t rank = layout.shape.size();
  const std::uint64_t comment = 10 + kIndex * rank, tables = rank < 3 ? 0 : product(layout.shape.first(rank - 2));
  std::uint64_t values = 0, comments = 0, all = 0;
  const bool too_many = __builtin_mul_overflow(product(layout.shape), std::uint64_t{characters_at_most(dtype)}, &values) ||
                        __builtin_mul_overflow(tables, comment, &comments) ||
                        __builtin_add_overflow(values, comments + kFirstLine, &all);
  return too_many ? ~std::uint64_t{0} : all;
}

CsvText::CsvText(std::string_view name, DType dtype, LayoutView layout)
    : name_(without_line_ends(name)),
      dtype_(dtype),
      layout_(layout),
      across_(layout.shape.size() < 2 ? 1 : static_cast<std::uint64_t>(layout.shape.back())),
      table_(layout.shape.size() < 3 ? 0 : product(layout.shape.last(2))) {}

std::string CsvText::first_line() const {
  return fmt::format("# {}, {}, shape ({}{})\n", name_, dtype_name(dtype_), fmt::join(layout_.shape, ", "),
                     layout_.shape.size() == 1 ? "," : "");
}

void CsvText::begin_value(std::string& out) {
  if (done_ % across_ != 0) {
    out += ',';
    return;
  }
  if (done_ > 0) out += '\n';
  if (table_ == 0 || done_ % table_ != 0) return;
  std::uint64_t at = done_ / table_;
  std::string index = ":, :]\n";
  for (std::size_t axis = layout_.shape.size() - 2; axis-- > 0;) {
    const auto size = static_cast<std::uint64_t>(layout_.shape[axis]);
    index.insert(0, fmt::format("{}, ", at % size));
    at /= size;
  }
  out += "# [" + index;
}

void CsvText::append(const std::byte* values, std::uint64_t count, std::string& out) {
  const std::size_t each = (dtype_.bits + 7U) / 8;
  const std::uint64_t all = product(layout_.shape);
  for (std::uint64_t i = 0; i < count; ++i) {
    begin_value(out);
    const Value value = decode_element(dtype_, {values + i * each, each}, 0);
    if (value.kind == ValueKind::boolean)
      out += value.as_unsigned != 0 ? "True" : "False";
    else
      out += format_value(dtype_, value);
    if (++done_ == all) out += '\n';
  }
}

}  // namespace dlscope::core
