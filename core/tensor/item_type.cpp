#include "core/tensor/item_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/checked_math.h"
#include "core/tensor/element.h"
#include "core/tensor/not_a_time.h"

namespace dlscope::core {
namespace {

constexpr std::array<const char*, 14> kUnitNames{"", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"};
constexpr std::size_t kMaxShownValues = 8, kMaxShownCharacters = 64, kMaxShownBytes = 16;

ItemType single(std::string name, FieldLayout layout) {
  ItemType out;
  out.name = std::move(name) + (layout.swapped ? " big-endian" : "");
  out.bytes = layout.bytes;
  out.fields.push_back({"", layout});
  return out;
}

// civil_from_days of Howard Hinnant ("chrono-Compatible Low-Level Date Algorithms"): days since 1970-01-01 to a date in the
// proleptic Gregorian calendar.
std::string date_of_days(std::int64_t days) {
  const std::int64_t z = days + 719468;
  const std::int64_t era = floor_div(z, 146097);
  const std::int64_t day_of_era = z - era * 146097;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted = (5 * day_of_year + 2) / 153;  // months from March
  const std::int64_t day = day_of_year - (153 * shifted + 2) / 5 + 1;
  const std::int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  return fmt::format("{:04}-{:02}-{:02}", year, month, day);
}

// Writes the time of day down to the unit: hours, minutes or seconds.
std::string date_of_seconds(std::int64_t seconds, DateUnit unit) {
  const std::int64_t day = floor_div(seconds, 86400);
  const std::int64_t rest = seconds - day * 86400;
  const std::string date = date_of_days(day);
  if (unit == DateUnit::hour) return fmt::format("{}T{:02}", date, rest / 3600);
  if (unit == DateUnit::minute) return fmt::format("{}T{:02}:{:02}", date, rest / 3600, rest / 60 % 60);
  return fmt::format("{}T{:02}:{:02}:{:02}", date, rest / 3600, rest / 60 % 60, rest % 60);
}

// Units finer than a second: powers of 1/1000 second.
std::string date_with_fraction(std::int64_t value, DateUnit unit) {
  std::int64_t each = 1;
  const int powers = static_cast<int>(unit) - static_cast<int>(DateUnit::second);
  for (int i = 0; i < powers; ++i) each *= 1000;
  const std::int64_t seconds = floor_div(value, each);
  const std::int64_t rest = (value % each + each) % each;  // not value - seconds * each, which may lie beyond int64
  return fmt::format("{}.{:0{}}", date_of_seconds(seconds, DateUnit::second), rest, powers * 3);
}

std::string date_text(std::int64_t value, DateUnit unit) {
  switch (unit) {
    case DateUnit::generic:
      return fmt::format("{}", value);
    case DateUnit::year:
      return fmt::format("{:04}", value + 1970);
    case DateUnit::month:
      return fmt::format("{:04}-{:02}", floor_div(value, 12) + 1970, value - floor_div(value, 12) * 12 + 1);
    case DateUnit::week:
      return date_of_days(value * 7);
    case DateUnit::day:
      return date_of_days(value);
    case DateUnit::hour:
      return date_of_seconds(value * 3600, unit);
    case DateUnit::minute:
      return date_of_seconds(value * 60, unit);
    case DateUnit::second:
      return date_of_seconds(value, unit);
    default:
      return date_with_fraction(value, unit);
  }
}

std::string time_text(const FieldLayout& field, std::int64_t count) {
  if (count == kNotATime) return "NaT";
  const std::int64_t multiple = field.multiple;
  constexpr std::int64_t kFarthest = std::int64_t{1} << 53;  // far beyond any real date; keeps the sums below in range
  const std::int64_t bound = field.unit >= DateUnit::ms ? std::numeric_limits<std::int64_t>::max() : kFarthest / 86400;
  const bool too_far = count > bound / multiple || count < -(bound / multiple);
  if (field.kind == ItemKind::date && !too_far) return date_text(count * multiple, field.unit);
  const std::string unit = date_unit_name(field.unit);
  return multiple == 1 ? fmt::format("{}{}{}", count, unit.empty() ? "" : " ", unit)
                       : fmt::format("{} x {} {}", count, multiple, unit);
}

void add_escaped(std::string& out, std::uint32_t character) {
  if (character == '\'' || character == '\\') {
    out += '\\';
    out += static_cast<char>(character);
  } else if (character < 0x20 || (character >= 0x7f && character < 0xa0)) {
    out += fmt::format("\\x{:02x}", character);
  } else if (character < 0x80) {
    out += static_cast<char>(character);
  } else if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000) || (character >= 0x200b && character < 0x2070)) {
    // Not a character, or one that changes the writing direction.
    out += character <= 0xffff ? fmt::format("\\u{:04x}", character) : fmt::format("\\U{:08x}", character);
  } else {
    if (character >= 0x10000) {
      out += static_cast<char>(0xf0 | character >> 18);
      out += static_cast<char>(0x80 | (character >> 12 & 0x3f));
    } else if (character >= 0x800) {
      out += static_cast<char>(0xe0 | character >> 12);
    } else {
      out += static_cast<char>(0xc0 | character >> 6);
    }
    if (character >= 0x800) out += static_cast<char>(0x80 | (character >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (character & 0x3f));
  }
}

// How many of `all` are written.
std::size_t shown_of(std::size_t all, std::size_t most, ItemText length) {
  return length == ItemText::whole ? all : std::min(all, most);
}

std::string quoted(std::vector<std::uint32_t> characters, const char* prefix, ItemText length) {
  while (!characters.empty() && characters.back() == 0) characters.pop_back();  // padding
  std::string out = std::string(prefix) + "'";
  const std::size_t shown = shown_of(characters.size(), kMaxShownCharacters, length);
  for (std::size_t i = 0; i < shown; ++i) {
    if (*prefix == 'b' && characters[i] >= 0x7f)
      out += fmt::format("\\x{:02x}", characters[i]);  // a byte, not a character, as Python's repr has it
    else
      add_escaped(out, characters[i]);
  }
  return out + (shown < characters.size() ? "…'" : "'");
}

std::string text_value(const FieldLayout& field, std::span<const std::byte> bytes, ItemText length) {
  std::vector<std::uint32_t> characters;
  const std::size_t each = field.kind == ItemKind::ucs4_text ? 4 : 1;
  for (std::size_t at = 0; at + each <= bytes.size(); at += each) {
    std::uint32_t character = 0;
    std::memcpy(&character, bytes.data() + at, each);
    characters.push_back(field.swapped ? __builtin_bswap32(character) : character);
  }
  return quoted(std::move(characters), each == 1 ? "b" : "", length);
}

std::string raw_value(std::span<const std::byte> bytes, ItemText length) {
  const std::size_t shown = shown_of(bytes.size(), kMaxShownBytes, length);
  std::string out = "0x";
  for (const std::byte byte : bytes.first(shown)) out += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return out + (shown < bytes.size() ? "…" : "");
}

std::string number_value(const FieldLayout& field, std::span<const std::byte> bytes) {
  std::array<std::byte, 32> turned{};
  const std::size_t size = std::min(bytes.size(), turned.size());
  std::copy_n(bytes.begin(), size, turned.begin());
  // The two parts of a complex number are byte-swapped separately.
  const bool is_pair = field.dtype.code == static_cast<std::uint8_t>(DTypeCode::complex);
  const std::size_t part = is_pair ? size / 2 : size;
  for (std::size_t at = 0; field.swapped && part != 0 && at + part <= size; at += part)
    std::reverse(turned.begin() + static_cast<std::ptrdiff_t>(at), turned.begin() + static_cast<std::ptrdiff_t>(at + part));
  return format_value(field.dtype, decode_element(field.dtype, std::span(turned).first(size), 0));
}

std::string one_value(const FieldLayout& field, std::span<const std::byte> bytes, ItemText length) {
  std::uint64_t number = 0;
  if (bytes.size() == sizeof number) std::memcpy(&number, bytes.data(), sizeof number);
  if (field.swapped) number = __builtin_bswap64(number);
  switch (field.kind) {
    case ItemKind::number:
      return number_value(field, bytes);
    case ItemKind::date:
    case ItemKind::duration:
      return time_text(field, static_cast<std::int64_t>(number));
    case ItemKind::ucs4_text:
    case ItemKind::byte_text:
      return text_value(field, bytes, length);
    case ItemKind::object:
      return number == 0 ? "NULL" : fmt::format("object at {:#x}", number);
    case ItemKind::raw:
      break;
  }
  return raw_value(bytes, length);
}

// The axes of the member and, behind them, those that its values have.
void set_sub_array(const std::vector<std::uint32_t>& outer, FieldLayout& layout) {
  std::vector<std::uint64_t> shape(outer.begin(), outer.end());
  shape.insert(shape.end(), layout.shape.begin(), layout.shape.begin() + layout.axes);
  std::uint64_t product = 1;
  for (const std::uint64_t n : shape) product = std::min<std::uint64_t>(product * n, kMaxItemBytes + 1);
  const bool fits = shape.size() <= kMaxFieldAxes && product == layout.count &&
                    std::ranges::all_of(shape, [](std::uint64_t n) { return n <= kMaxItemBytes; });
  layout.no_path = layout.no_path || !fits;
  if (!fits) shape.assign(1, layout.count);
  layout.axes = static_cast<std::uint8_t>(shape.size());
  layout.shape = {};
  std::ranges::transform(shape, layout.shape.begin(), [](std::uint64_t n) { return static_cast<std::uint16_t>(n); });
}

// A record inside a sub-array is shown as bytes, because each of its fields occurs several times.
std::vector<ItemField> fields_of(const ItemMember& member) {
  std::uint64_t count = 1;
  for (const std::uint32_t n : member.shape) count = std::min<std::uint64_t>(count * n, kMaxItemBytes);
  const bool is_single = member.type.fields.size() == 1 && member.type.fields[0].name.empty();
  std::vector<ItemField> out;
  if (is_single || member.shape.empty()) {
    for (const ItemField& inner : member.type.fields) {
      ItemField field = inner;
      field.name = inner.name.empty() ? member.name : member.name + "." + inner.name;
      field.layout.offset += member.offset;
      if (!member.shape.empty()) {
        field.layout.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(count * inner.layout.count, kMaxItemBytes));
        set_sub_array(member.shape, field.layout);
      }
      out.push_back(std::move(field));
    }
  } else {
    FieldLayout layout;
    layout.offset = member.offset;
    layout.bytes = static_cast<std::uint32_t>(member.type.bytes * count);
    out.push_back({member.name, layout});
  }
  return out;
}

}  // namespace

const char* date_unit_name(DateUnit unit) {
  return kUnitNames[std::min<std::size_t>(static_cast<std::size_t>(unit), kUnitNames.size() - 1)];
}

bool date_unit_from_name(std::string_view name, DateUnit& unit) {
  const auto* const found = std::ranges::find(kUnitNames, name, [](const char* text) { return std::string_view(text); });
  if (found == kUnitNames.end()) return false;
  unit = static_cast<DateUnit>(found - kUnitNames.begin());
  return true;
}

// A number of fewer than 8 bits is in the low bits of a byte; the high ones mean nothing.
ItemType number_item(DType dtype, bool swapped) {
  FieldLayout layout{.bytes = (dtype.item_bits() + 7) / 8, .dtype = dtype, .kind = ItemKind::number, .swapped = swapped};
  return single(dtype_name(dtype) + (dtype.item_bits() % 8 == 0 ? "" : " in a byte"), layout);
}

ItemType date_item(ItemKind kind, DateUnit unit, std::uint32_t multiple, bool swapped) {
  FieldLayout layout{.bytes = 8, .multiple = std::max(multiple, 1u), .kind = kind, .unit = unit, .swapped = swapped};
  std::string name = kind == ItemKind::date ? "datetime64" : "timedelta64";
  if (unit != DateUnit::generic) {
    name += layout.multiple == 1 ? fmt::format("[{}]", date_unit_name(unit))
                                 : fmt::format("[{}{}]", layout.multiple, date_unit_name(unit));
  }
  return single(std::move(name), layout);
}

ItemType text_item(ItemKind kind, std::uint32_t characters, bool swapped) {
  const bool wide = kind == ItemKind::ucs4_text;
  return single(fmt::format("{}{}", wide ? 'U' : 'S', characters),
                {.bytes = characters * (wide ? 4u : 1u), .kind = kind, .swapped = swapped && wide});
}

ItemType raw_item(std::uint32_t bytes, std::string name) {
  return single(name.empty() ? fmt::format("V{}", bytes) : std::move(name), {.bytes = bytes});
}

ItemType object_item() { return single("object", {.bytes = sizeof(void*), .kind = ItemKind::object}); }

ItemType item_of_value(const FieldLayout& field) {
  switch (field.kind) {
    case ItemKind::number:
      return number_item(field.dtype, field.swapped);
    case ItemKind::date:
    case ItemKind::duration:
      return date_item(field.kind, field.unit, field.multiple, field.swapped);
    case ItemKind::ucs4_text:
    case ItemKind::byte_text:
      return text_item(field.kind, field.bytes / (field.kind == ItemKind::ucs4_text ? 4 : 1), field.swapped);
    case ItemKind::object:
      return object_item();
    case ItemKind::raw:
      break;
  }
  return raw_item(field.bytes);
}

ItemType record_item(const std::vector<ItemMember>& members, std::uint32_t bytes) {
  ItemType out;
  out.bytes = bytes;
  out.name = "struct{";
  for (const ItemMember& member : members) {
    if (out.name.back() != '{') out.name += ',';
    out.name += member.name + ":" + member.type.name;
    if (!member.shape.empty()) out.name += fmt::format("[{}]", fmt::join(member.shape, ","));
    for (ItemField& field : fields_of(member)) {
      field.layout.no_path = field.layout.no_path || member.name.empty() || member.name.find('.') != std::string::npos;
      const std::uint64_t end = field.layout.offset + std::uint64_t{field.layout.bytes} * field.layout.count;
      if (out.fields.size() < kMaxItemFields && end <= bytes) out.fields.push_back(std::move(field));
    }
  }
  out.name += '}';
  return out;
}

std::string format_field(const FieldLayout& field, std::span<const std::byte> item, ItemText length) {
  const auto value_at = [&](std::uint64_t i) -> std::string {
    const std::uint64_t at = field.offset + i * field.bytes;
    return at + field.bytes <= item.size() ? one_value(field, item.subspan(at, field.bytes), length) : "?";
  };
  if (field.count == 1) return value_at(0);
  std::string out = "[";
  const std::size_t shown = shown_of(field.count, kMaxShownValues, length);
  for (std::size_t i = 0; i < shown; ++i) out += (i == 0 ? "" : ", ") + value_at(i);
  return out + (shown < field.count ? ", …]" : "]");
}

}  // namespace dlscope::core
