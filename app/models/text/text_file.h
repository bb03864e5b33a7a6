// Converts script files between their bytes and the text in an editor: line feeds only, no byte order mark. The file's line ends
// and mark are remembered and written back, so that saving changes only what was typed. What cannot be preserved is refused.
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
  LineEnd line_end = LineEnd::lf;  // for new lines: the most frequent one in the file
  std::vector<LineEnd> ends;       // of every line as read; only when the file mixes them
  [[nodiscard]] bool mixed() const { return !ends.empty(); }
};

struct FileText {
  std::string text;
  TextFormat format;
  std::uint64_t hash = 0;  // of the bytes
};

// Fails with a message on text that is not UTF-8: an editor would damage it.
[[nodiscard]] core::Result<FileText> text_from_bytes(std::string_view bytes, const std::string& path);
// `original`: the text that the format was read with; its unchanged lines keep their line ends.
[[nodiscard]] std::string bytes_from_text(const std::string& text, const TextFormat& format, const std::string& original);
[[nodiscard]] std::uint64_t content_hash(std::string_view bytes);

// "CRLF", "LF and CRLF mixed, byte order mark"; "" for the usual format.
[[nodiscard]] std::string format_text(const TextFormat& format);

// Lines of a text, without their line feeds; always at least one.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

// Where two texts differ, without their common lines at the beginning and the end.
struct LineDifference {
  std::size_t first = 0;     // first line that differs
  std::size_t old_last = 0;  // one past the last differing line, in the old and in the new text
  std::size_t new_last = 0;
};
[[nodiscard]] LineDifference line_difference(const std::vector<std::string_view>& before,
                                             const std::vector<std::string_view>& after);


// The same as the stretches that differ, in rising order, such that as many lines as possible stay. Between texts with more than
// kMostEdits lines inserted and deleted, it is one stretch.
inline constexpr std::size_t kMostEdits = 300;
[[nodiscard]] std::vector<LineDifference> line_differences(const std::vector<std::string_view>& before,
                                                           const std::vector<std::string_view>& after);

}  // namespace dlscope::app
