// Finds lines of an earlier version of a text in the present one, by their texts. Pure functions; thread: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlscope::app {

// Lines without the blanks around them, cut after so many bytes: they are recognised in another indentation, too.
inline constexpr std::size_t kMaxKeptLine = 200;
[[nodiscard]] std::vector<std::string_view> kept_lines_of(std::string_view text);

struct KeptLine {
  std::uint32_t number = 0;  // one-based, in the earlier text
  std::string_view text;     // as kept_lines_of() has it; "": not known, or a blank line
};
// The number of each line in `lines`, no number twice; 0: it is not there. Lines mostly move together, by lines inserted above them: the
// shift by which most of them are found goes first; a line that is not found by it is the nearest of those with its text.
[[nodiscard]] std::vector<std::uint32_t> find_kept_lines(std::span<const KeptLine> kept, std::span<const std::string_view> lines);

}  // namespace dlscope::app
