#include "app/models/hex/byte_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/append_format.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kOnALine = 16;

std::string hex_text(std::span<const std::byte> bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) out += i % kOnALine == 0 ? '\n' : ' ';
    core::append_format(out, "{:02x}", std::to_integer<unsigned>(bytes[i]));
  }
  return out;
}

std::string c_text(std::span<const std::byte> bytes) {
  std::string out = "{";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) out += i % kOnALine == 0 ? ",\n " : ", ";
    core::append_format(out, "0x{:02x}", std::to_integer<unsigned>(bytes[i]));
  }
  return out + "}";
}

// As repr does: double quotes when the bytes contain single quotes and no double quotes.
std::string python_text(std::span<const std::byte> bytes) {
  const bool single = std::ranges::find(bytes, std::byte{'\''}) != bytes.end();
  const char quote = single && std::ranges::find(bytes, std::byte{'"'}) == bytes.end() ? '"' : '\'';
  std::string out = {'b', quote};
  for (const std::byte byte : bytes) {
    const auto code = std::to_integer<unsigned>(byte);
    const char c = static_cast<char>(code);
    if (c == quote || c == '\\')
      out += {'\\', c};
    else if (c == '\t' || c == '\n' || c == '\r')
      out += {'\\', c == '\t' ? 't' : c == '\n' ? 'n' : 'r'};
    else if (code >= 0x20 && code < 0x7f)
      out += c;
    else
      core::append_format(out, "\\x{:02x}", code);
  }
  return out + quote;
}

}  // namespace

const char* byte_format_name(ByteFormat format) {
  switch (format) {
    case ByteFormat::hex:
      return "hex";
    case ByteFormat::c:
      return "C";
    case ByteFormat::python:
      return "Python";
  }
  return "";
}

std::string bytes_text(std::span<const std::byte> bytes, ByteFormat format) {
  switch (format) {
    case ByteFormat::hex:
      return hex_text(bytes);
    case ByteFormat::c:
      return c_text(bytes);
    case ByteFormat::python:
      return python_text(bytes);
  }
  return {};
}

}  // namespace dlscope::app
