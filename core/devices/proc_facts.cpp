#include "core/devices/proc_facts.h"

#include <charconv>

#include "core/base/checked_math.h"

namespace dlscope::core {
namespace {

constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// What follows "name:" on the first line that has it.
std::string_view value_of(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == name) return trimmed(line.substr(colon + 1));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace

std::string cpu_name_in(std::string_view cpuinfo) {
  for (const std::string_view key : {"model name", "Model", "Hardware"}) {
    if (const std::string_view name = value_of(cpuinfo, key); !name.empty()) return std::string(name);
  }
  return {};
}

std::optional<std::uint64_t> memory_in(std::string_view meminfo, std::string_view name) {
  const std::string_view value = value_of(meminfo, name);
  std::uint64_t kibibytes = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), kibibytes);
  if (error != std::errc{} || std::string_view(end, value.data() + value.size()) != " kB") return std::nullopt;
  return checked_mul<std::uint64_t>(kibibytes, 1024);
}

}  // namespace dlscope::core
