// What the window and the host say to each other about remembered tensors (embed/host/remembered_bytes.h): the question with those that
// are wanted, the answer with the copies that wait to be fetched. The host is what it is: what is missing or odd reads as empty.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/history/remembered_tensors.h"

namespace dlscope::app {

// A copy in the host's memory.
struct AnnouncedCopy {
  std::uint64_t id = 0, revision = 0;  // revision: of the snapshot it belongs to
  std::uint32_t tensor = 0;
  std::string name;
  bool hashed = false;
  core::Address begin = 0;  // where the tensor's bytes began
  core::Address at = 0;     // where the copy lies
  std::uint64_t size = 0, check = 0;
  RanMeanwhile ran = RanMeanwhile::unknown;
  std::string why_not;
};

// fetched: copies up to that number are not wanted any more.
[[nodiscard]] std::string remember_question(const std::map<std::string, Remember>& wanted, std::uint64_t fetched);
[[nodiscard]] std::vector<AnnouncedCopy> announced_copies(std::string_view answer);

}  // namespace dlscope::app
