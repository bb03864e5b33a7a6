// Pattern: a regular expression, searched for in one line of UTF-8 at a time. What it may cost is bounded: a pattern made to take
// forever ends with too_hard. The syntax is Perl's, as PCRE2 reads it: Python's, but for details.
// thread: any, one at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace dlscope::app {

class Pattern {
 public:
  struct Span {
    std::size_t first = 0, last = 0;  // bytes
  };
  enum class Found { yes, no, too_hard, not_utf8 };

  // Fails with what is wrong with it and where.
  [[nodiscard]] static core::Result<Pattern> compile(std::string_view pattern, bool match_case);
  ~Pattern();
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;

  // The first match in `line` that begins at `from` or later and is not empty. from > 0: the line is that of the call before.
  [[nodiscard]] Found find(std::string_view line, std::size_t from);
  // Of the last match; group 0 is all of it. nullopt: the pattern has no such group, or it took no part.
  [[nodiscard]] std::optional<Span> group(std::size_t number) const;
  // `with` for the last match: $1 to $9 are its groups, $& all of it, $$ a dollar.
  [[nodiscard]] std::string expanded(std::string_view line, std::string_view with) const;

 private:
  struct Compiled;
  explicit Pattern(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace dlscope::app
