#include "app/models/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace dlscope::app {
namespace {

constexpr const char* kEllipsis = "…";

std::string with_separators(std::string digits) {
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), " ");
  }
  return digits;
}

template <class Number>
std::string joined(std::span<const std::int64_t> numbers, std::size_t most, const char* between, Number&& text) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out += between;
    if (i == most && numbers.size() > most + 1) {
      out += kEllipsis;
      break;
    }
    out += text(numbers[i]);
  }
  return out;
}

std::string bits_or_bytes(std::int64_t bits) {
  return bits % 8 == 0 ? fmt::format("{} B", bits / 8) : fmt::format("{} bit", bits);
}

}  // namespace

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string exact_bytes(std::uint64_t bytes) { return grouped(bytes) + " B"; }

std::string grouped(std::uint64_t number) { return with_separators(fmt::to_string(number)); }

std::string counted(std::uint64_t number, const char* singular, const char* plural) {
  return fmt::format("{} {}", grouped(number), number == 1 ? singular : plural);
}

std::string grouped_address(core::Address address) {
  std::string digits = fmt::format("{:x}", address);
  while (digits.size() % 4 != 0 && digits.size() > 4) digits.insert(0, "0");
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 4; at > 0; at -= 4) {
    digits.insert(static_cast<std::size_t>(at), " ");
  }
  return "0x" + digits;
}

std::string plain_address(core::Address address) { return fmt::format("0x{:x}", address); }

std::string shape_text(std::span<const std::int64_t> shape, std::size_t most) {
  if (shape.empty()) return "scalar";
  return joined(shape, most, " × ", [](std::int64_t n) { return fmt::to_string(n); });
}

std::string strides_text(core::LayoutView layout, std::size_t most) {
  const auto item = static_cast<std::int64_t>(layout.item_bits);
  return joined(layout.stride_bits, most, ", ", [item](std::int64_t bits) {
    return item > 0 && bits % item == 0 ? fmt::to_string(bits / item) : bits_or_bytes(bits);
  });
}

std::string strides_bytes_text(core::LayoutView layout, std::size_t most) {
  return joined(layout.stride_bits, most, ", ",
                [](std::int64_t bits) { return bits % 8 == 0 ? fmt::to_string(bits / 8) : bits_or_bytes(bits); });
}

std::string tuple_text(std::span<const std::int64_t> numbers) {
  std::string inside = joined(numbers, numbers.size(), ", ", [](std::int64_t n) { return fmt::to_string(n); });
  return numbers.size() == 1 ? "(" + inside + ",)" : "(" + inside + ")";
}

std::string index_text(core::LayoutView layout, std::uint64_t flat) {
  std::array<std::int64_t, core::kMaxRank> index{};
  const std::span used(index.data(), layout.shape.size());
  core::unravel(layout, flat, used);
  return "[" + joined(used, used.size(), ", ", [](std::int64_t n) { return fmt::to_string(n); }) + "]";
}

std::string shortened(std::string_view text, std::size_t most) {
  const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  const auto points = static_cast<std::size_t>(std::ranges::count_if(text, is_start));
  if (points <= most || most < 3) return std::string(text);
  const std::size_t front = (most - 1) / 2;
  const std::size_t back = most - 1 - front;
  const auto byte_of = [&](std::size_t point) {
    std::size_t seen = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (is_start(text[i]) && seen++ == point) return i;
    }
    return text.size();
  };
  return std::string(text.substr(0, byte_of(front))) + kEllipsis + std::string(text.substr(byte_of(points - back)));
}

}  // namespace dlscope::app
