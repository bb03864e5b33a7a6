#include "app/models/inspector/struct_text.h"

#include <fmt/core.h>

#include "app/models/text/format.h"
#include "app/models/text/json_members.h"

namespace dlscope::app {
std::string look_question(std::string_view name, bool anyway) { return json_text({{"name", name}, {"anyway", anyway}}); }

std::string bytes_text(const core::wire::StructField& field) {
  std::string text;
  for (const std::byte byte : field.bytes) text += fmt::format("{}{:02x}", text.empty() ? "" : " ", std::to_integer<unsigned>(byte));
  return text;
}

std::optional<std::uint64_t> number_in(const core::wire::StructField& field) {
  if (field.bytes.size() != field.size || field.bytes.empty() || field.bytes.size() > 8) return std::nullopt;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < field.bytes.size(); ++i) number |= std::to_integer<std::uint64_t>(field.bytes[i]) << (8 * i);
  return number;
}

std::string bytes_explained(const core::wire::StructBlock& block, const core::wire::StructField& field) {
  std::string text = fmt::format("{} {}, {} at offset {} of {}\n", field.type, field.name, counted(field.size, "byte", "bytes"),
                                 field.offset, block.title);
  for (std::size_t i = 0; i < field.bytes.size(); ++i) {
    const auto byte = std::to_integer<unsigned>(field.bytes[i]);
    text += fmt::format("{}  {:02x}  {:3}{}\n", plain_address(block.address + field.offset + i), byte, byte,
                        i == 0 && field.bytes.size() > 1 ? "  lowest byte first" : "");
  }
  if (field.bytes.size() < field.size) return text + "The rest could not be read.";
  if (const auto number = number_in(field)) {
    text += fmt::format("together 0x{:0{}x} = {}", *number, field.size * 2, *number);
    if (field.size == 8 && *number >> 63 != 0) text += fmt::format(" unsigned, {} signed", static_cast<std::int64_t>(*number));
  }
  return text;
}

}  // namespace dlscope::app
