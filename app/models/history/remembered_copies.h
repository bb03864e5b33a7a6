// The messages about remembered tensors between window and host (embed/host/remembered_bytes.h): the question lists the wanted
// ones, the answer the copies that wait to be fetched. The host is not trusted: missing or malformed entries read as empty.
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
  core::Address begin = 0;            // address of the tensor's bytes
  core::Address at = 0;               // address of the copy
  std::uint64_t size = 0, check = 0;  // bytes of the copy, and their hash
  RanMeanwhile ran = RanMeanwhile::unknown;
  std::string why_not;
};

struct CopiesToFetch {
  std::vector<AnnouncedCopy> copies;  // by number
  std::uint64_t through = 0;          // once these are fetched, the host may free copies up to this number
};
// As many bytes as a host lets wait (embed/host/remembered_bytes.h): one fetch takes them all.
inline constexpr std::uint64_t kMaxFetchedBytes = std::uint64_t{256} << 20;
// The announced copies that are to be fetched now: those with a number above `fetched`, of a wanted tensor, and for each tensor
// and snapshot only the last one. What would be more than kMaxFetchedBytes is left to be announced again.
[[nodiscard]] CopiesToFetch copies_to_fetch(std::vector<AnnouncedCopy> announced, const std::map<std::string, Remember>& wanted,
                                            std::uint64_t fetched);

// fetched: the host may free copies up to this number.
[[nodiscard]] std::string remember_question(const std::map<std::string, Remember>& wanted, std::uint64_t fetched);
[[nodiscard]] std::vector<AnnouncedCopy> announced_copies(std::string_view answer);

}  // namespace dlscope::app
