// A source location in a printed line: a traceback's `File "x.py", line 12`, a warning's `x.py:12:`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dlscope::app {

struct SourceLink {
  std::string path;
  std::size_t line = 0;            // one-based
  std::size_t begin = 0, end = 0;  // the bytes of the line that contain it
};

[[nodiscard]] std::optional<SourceLink> source_link(std::string_view text);

}  // namespace dlscope::app
