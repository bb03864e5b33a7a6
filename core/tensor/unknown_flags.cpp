#include "core/tensor/unknown_flags.h"

#include <fmt/format.h>

#include <charconv>

namespace dlscope::core {
namespace {
constexpr std::string_view kPrefix = "flags 0x";
}

std::string unknown_flags_text(std::uint64_t bits) { return fmt::format("{}{:x}", kPrefix, bits); }

std::uint64_t flags_in_text(std::string_view text) {
  if (!text.starts_with(kPrefix)) return 0;
  std::uint64_t bits = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + kPrefix.size(), end, bits, 16);
  return error == std::errc() && stopped == end ? bits : 0;
}

}  // namespace dlscope::core
