// Who refers to the object that owns a tensor's memory: read from the answer to the question "referrers".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dlscope::app {

struct Referrers {
  bool found = false;  // false: the tensor no longer exists
  std::string owner;   // its type
  std::vector<std::string> what;  // "attribute cache of Job", "3 times: a list of 2"
  std::uint64_t more = 0;         // kinds that are not listed
  bool complete = true;           // false: there are too many objects to look through all of them
};
[[nodiscard]] core::Result<Referrers> read_referrers(std::string_view text);
// {"name": ...}
[[nodiscard]] std::string referrers_question(std::string_view name);
// What is said below the list, or instead of it.
[[nodiscard]] std::string referrers_remark(const Referrers& referrers);

}  // namespace dlscope::app
