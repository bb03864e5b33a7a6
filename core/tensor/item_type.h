// ItemType: the type of an element for which DLPack has no dtype: a record (NumPy structured dtype), a date, a text, a number in
// the other byte order. An item is a fixed number of bytes, padding included. Pure functions; thread: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/dtype.h"

namespace dlscope::core {

enum class ItemKind : std::uint8_t { raw, number, date, duration, ucs4_text, byte_text, object };
enum class DateUnit : std::uint8_t { generic, year, month, week, day, hour, minute, second, ms, us, ns, ps, fs, as };
[[nodiscard]] const char* date_unit_name(DateUnit unit);  // "D", "ns"; "" for generic
[[nodiscard]] bool date_unit_from_name(std::string_view name, DateUnit& unit);

inline constexpr std::size_t kMaxFieldAxes = 4;  // of a sub-array; one with more is described with all of them joined into one

// One field of an item, or the whole of an item that has no fields.
struct FieldLayout {
  std::uint32_t offset = 0;    // from the item's first byte
  std::uint32_t bytes = 0;     // of one value
  std::uint32_t count = 1;     // values side by side (a sub-array)
  std::uint32_t multiple = 1;  // of the unit: 25 for datetime64[25s]
  DType dtype = {};            // for kind number
  ItemKind kind = ItemKind::raw;
  DateUnit unit = DateUnit::generic;
  bool swapped = false;  // in the opposite of this machine's byte order
  std::uint8_t axes = 0;  // of the sub-array; 0: a single value
  // True: name or axes are not those of the producer, so that they do not say how to get at the field: a name on the way has a dot in
  // it, or axes were joined.
  bool no_path = false;
  std::array<std::uint16_t, kMaxFieldAxes> shape{};  // of the sub-array, in C order; `count` is their product
  friend bool operator==(const FieldLayout&, const FieldLayout&) = default;
};

struct ItemField {
  std::string name;  // "a", "position.x"; "" for an item without fields
  FieldLayout layout;
  friend bool operator==(const ItemField&, const ItemField&) = default;
};

struct ItemType {
  std::string name;  // "struct{a:int32,b:float64}", "datetime64[D]", "float32 big-endian", "U3", "V7"
  std::uint32_t bytes = 0;
  std::vector<ItemField> fields;
  friend bool operator==(const ItemType&, const ItemType&) = default;
};

// Larger items are not described, because their size would not fit into DType::lanes.
inline constexpr std::uint32_t kMaxItemBytes = 65535;
inline constexpr std::size_t kMaxItemFields = 256;  // further fields are left out of `fields`; `bytes` still includes them
// The DType of a tensor of such items: a code that DLPack does not use, with one 8-bit lane per byte of the item.
inline constexpr std::uint8_t kItemCode = 255;
[[nodiscard]] constexpr DType dtype_of_item(std::uint32_t bytes) { return {kItemCode, 8, static_cast<std::uint16_t>(bytes)}; }

// Items without fields.
[[nodiscard]] ItemType number_item(DType dtype, bool swapped);
[[nodiscard]] ItemType date_item(ItemKind date_or_duration, DateUnit unit, std::uint32_t multiple, bool swapped);
[[nodiscard]] ItemType text_item(ItemKind text_kind, std::uint32_t characters, bool swapped);
[[nodiscard]] ItemType raw_item(std::uint32_t bytes, std::string name = {});  // "V7" without a name
[[nodiscard]] ItemType object_item();
// An item that is one value of this field, whatever its offset and count.
[[nodiscard]] ItemType item_of_value(const FieldLayout& field);

// A member of a record. offset: in bytes from the item's first byte. shape: of a sub-array; empty for a single value.
struct ItemMember {
  std::string name;
  std::uint32_t offset = 0;
  ItemType type;
  std::vector<std::uint32_t> shape;
};
[[nodiscard]] ItemType record_item(const std::vector<ItemMember>& members, std::uint32_t bytes);

// shortened: of a sub-array the first values, of a text the first characters, of bytes the first ones, then "…".
enum class ItemText : std::uint8_t { shortened, whole };
// The value of a field as text: "1.5", "2024-02-29", "NaT", "'abc'", "[1, 2]"; "?" where `item` is too short.
[[nodiscard]] std::string format_field(const FieldLayout& field, std::span<const std::byte> item,
                                       ItemText length = ItemText::shortened);

}  // namespace dlscope::core
