// A place in a source file that a printed line names: a traceback's `File "x.py", line 12`, a warning's `x.py:12:`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dlscope::app {

struct SourceLink {
  std::string path;
  std::size_t line = 0;            // one-based
  std::size_t begin = 0, end = 0;  // bytes of the printed line that say so
};

[[nodiscard]] std::optional<SourceLink> source_link(std::string_view text);

}  // namespace dlscope::app
