#include "core/inventory/sanitise.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/base/utf8.h"

namespace dlscope::core {
namespace {

constexpr std::string_view kEllipsis = "\u2026";

// True when all bytes are printable ASCII, as in nearly every name. Checks eight bytes at a time.
bool plain_ascii(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    const std::uint64_t below_space = (word - kOnes * 0x20) & ~word;
    const std::uint64_t is_delete = ((word ^ (kOnes * 0x7f)) - kOnes) & ~(word ^ (kOnes * 0x7f));
    if (((word | below_space | is_delete) & kHigh) != 0) return false;
  }
  for (; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte >= 0x7f) return false;
  }
  return true;
}

bool must_escape(char32_t c, LineBreaks breaks) {
  if (c == U'\n' || c == U'\t') return breaks == LineBreaks::escape;
  return c < 0x20 || (c >= 0x7f && c < 0xa0) ||  // C0, delete, C1
         c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) ||             // direction marks, overrides, isolates
         c == 0x2028 || c == 0x2029 || c == 0xfeff;  // line and paragraph separators, byte order mark
}

// The escape of a character or byte, in a buffer of its own.
class Escape {
 public:
  Escape(char letter, char32_t value, int digits) {
    text_[size_++] = '\\';
    text_[size_++] = letter;
    for (int shift = 4 * (digits - 1); shift >= 0 && digits > 0; shift -= 4) {
      text_[size_++] = "0123456789abcdef"[(value >> shift) & 0xf];
    }
  }
  [[nodiscard]] std::string_view view() const { return {text_, size_}; }

 private:
  char text_[8] = {};
  std::size_t size_ = 0;
};

Escape escape_of(char32_t c) {
  if (c == U'\n') return {'n', 0, 0};
  if (c == U'\t') return {'t', 0, 0};
  if (c == U'\r') return {'r', 0, 0};
  return c < 0x100 ? Escape{'x', c, 2} : Escape{'u', c, 4};
}

}  // namespace

std::size_t append_sanitised(std::vector<char>& out, std::string_view text, std::size_t cap, LineBreaks breaks) {
  const std::size_t start = out.size();
  if (text.size() <= cap && plain_ascii(text)) {
    out.insert(out.end(), text.begin(), text.end());
    return text.size();
  }
  std::size_t fits_with_ellipsis = start;  // the last end of a character that leaves room for the ellipsis
  while (!text.empty()) {
    const Utf8Char c = decode_utf8(text);
    const bool escape = !c.valid || must_escape(c.code, breaks);
    const Escape escaped = c.valid ? escape_of(c.code) : Escape{'x', static_cast<unsigned char>(text.front()), 2};
    const std::string_view piece = escape ? escaped.view() : text.substr(0, c.bytes);
    if (out.size() - start + piece.size() > cap) {
      out.resize(fits_with_ellipsis);
      if (cap >= kEllipsis.size()) out.insert(out.end(), kEllipsis.begin(), kEllipsis.end());
      break;
    }
    out.insert(out.end(), piece.begin(), piece.end());
    if (out.size() - start + kEllipsis.size() <= cap) fits_with_ellipsis = out.size();
    text.remove_prefix(c.bytes);
  }
  return out.size() - start;
}

bool is_sanitised(std::string_view text) {
  constexpr std::size_t kRun = 64;  // printable ASCII is skipped in runs of this many bytes
  while (!text.empty()) {
    if (plain_ascii(text.substr(0, kRun))) {
      text.remove_prefix(std::min(kRun, text.size()));
      continue;
    }
    const Utf8Char c = decode_utf8(text);
    if (!c.valid || must_escape(c.code, LineBreaks::keep)) return false;
    text.remove_prefix(c.bytes);
  }
  return true;
}

}  // namespace dlscope::core
