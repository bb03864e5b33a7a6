#include "core/base/append_format.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <iterator>

namespace dlscope::core {

void append_vformat(std::string& out, fmt::string_view pattern, fmt::format_args parts) {
  fmt::vformat_to(std::back_inserter(out), pattern, parts);
}

void append_vformat(fmt::appender out, fmt::string_view pattern, fmt::format_args parts) { fmt::vformat_to(out, pattern, parts); }

void append_human_bytes(std::string& out, std::uint64_t bytes) {
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return append_format(out, "{} B", bytes);
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  append_format(out, "{:.1f} {}", value, kUnits[unit]);
}

}  // namespace dlscope::core
