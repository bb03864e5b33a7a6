#include "core/files/npy_descr.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace dlscope::core {
namespace {

std::string typestr(DType dtype) {
  const bool whole = dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
  const char* const order = dtype.bits == 8 ? "|" : "<";
  switch (static_cast<DTypeCode>(dtype.code)) {
    case DTypeCode::int_:
      return whole ? fmt::format("{}i{}", order, dtype.bits / 8) : "";
    case DTypeCode::uint:
      return whole ? fmt::format("{}u{}", order, dtype.bits / 8) : "";
    case DTypeCode::bool_:
      return dtype.bits == 8 ? "|b1" : "";
    case DTypeCode::float_:
      return whole && dtype.bits > 8 ? fmt::format("<f{}", dtype.bits / 8) : "";
    case DTypeCode::complex:
      return dtype.bits == 64 || dtype.bits == 128 ? fmt::format("<c{}", dtype.bits / 8) : "";
    default:
      return {};
  }
}

std::string typestr(const FieldLayout& field) {
  const char order = field.swapped ? '>' : '<';
  std::string number;
  switch (field.kind) {
    case ItemKind::number:
      number = typestr(field.dtype);
      if (field.swapped && number.starts_with('<')) number[0] = order;
      return number;
    case ItemKind::date:
    case ItemKind::duration: {
      const char code = field.kind == ItemKind::date ? 'M' : 'm';
      if (field.unit == DateUnit::generic) return fmt::format("{}{}8", order, code);
      const std::string multiple = field.multiple == 1 ? "" : fmt::to_string(field.multiple);
      return fmt::format("{}{}8[{}{}]", order, code, multiple, date_unit_name(field.unit));
    }
    case ItemKind::ucs4_text:
      return fmt::format("{}U{}", order, field.bytes / 4);
    case ItemKind::byte_text:
      return fmt::format("|S{}", field.bytes);
    case ItemKind::raw:
      return fmt::format("|V{}", field.bytes);
    case ItemKind::object:
      break;
  }
  return {};
}

std::string quoted(const std::string& text) { return text.empty() ? "" : "'" + text + "'"; }

// Written without escapes.
bool is_plain(const std::string& name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '\'' && c != '"' && c != '\\'; });
}

}  // namespace

std::string npy_descr(DType dtype) { return quoted(typestr(dtype)); }

std::string npy_descr(const ItemType& item) {
  if (item.fields.size() == 1 && item.fields[0].name.empty())
    return item.fields[0].layout.bytes == item.bytes ? quoted(typestr(item.fields[0].layout)) : std::string();
  if (item.fields.empty() || item.fields.size() >= kMaxItemFields) return {};
  std::string out;
  std::uint32_t at = 0;
  const auto pad_to = [&](std::uint32_t offset) {
    if (offset > at) out += fmt::format("('', '|V{}'), ", offset - at);
  };
  for (const auto& [name, field] : item.fields) {
    const std::string type = typestr(field);
    if (type.empty() || !is_plain(name) || field.offset < at) return {};
    pad_to(field.offset);
    const auto shape = std::span(field.shape).first(field.axes);
    out += fmt::format("('{}', '{}'{}), ", name, type, shape.empty() ? "" : fmt::format(", ({},)", fmt::join(shape, ", ")));
    at = field.offset + field.bytes * field.count;
  }
  if (at > item.bytes) return {};
  pad_to(item.bytes);
  out.resize(out.size() - 2);
  constexpr std::size_t kMaxDescr = 60'000;  // a header of version 1.0 has at most 65535 bytes
  return out.size() > kMaxDescr ? std::string() : "[" + out + "]";
}

}  // namespace dlscope::core
