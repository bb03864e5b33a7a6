// Who refers to a tensor and to the object that owns its memory: read from the answer to the question "referrers".
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
  std::string view;               // the type of the tensor itself; "": it is the owner
  std::vector<std::string> of_view;
  std::uint64_t more_of_view = 0;
  bool complete = true;           // false: there are too many objects to look through all of them
};
[[nodiscard]] core::Result<Referrers> read_referrers(std::string_view text);
// {"name": ...}
[[nodiscard]] std::string referrers_question(std::string_view name);
// What is said above each list, or instead of it. name: of the tensor.
[[nodiscard]] std::string view_referrers_text(const Referrers& referrers, std::string_view name);
[[nodiscard]] std::string owner_referrers_text(const Referrers& referrers);
// What is said below the lists.
[[nodiscard]] std::string referrers_remark(const Referrers& referrers);

}  // namespace dlscope::app
