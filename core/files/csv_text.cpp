#include "core/files/csv_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/tensor/element.h"
#include "core/tensor/fields_text.h"

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

// Of one value of a field, as format_field() writes it.
std::uint64_t characters_at_most(const FieldLayout& field) {
  constexpr unsigned kTime = 64, kEscaped = 10, kEscapedByte = 4, kAround = 20;  // kAround: quotes, "0x", "True (byte 255)"
  switch (field.kind) {
    case ItemKind::number:
      return std::max(characters_at_most(field.dtype), 2 * field.bytes + kAround);
    case ItemKind::date:
    case ItemKind::duration:
      return kTime;
    case ItemKind::ucs4_text:
      return std::uint64_t{field.bytes} / 4 * kEscaped + kAround;
    case ItemKind::byte_text:
      return std::uint64_t{field.bytes} * kEscapedByte + kAround;
    case ItemKind::raw:
    case ItemKind::object:
      break;
  }
  return std::uint64_t{field.bytes} * 2 + kAround;
}

std::uint64_t characters_at_most(const ItemType& item) {
  constexpr unsigned kBrackets = 4, kComma = 2;
  std::uint64_t all = kBrackets + kComma;
  for (const ItemField& field : item.fields) {
    const std::uint64_t brackets = kBrackets * (1 + records_around(field.name));
    all += brackets + field.layout.count * (characters_at_most(field.layout) + kComma);
  }
  return all;
}

// The fields as Snapshot::item_text() writes them, none of them shortened.
std::string item_text(const ItemType& item, std::span<const std::byte> value) {
  const auto name_of = [](const ItemField& field) { return std::string_view(field.name); };
  return fields_text(item.fields, name_of, value, ItemText::whole);
}

std::string in_quotes_where_needed(std::string text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
  return '"' + text + '"';
}

}  // namespace

std::uint64_t csv_bytes_at_most(const CsvType& type, LayoutView layout) {
  constexpr std::uint64_t kFirstLine = 1024, kIndex = 21;
  const std::size_t rank = layout.shape.size();
  const std::uint64_t comment = 10 + kIndex * rank, tables = rank < 3 ? 0 : product(layout.shape.first(rank - 2));
  std::uint64_t values = 0, comments = 0, all = 0;
  const std::uint64_t each = type.item != nullptr ? characters_at_most(*type.item) : characters_at_most(type.dtype);
  const bool too_many = __builtin_mul_overflow(product(layout.shape), each, &values) ||
                        __builtin_mul_overflow(tables, comment, &comments) ||
                        __builtin_add_overflow(values, comments + kFirstLine + type.name.size(), &all);
  return too_many ? ~std::uint64_t{0} : all;
}

CsvText::CsvText(std::string_view name, CsvType type, LayoutView layout)
    : name_(without_line_ends(name)),
      type_(std::move(type)),
      layout_(layout),
      across_(layout.shape.size() < 2 ? 1 : static_cast<std::uint64_t>(layout.shape.back())),
      table_(layout.shape.size() < 3 ? 0 : product(layout.shape.last(2))) {}

std::string CsvText::first_line() const {
  return fmt::format("# {}, {}, shape ({}{})\n", name_, without_line_ends(type_.name), fmt::join(layout_.shape, ", "),
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

void CsvText::append_value(std::span<const std::byte> bytes, std::string& out) const {
  if (type_.item != nullptr) {
    out += in_quotes_where_needed(item_text(*type_.item, bytes));
    return;
  }
  const Value value = decode_element(type_.dtype, bytes, 0);
  if (value.kind == ValueKind::boolean)
    out += value.as_unsigned != 0 ? "True" : "False";
  else
    out += format_value(type_.dtype, value);
}

void CsvText::append(const std::byte* values, std::uint64_t count, std::string& out) {
  const std::size_t each = type_.item != nullptr ? type_.item->bytes : (type_.dtype.bits + 7U) / 8;
  const std::uint64_t all = product(layout_.shape);
  for (std::uint64_t i = 0; i < count; ++i) {
    begin_value(out);
    append_value({values + i * each, each}, out);
    if (++done_ == all) out += '\n';
  }
}

}  // namespace dlscope::core
