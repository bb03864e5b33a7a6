#include "app/models/text/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "app/models/text/characters.h"
#include "core/base/append_format.h"

namespace dlscope::app {
namespace {

constexpr const char* kEllipsis = "…";

// Separates the last `digits` characters of `out` into groups of `each`, from the right.
void separate(std::string& out, std::size_t digits, std::size_t each) {
  for (std::size_t from_right = each; from_right < digits; from_right += each) {
    out.insert(out.size() - from_right - (from_right / each - 1), 1, ' ');
  }
}

// Calls an append_ function and returns what it appended.
template <class Append, class... Values>
std::string made_by(Append&& append, Values&&... values) {
  std::string out;
  append(out, std::forward<Values>(values)...);
  return out;
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

}  // namespace

void append_human_bytes(std::string& out, std::uint64_t bytes) { core::append_human_bytes(out, bytes); }

void append_grouped(std::string& out, std::uint64_t number) {
  const std::size_t before = out.size();
  core::append_format(out, "{}", number);
  separate(out, out.size() - before, 3);
}

void append_grouped_address(std::string& out, core::Address address) {
  const auto digits = std::max<std::size_t>((static_cast<std::size_t>(std::bit_width(address)) + 3) / 4, 1);
  const std::size_t whole = digits <= 4 ? digits : (digits + 3) / 4 * 4;
  core::append_format(out, "0x{:0{}x}", address, whole);
  separate(out, whole, 4);
}

std::string human_bytes(std::uint64_t bytes) { return made_by(append_human_bytes, bytes); }

std::string exact_bytes(std::uint64_t bytes) { return grouped(bytes) + " B"; }

std::string grouped(std::uint64_t number) { return made_by(append_grouped, number); }

std::string counted(std::uint64_t number, const char* singular, const char* plural) {
  return fmt::format("{} {}", grouped(number), number == 1 ? singular : plural);
}

std::string grouped_address(core::Address address) { return made_by(append_grouped_address, address); }

std::string distance_text(std::int64_t bits) {
  if (core::is_capped(bits)) return bits > 0 ? "> 2^60 B" : "< -2^60 B";
  return bits % 8 == 0 ? fmt::format("{} B", bits / 8) : fmt::format("{} bit", bits);
}

std::string plain_address(core::Address address) { return fmt::format("0x{:x}", address); }

std::string shape_text(std::span<const std::int64_t> shape, std::size_t most) {
  if (shape.empty()) return "scalar";
  return joined(shape, most, " × ", [](std::int64_t n) { return fmt::to_string(n); });
}

std::string strides_text(core::LayoutView layout, std::size_t most) {
  const auto item = static_cast<std::int64_t>(layout.item_bits);
  return joined(layout.stride_bits, most, ", ", [item](std::int64_t bits) {
    return item > 0 && bits % item == 0 ? fmt::to_string(bits / item) : distance_text(bits);
  });
}

std::string strides_bytes_text(core::LayoutView layout, std::size_t most) {
  return joined(layout.stride_bits, most, ", ",
                [](std::int64_t bits) { return bits % 8 == 0 ? fmt::to_string(bits / 8) : distance_text(bits); });
}

std::string tuple_text(std::span<const std::int64_t> numbers) {
  std::string inside = joined(numbers, numbers.size(), ", ", [](std::int64_t n) { return fmt::to_string(n); });
  return numbers.size() == 1 ? "(" + inside + ",)" : "(" + inside + ")";
}

void append_index(std::string& out, core::LayoutView layout, std::uint64_t flat) {
  std::array<std::int64_t, core::kMaxRank> index{};
  const std::span used(index.data(), layout.shape.size());
  core::unravel(layout, flat, used);
  core::append_format(out, "[{}]", fmt::join(used, ", "));
}

std::string index_text(core::LayoutView layout, std::uint64_t flat) { return made_by(append_index, layout, flat); }

void CutText::append_to(std::string& out) const {
  out += front;
  if (!cut) return;
  out += kEllipsis;
  out += back;
}

std::string CutText::str() const {
  std::string out;
  append_to(out);
  return out;
}

CutText cut_in_middle(std::string_view text, std::size_t most) {
  const std::size_t points = count_characters(text);
  if (points <= most || most < 3) return {text, {}, false};
  const std::size_t front = (most - 1) / 2;
  const std::size_t back = most - 1 - front;
  const auto byte_of = [&](std::size_t point) {
    std::size_t seen = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (starts_character(text[i]) && seen++ == point) return i;
    }
    return text.size();
  };
  return {text.substr(0, byte_of(front)), text.substr(byte_of(points - back)), true};
}

std::string shortened(std::string_view text, std::size_t most) { return cut_in_middle(text, most).str(); }

}  // namespace dlscope::app
