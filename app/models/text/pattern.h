// Pattern: a regular expression, searched in one line of UTF-8 at a time. Its cost is bounded: exponential backtracking ends with
// too_hard. The syntax is Perl's, as implemented by PCRE2; nearly Python's.
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

  // Fails with a message that says what is wrong with it and where.
  [[nodiscard]] static core::Result<Pattern> compile(std::string_view pattern, bool match_case);
  ~Pattern();
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;

  // The first non-empty match in `line` at `from` or later. from > 0: `line` must be that of the previous call (its UTF-8 is not
  // checked again).
  [[nodiscard]] Found find(std::string_view line, std::size_t from);
  // A group of the last match; group 0 is the whole match. nullopt: no such group, or it did not take part.
  [[nodiscard]] std::optional<Span> group(std::size_t number) const;
  // `with` for the last match: $1 to $9 are replaced by its groups, $& by the whole match, $$ by a dollar.
  [[nodiscard]] std::string expanded(std::string_view line, std::string_view with) const;

 private:
  struct Compiled;
  explicit Pattern(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace dlscope::app
