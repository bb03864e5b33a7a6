#include "app/models/text/name_path.h"

namespace dlscope::app {

SegmentStarts segment_starts(std::string_view name) {
  SegmentStarts starts;
  if (name.empty()) return starts;
  starts.push_back(0);
  int depth = 0;
  char quote = '\0';
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (quote != '\0') {
      if (c == '\\')
        ++i;
      else if (c == quote)
        quote = '\0';
      continue;
    }
    const bool opens = c == '[' || c == '<' || c == '(';
    if (depth == 0 && i > 0 && (c == '.' || c == '[' || c == '<') && starts.size() < kMaxSegments) starts.push_back(i);
    if (depth > 0 && (c == '\'' || c == '"')) quote = c;
    if (opens) ++depth;
    if ((c == ']' || c == '>' || c == ')') && depth > 0) --depth;
  }
  return starts;
}

std::string_view number_before(std::string_view name, const SegmentStarts& starts) {
  for (std::size_t i = starts.size() < 2 ? 0 : starts.size() - 2; i-- > 0;) {
    const std::string_view segment = name.substr(starts[i], starts[i + 1] - starts[i]);
    if (segment.size() > 2 && segment[0] == '[' && segment[1] >= '0' && segment[1] <= '9') return segment;
  }
  return {};
}

std::string_view without_dot(std::string_view segment) {
  return segment.size() > 1 && segment.starts_with('.') ? segment.substr(1) : segment;
}

std::string_view without_quotes(std::string_view segment) {
  const bool key = segment.size() > 4 && (segment.starts_with("['") || segment.starts_with("[\"")) &&
                   segment.ends_with(std::string_view(segment).substr(1, 1) == "'" ? "']" : "\"]");
  return key ? segment.substr(2, segment.size() - 4) : segment;
}

std::string shortened_name(std::string_view name, std::size_t most) {
  const auto code_points = [](std::string_view text) { return static_cast<float>(count_characters(text)); };
  return fit_path(name, static_cast<float>(most), code_points).str();
}

}  // namespace dlscope::app
