#include "core/base/append_format.h"

#include <fmt/format.h>

#include <iterator>

namespace dlscope::core {

void append_vformat(std::string& out, fmt::string_view pattern, fmt::format_args parts) {
  fmt::vformat_to(std::back_inserter(out), pattern, parts);
}

void append_vformat(fmt::appender out, fmt::string_view pattern, fmt::format_args parts) { fmt::vformat_to(out, pattern, parts); }

}  // namespace dlscope::core
