#include "app/models/debug/line_edits.h"

#include <algorithm>
#include <cstdint>

#include "app/models/text/text_file.h"

namespace dlscope::app {

std::vector<LineEdit> line_edits_between(std::string_view before, std::string_view after) {
  std::vector<LineEdit> out;
  const auto one_based = [](std::size_t line) { return static_cast<std::uint32_t>(line + 1); };
  std::size_t old_lines = 0, new_lines = 0;  // up to the end of the stretch before
  for (const LineDifference& each : line_differences(lines_of(before), lines_of(after))) {
    const std::size_t new_first = new_lines + (each.first - old_lines);
    out.push_back({one_based(each.first), one_based(each.old_last), one_based(each.first + each.new_last - new_first), true});
    old_lines = each.old_last;
    new_lines = each.new_last;
  }
  // From the end on, so that the lines of the edits that follow keep their numbers.
  std::ranges::reverse(out);
  return out;
}

}  // namespace dlscope::app
