// Script files as bytes and as the text an editor shows: line feeds only, no byte order mark. What a file had (line ends,
// mark) is kept and written back, so that saving changes nothing but what was typed. What cannot be kept is refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dlscope::app {

enum class LineEnd : std::uint8_t { lf, crlf, cr };

struct TextFormat {
  bool byte_order_mark = false;
  LineEnd line_end = LineEnd::lf;  // of new lines: what most lines of the file have
  std::vector<LineEnd> ends;       // of every line as read; only when the file mixes them
  [[nodiscard]] bool mixed() const { return !ends.empty(); }
};

struct FileText {
  std::string text;
  TextFormat format;
  std::uint64_t hash = 0;  // of the bytes
};

// Fails with words on text that is not UTF-8: an editor would damage it.
[[nodiscard]] core::Result<FileText> text_from_bytes(std::string_view bytes, const std::string& path);
// `original`: the text the format was read with; its lines that still stand keep their own ends.
[[nodiscard]] std::string bytes_from_text(const std::string& text, const TextFormat& format, const std::string& original);
[[nodiscard]] std::uint64_t content_hash(std::string_view bytes);

// "CRLF", "LF and CRLF mixed, byte order mark"; "" for what is usual.
[[nodiscard]] std::string format_text(const TextFormat& format);

// Lines of a text, without their line feeds; always at least one.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

// Where two texts differ: the common lines before and after are left out.
struct LineDifference {
  std::size_t first = 0;     // first line that differs
  std::size_t old_last = 0;  // one past the last differing line, in either text
  std::size_t new_last = 0;
};
[[nodiscard]] LineDifference line_difference(const std::vector<std::string_view>& before,
                                             const std::vector<std::string_view>& after);

}  // namespace dlscope::app
