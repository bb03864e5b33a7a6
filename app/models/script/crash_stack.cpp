#include "app/models/script/crash_stack.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "core/base/utf8.h"
#include "core/wire/script_file.h"

namespace dlscope::app {

namespace {

constexpr std::string_view kThreadOfFault = "Current thread ";
constexpr std::string_view kFrame = "  File \"";
constexpr std::string_view kLine = "\", line ";
constexpr std::size_t kMaxCharacters = 500;  // of a name; the rest is "..."

// Names as faulthandler writes them: it must not allocate, so it escapes non-ASCII characters as numbers.
std::string as_written(std::string_view name) {
  std::string out;
  for (std::size_t characters = 0; !name.empty(); ++characters) {
    if (characters == kMaxCharacters) return out + "...";
    const core::Utf8Char c = core::decode_utf8(name);
    // Python represents bytes that are not UTF-8 as lone surrogates.
    const std::uint32_t code = c.valid ? static_cast<std::uint32_t>(c.code) : 0xdc00U + static_cast<unsigned char>(name[0]);
    if (code >= 0x20 && code < 0x7f) {
      out += static_cast<char>(code);
    } else if (code < 0x100) {
      out += fmt::format("\\x{:02x}", code);
    } else {
      out += code < 0x10000 ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
    }
    name.remove_prefix(c.bytes);
  }
  return out;
}

}  // namespace

std::string file_of_code(const std::string& path) {
  if (path.empty()) return core::wire::kCodeFile;
  std::error_code error;
  const std::string given = path.starts_with("./") ? path.substr(2) : path;
  return (std::filesystem::current_path(error) / given).string();
}

std::int32_t line_in_stack(std::string_view stack, std::string_view file) {
  const std::string frame = std::string{kFrame} + as_written(file) + std::string{kLine};
  bool of_fault = false;
  while (!stack.empty()) {
    const std::string_view text = stack.substr(0, stack.find('\n'));
    stack.remove_prefix(std::min(text.size() + 1, stack.size()));
    if (text.starts_with(kThreadOfFault)) {
      of_fault = true;
    } else if (of_fault && text.empty()) {
      break;
    } else if (of_fault && text.starts_with(frame)) {
      std::int32_t line = 0;
      const auto parsed = std::from_chars(text.data() + frame.size(), text.data() + text.size(), line);
      if (parsed.ec == std::errc{}) return line;
    }
  }
  return 0;
}

}  // namespace dlscope::app
