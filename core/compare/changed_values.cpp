#include "core/compare/changed_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/compare/pair_scan.h"

namespace dlscope::core {
namespace {

constexpr std::string_view kTheConversion = "the conversion changed ";

using Bytes = std::array<std::byte, PairScan::kMaxValues>;

// `count` values from number `first` on, with a byte for each that is packed into less: as PairScan takes them.
const std::byte* whole_values(DType dtype, const std::byte* values, std::uint64_t first, std::uint32_t count, Bytes& room) {
  if (dtype.bits % 8 == 0) return values + first * (dtype.bits / 8U);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t bit = (first + i) * dtype.bits;
    const auto at = static_cast<unsigned>(bit % 8);
    unsigned bits = std::to_integer<unsigned>(values[bit / 8]) >> at;
    if (at + dtype.bits > 8) bits |= std::to_integer<unsigned>(values[bit / 8 + 1]) << (8 - at);
    room[i] = static_cast<std::byte>(bits & ((1U << dtype.bits) - 1));
  }
  return room.data();
}

}  // namespace

std::string conversion_text(Conversion conversion) {
  if (conversion.changed == 0) return fmt::format("{}no value", kTheConversion);
  return fmt::format("{}{} of {} {}", kTheConversion, conversion.changed, conversion.values,
                     conversion.values == 1 ? "value" : "values");
}

bool says_conversion(std::string_view path) { return path.find(kTheConversion) != std::string_view::npos; }

std::uint64_t count_changed(DType from, const std::byte* source, DType to, const std::byte* converted, std::uint64_t count) {
  PairScan scan(from, to, {}, false);
  Bytes room_a, room_b;
  for (std::uint64_t first = 0; first < count; first += PairScan::kMaxValues) {
    const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(PairScan::kMaxValues, count - first));
    scan.add(whole_values(from, source, first, n, room_a), whole_values(to, converted, first, n, room_b), n, first, 1);
  }
  return scan.finish(count, 1, {}).different;
}

}  // namespace dlscope::core
