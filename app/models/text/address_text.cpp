#include "app/models/text/address_text.h"

#include <charconv>
#include <string>

namespace dlscope::app {
namespace {

// Ignores characters of `separators`.
std::optional<std::uint64_t> parse_digits(std::string_view text, int base, std::string_view separators) {
  std::string digits;
  for (const char c : text) {
    if (!separators.contains(c)) digits += c;
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<core::Address> parse_address(std::string_view text) {
  return text.starts_with("0x") || text.starts_with("0X") ? parse_digits(text.substr(2), 16, " _'") : std::nullopt;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  const auto address = parse_address(text);
  return address ? address : parse_digits(text, 10, "_");
}

}  // namespace dlscope::app
