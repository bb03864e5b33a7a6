#include "core/report/json_writer.h"

#include <cmath>
#include <cstring>

#include "core/base/utf8.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kBufferBytes = 64 << 10;

// The length of the prefix that is ASCII and needs no escape.
std::size_t plain_prefix(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;
  const auto zero_bytes = [](std::uint64_t word) { return (word - kOnes) & ~word; };
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {  // eight bytes at a time, as long as none of them needs an escape
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    const std::uint64_t below_space = (word - kOnes * 0x20) & ~word;
    const std::uint64_t special =
        zero_bytes(word ^ (kOnes * '"')) | zero_bytes(word ^ (kOnes * '\\')) | zero_bytes(word ^ (kOnes * 0x7f));
    if (((word | below_space | special) & kHigh) != 0) break;
  }
  while (i < text.size()) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte >= 0x7f || byte == '"' || byte == '\\') break;
    ++i;
  }
  return i;
}

void append_escaped(std::string& out, char32_t code) {
  switch (code) {
    case U'"':
      out += "\\\"";
      return;
    case U'\\':
      out += "\\\\";
      return;
    case U'\n':
      out += "\\n";
      return;
    case U'\r':
      out += "\\r";
      return;
    case U'\t':
      out += "\\t";
      return;
    default:
      break;
  }
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += "0123456789abcdef"[(code >> shift) & 0xf];
}

}  // namespace

JsonWriter::JsonWriter(const JsonSink& sink) : sink_(sink) { buffer_.reserve(kBufferBytes + 256); }

void JsonWriter::separate() {
  if (comma_) buffer_ += ',';
  if (line_break_) {
    buffer_ += '\n';
  } else if (comma_) {
    buffer_ += ' ';
  }
  comma_ = line_break_ = false;
}

void JsonWriter::open(char bracket) {
  separate();
  buffer_ += bracket;
}

void JsonWriter::close(char bracket) {
  if (line_break_) buffer_ += '\n';
  line_break_ = false;
  buffer_ += bracket;
  comma_ = true;
  flush_if_full();
}

void JsonWriter::key(std::string_view name) {
  separate();
  buffer_ += '"';
  buffer_ += name;
  buffer_ += "\": ";
}

void JsonWriter::raw(std::string_view text) {
  separate();
  buffer_ += text;
  comma_ = true;
  flush_if_full();
}

void JsonWriter::value(std::string_view text) {
  separate();
  quote(text);
  comma_ = true;
  flush_if_full();
}

void JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  char digits[32];
  char* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  raw(text);
  if (text.find_first_of(".e") == std::string_view::npos) buffer_ += ".0";  // so that readers parse it as a float
}

void JsonWriter::quote(std::string_view text) {
  buffer_ += '"';
  while (!text.empty()) {
    const std::size_t plain = plain_prefix(text);
    buffer_ += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Utf8Char c = decode_utf8(text);
    if (!c.valid) {
      buffer_ += "\uFFFD";
    } else if (c.code < 0x80) {
      append_escaped(buffer_, c.code);
    } else {
      buffer_ += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
    flush_if_full();
  }
  buffer_ += '"';
}

void JsonWriter::flush_if_full() {
  if (buffer_.size() >= kBufferBytes) flush();
}

void JsonWriter::flush() {
  if (!failed_ && !buffer_.empty() && !sink_(buffer_)) failed_ = true;
  buffer_.clear();
}

bool JsonWriter::finish() {
  if (line_break_) buffer_ += '\n';
  line_break_ = false;
  flush();
  return !failed_;
}

}  // namespace dlscope::core
