#include "core/tensor/item_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor/dtype_format.h"

namespace dlscope::core {
namespace {

constexpr bool kLittle = std::endian::native == std::endian::little;
constexpr int kDeepest = 16;  // nested records

std::unexpected<Error> unknown(std::string_view what) {
  return fail(ErrorKind::unsupported, fmt::format("'{}' is not a known description of an element", what));
}

bool is_foreign(char order) { return order == (kLittle ? '>' : '<') || (order == '!' && kLittle); }

// Parses one struct-module format from left to right.
class FormatParser {
 public:
  // aligned: every value lies where C would put it, whatever the format says.
  explicit FormatParser(std::string_view format, bool aligned = false) : format_(format), aligned_(aligned) {}

  struct Record {
    std::vector<ItemMember> members;
    std::uint32_t bytes = 0;
    std::uint32_t alignment = 1;
    // '<' or '>' stands before every value, as ctypes writes it; NumPy writes an order only where it changes.
    bool each_has_order = true;
    bool lacks_only_bytes = true;  // those without are "B", as ctypes writes unions and structures with _pack_
    bool any_has_order = false;
    void add_orders(const Record& of) {
      each_has_order = each_has_order && of.each_has_order;
      lacks_only_bytes = lacks_only_bytes && of.lacks_only_bytes;
      any_has_order = any_has_order || of.any_has_order;
    }
  };

  [[nodiscard]] std::optional<Record> whole() {
    auto record = members(0);
    if (record && aligned_) record->bytes = rounded_up(record->bytes, record->alignment);
    return record && at_ == format_.size() ? record : std::nullopt;
  }

 private:
  [[nodiscard]] bool done() const { return at_ >= format_.size(); }
  [[nodiscard]] char peek() const { return done() ? '\0' : format_[at_]; }

  [[nodiscard]] std::optional<std::uint32_t> number() {
    std::uint32_t value = 0;
    const char* const begin = format_.data() + at_;
    const auto parsed = std::from_chars(begin, format_.data() + format_.size(), value);
    if (parsed.ec != std::errc{} || value > kMaxItemBytes) return std::nullopt;
    at_ += static_cast<std::size_t>(parsed.ptr - begin);
    return value;
  }

  // "(2,3)"
  [[nodiscard]] bool shape(std::vector<std::uint32_t>& out) {
    if (peek() != '(') return true;
    ++at_;
    while (!done() && peek() != ')') {
      const auto n = number();
      if (!n || out.size() >= 32) return false;
      out.push_back(*n);
      if (peek() == ',') ++at_;
    }
    if (done()) return false;
    ++at_;
    return true;
  }

  [[nodiscard]] std::string name() {
    if (peek() != ':') return {};
    const std::size_t end = format_.find(':', at_ + 1);
    if (end == std::string_view::npos) return {};
    std::string out(format_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return out;
  }

  // Whether there was one, '<' or '>'.
  bool orders() {
    const std::size_t from = at_;
    while (!done() && std::string_view("@=<>!^").find(peek()) != std::string_view::npos) order_ = format_[at_++];
    return at_ > from && (order_ == '<' || order_ == '>');
  }

  // Native sizes for '@' and '^', else standard sizes.
  [[nodiscard]] std::uint32_t bytes_of(char letter) const {
    const bool native = order_ == '@' || order_ == '^';
    switch (letter) {
      case '?':
      case 'b':
      case 'B':
      case 'c':
        return 1;
      case 'h':
      case 'H':
      case 'e':
        return 2;
      case 'i':
      case 'I':
      case 'f':
        return 4;
      case 'l':
      case 'L':
        return native ? sizeof(long) : 4;
      case 'q':
      case 'Q':
      case 'd':
      case 'n':
      case 'N':
      case 'P':
      case 'O':
        return 8;
      case 'g':
        return sizeof(long double);
      default:
        return 0;
    }
  }

  // One value without count and name; `count` matters for texts and padding.
  [[nodiscard]] std::optional<ItemType> value(std::uint32_t count, int depth, std::uint32_t& alignment, Record& orders) {
    const char letter = peek();
    ++at_;
    const bool swapped = is_foreign(order_);
    alignment = 1;
    if (letter == 'w') {
      alignment = 4;
      return text_item(ItemKind::ucs4_text, count, swapped);
    }
    if (letter == 's' || letter == 'p' || letter == 'c') return text_item(ItemKind::byte_text, count, false);
    if (letter == 'x') return raw_item(count);
    if (letter == 'T') return record(depth, alignment, orders);
    const bool is_complex = letter == 'Z';
    const char part = is_complex ? peek() : letter;
    if (is_complex) ++at_;
    const std::uint32_t bytes = bytes_of(part) * (is_complex ? 2 : 1);
    if (bytes == 0) return std::nullopt;
    alignment = bytes_of(part);
    if (part == 'O') return object_item();
    if (part == 'P') return raw_item(bytes, "pointer");
    const std::string alone = is_complex ? std::string{'Z', part} : std::string{part};
    const auto dtype = dtype_of_format(alone, bytes);
    return dtype ? number_item(*dtype, swapped && bytes > 1) : raw_item(bytes);
  }

  [[nodiscard]] std::optional<ItemType> record(int depth, std::uint32_t& alignment, Record& outside) {
    if (peek() != '{' || depth >= kDeepest) return std::nullopt;
    ++at_;
    const char outer = order_;
    auto inner = members(depth + 1);
    order_ = outer;
    if (!inner || inner->members.empty() || peek() != '}') return std::nullopt;
    ++at_;
    alignment = inner->alignment;
    outside.add_orders(*inner);
    return record_item(inner->members, aligned_ ? rounded_up(inner->bytes, alignment) : inner->bytes);
  }

  [[nodiscard]] std::optional<Record> members(int depth) {
    Record out;
    std::uint64_t end = 0;
    for (bool ordered = orders(); !done() && peek() != '}'; ordered = orders()) {
      ItemMember member;
      if (!shape(member.shape)) return std::nullopt;
      ordered = orders() || ordered;
      const bool counted = peek() >= '0' && peek() <= '9';
      const auto count = counted ? number() : std::optional<std::uint32_t>{1};
      if (!count || done()) return std::nullopt;
      const char letter = peek();
      const bool count_is_length = std::string_view("wspcx").find(letter) != std::string_view::npos;
      std::uint32_t alignment = 1;
      if (letter != 'x' && letter != 'T') out.add_orders({{}, 0, 1, ordered, ordered || letter == 'B', ordered});
      auto type = value(count_is_length ? *count : 1, depth, alignment, out);
      if (!type) return std::nullopt;
      if (counted && !count_is_length) member.shape.push_back(*count);
      if (order_ == '@' || aligned_) end = (end + alignment - 1) / alignment * alignment;
      if (order_ == '@' || aligned_) out.alignment = std::max(out.alignment, alignment);
      std::uint64_t bytes = type->bytes;
      for (const std::uint32_t n : member.shape) bytes = std::min<std::uint64_t>(bytes * n, kMaxItemBytes + 1u);
      member.name = name();
      member.offset = static_cast<std::uint32_t>(end);
      end += bytes;
      if (end > kMaxItemBytes) return std::nullopt;
      if (letter == 'x') continue;
      if (member.name.empty()) member.name = fmt::format("f{}", out.members.size());
      member.type = std::move(*type);
      out.members.push_back(std::move(member));
      if (out.members.size() > kMaxItemFields) return std::nullopt;
    }
    out.bytes = static_cast<std::uint32_t>(end);
    return out;
  }

  [[nodiscard]] static std::uint32_t rounded_up(std::uint32_t bytes, std::uint32_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
  }

  std::string_view format_;
  bool aligned_;
  std::size_t at_ = 0;
  char order_ = '@';
};

Result<std::uint32_t> item_bytes_of(std::int64_t bytes) {
  if (bytes > 0 && bytes <= kMaxItemBytes) return static_cast<std::uint32_t>(bytes);
  return fail(ErrorKind::unsupported,
                    fmt::format("elements of {} bytes; those of 1 to {} are described", bytes, kMaxItemBytes));
}

bool has_several_values(const FormatParser::Record& record) {
  return record_item(record.members, record.bytes).fields.size() > 1;
}

// Parses "[25s]", or nothing.
bool parse_unit(std::string_view text, DateUnit& unit, std::uint32_t& multiple) {
  if (text.empty()) return true;
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return false;
  text = text.substr(1, text.size() - 2);
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), multiple);
  if (parsed.ec == std::errc{}) {
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  } else {
    multiple = 1;
  }
  return multiple > 0 && !text.empty() && date_unit_from_name(text, unit);
}

}  // namespace

Result<ItemType> item_of_format(std::string_view format, std::int64_t item_bytes) {
  const auto bytes = item_bytes_of(item_bytes);
  if (!bytes) return std::unexpected(bytes.error());
  auto record = FormatParser(format).whole();
  if (!record || record->bytes > *bytes || record->members.empty()) return unknown(format);
  if (record->bytes < *bytes && record->any_has_order && record->lacks_only_bytes) {
    // Before 3.12 ctypes leaves the gaps out of the formats of its structures. Where they are C's is known by the size; where they
    // are not, the places of the fields are unknown: those of a base class are left out, too, and a union or a structure with _pack_
    // inside is one "B". NumPy writes the gaps between fields, and leaves out the one at the end.
    auto aligned = FormatParser(format, true).whole();
    if (aligned && record->each_has_order && aligned->bytes == *bytes)
      record = std::move(aligned);
    else if (format.starts_with('T') || has_several_values(*record))
      return raw_item(*bytes);
  }
  const ItemMember& first = record->members.front();
  const bool is_one = record->members.size() == 1 && first.shape.empty();
  if (!is_one) return record_item(record->members, *bytes);
  ItemType type = first.type;
  if (type.bytes != *bytes && type.fields.size() == 1 && type.fields[0].name.empty()) return unknown(format);
  type.bytes = *bytes;
  return type;
}

Result<ItemType> item_of_typestr(std::string_view typestr) {
  if (typestr.size() < 2 || std::string_view("<>|=").find(typestr[0]) == std::string_view::npos) {
    return fail(ErrorKind::invalid, fmt::format("typestr '{}' is not a typestr", typestr));
  }
  const char kind = typestr[1];
  const bool swapped = is_foreign(typestr[0]);
  if (kind == 'O') return object_item();
  std::int64_t size = 0;
  const char* const end = typestr.data() + typestr.size();
  const auto parsed = std::from_chars(typestr.data() + 2, end, size);
  const std::string_view rest(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  const auto bytes = item_bytes_of(kind == 'U' && size < kMaxItemBytes ? size * 4 : size);
  if (parsed.ec != std::errc{}) return unknown(typestr);
  if (!bytes) return std::unexpected(bytes.error());
  if (kind == 'M' || kind == 'm') {
    DateUnit unit = DateUnit::generic;
    std::uint32_t multiple = 1;
    if (*bytes != 8 || !parse_unit(rest, unit, multiple)) return unknown(typestr);
    return date_item(kind == 'M' ? ItemKind::date : ItemKind::duration, unit, multiple, swapped);
  }
  if (!rest.empty()) return unknown(typestr);
  if (kind == 'U') return text_item(ItemKind::ucs4_text, *bytes / 4, swapped);
  if (kind == 'S' || kind == 'a') return text_item(ItemKind::byte_text, *bytes, false);
  if (kind == 'V') return raw_item(*bytes);
  const auto native = dtype_of_typestr(fmt::format("={}", typestr.substr(1)));
  if (native) return number_item(*native, swapped && *bytes > 1);
  if (kind == 'c' || kind == 'f')
    return raw_item(*bytes, fmt::format("{}{}", kind == 'c' ? "complex" : "float", *bytes * 8));
  return unknown(typestr);
}

namespace {

Result<ItemType> type_of_member(const DescribedMember& member) {
  if (member.typestr.empty()) return item_of_members(member.members);
  if (const auto number = dtype_of_typestr(member.typestr)) return number_item(*number, false);
  return item_of_typestr(member.typestr);
}

}  // namespace

Result<ItemType> item_of_members(std::span<const DescribedMember> members, std::uint32_t bytes) {
  const std::uint32_t most = bytes == 0 ? kMaxItemBytes : bytes;
  std::vector<ItemMember> named;
  std::uint64_t end = 0;
  for (const DescribedMember& member : members) {
    auto type = type_of_member(member);
    if (!type) return type;
    std::uint64_t size = type->bytes;
    for (const std::uint32_t n : member.shape) size = std::min<std::uint64_t>(size * n, kMaxItemBytes + 1u);
    const auto offset = static_cast<std::uint32_t>(end);
    end += size;
    if (end > most)
      return fail(ErrorKind::unsupported, fmt::format("a record whose members take more than {} bytes", most));
    if (!member.name.empty()) named.push_back({member.name, offset, std::move(*type), member.shape});
  }
  if (named.empty() || (bytes == 0 && end == 0)) return fail(ErrorKind::unsupported, "a record without members");
  const std::uint32_t all = bytes == 0 ? static_cast<std::uint32_t>(end) : bytes;
  return named.size() > kMaxItemFields ? raw_item(all) : record_item(named, all);
}

}  // namespace dlscope::core
